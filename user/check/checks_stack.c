// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Checks of what the IP stack does behind the filter. The filter drops the later copies of a
 * message, so if the stack discards the copy that came first, the message is lost.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/netfilter.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "check_context.h"
#include "diag.h"
#include "stack.h"
#include "streams.h"
#include "units.h"

#define FAR_SENDER 0xc0000201	  /* 192.0.2.1, an address of no network here (RFC 5737) */
#define BUFFER_MIN_NS 10000000ULL /* a socket's buffer lasts at least so long */
#define SKB_BYTES 2304		  /* of the buffer that a packet of 1500 bytes takes, typically */

/* Returns whether a lost first copy is a lost message: packets teach the filter, it drops the
 * later ones, and sockets receive the first one.
 */
static bool loses_by_stack(const struct filter_spec *spec)
{
	bool sockets = false;

	for (uint32_t i = 0; i < spec->streams_cnt; i++)
		sockets |= streams_go_to_sockets(spec, &spec->streams[i]);
	return sockets && !spec->count_only && !spec->learn_app && !spec->forwarded;
}

/* What the kernel does with packets that come by one interface. */
struct senders {
	int near_pass, near_lost, far_lost; /* by the interface's own addresses */
	struct in_addr near;		    /* a neighbour whose packets are discarded */
};

static struct in_addr ipv4_of(const struct sockaddr *a)
{
	return ((const struct sockaddr_in *)a)->sin_addr;
}

static bool is_own(const struct ifaddrs *all, struct in_addr address)
{
	for (const struct ifaddrs *a = all; a; a = a->ifa_next)
		if (a->ifa_addr && a->ifa_addr->sa_family == AF_INET &&
		    ipv4_of(a->ifa_addr).s_addr == address.s_addr)
			return true;
	return false;
}

static void try_senders(const struct ifaddrs *all, const struct ifaddrs *a, struct senders *s)
{
	uint32_t ifindex = if_nametoindex(a->ifa_name), n = 1;
	struct in_addr own = ipv4_of(a->ifa_addr), mask = ipv4_of(a->ifa_netmask), from;
	int lost;

	do
		from.s_addr = (own.s_addr & mask.s_addr) | htonl(n);
	while (is_own(all, from) && ++n < ~ntohl(mask.s_addr));
	lost = is_own(all, from) ? -ENOENT : stack_discards(ifindex, from, own);
	s->near_pass += !lost;
	s->near_lost += lost > 0;
	if (lost > 0)
		s->near = from;
	from.s_addr = htonl(FAR_SENDER);
	s->far_lost += stack_discards(ifindex, from, own) > 0;
}

int check_reverse_path(struct check_context *q)
{
	int strict = stack_rp_filter(q->ifname);
	char near[INET_ADDRSTRLEN];
	struct senders s = { 0 };
	struct ifaddrs *all;

	check_found(q, "no reverse path filter discards one of several copies");
	if (!loses_by_stack(q->subject->spec) || q->subject->where->cnt < 2 || !strict)
		return 0;
	if (strict < 0 || getifaddrs(&all))
		return check_unknown(q, "the reverse path filter cannot be read");
	for (const struct ifaddrs *a = all; a; a = a->ifa_next)
		if (!strcmp(a->ifa_name, q->ifname) && a->ifa_addr && a->ifa_netmask &&
		    a->ifa_addr->sa_family == AF_INET)
			try_senders(all, a, &s);
	freeifaddrs(all);
	inet_ntop(AF_INET, &s.near, near, sizeof(near));
	if (s.near_lost && !s.near_pass && !q->subject->force)
		return diag_err(
			-EXDEV,
			"%s: the reverse path filter discards what its own network sends, as the route to %s is by another interface: messages that come there first are lost, and the filter drops their copies" ADVICE
			"sysctl -w net/ipv4/conf/%s/rp_filter=2, or load --force",
			q->ifname, near, q->ifname);
	if (s.near_lost)
		diag_note("%s: the reverse path filter discards what %s and its neighbours send, as the route back is by another interface: messages that come there first are lost" ADVICE
			  "sysctl -w net/ipv4/conf/%s/rp_filter=2",
			  q->ifname, near, q->ifname);
	else if (s.far_lost)
		diag_note("%s: the reverse path filter discards what comes from other networks, as %s: such messages that come there first are lost" ADVICE
			  "sysctl -w net/ipv4/conf/%s/rp_filter=%s",
			  q->ifname,
			  strict == 1 ? "the route back is not by this interface"
				      : "there is no route back",
			  q->ifname, strict == 1 ? "2" : "0, and all/rp_filter=0");
	return 0;
}

/* The sockets on a filter's ports, as far as its interfaces and rates are concerned. */
struct listeners {
	const struct filter_spec *spec;
	uint32_t ifindex; /* the one of the filter's interfaces that is asked about */
	const char *ifname;
	int cnt, reached;	   /* sockets; those that get what comes by ifname */
	struct stack_socket other; /* one that does not */
	struct stack_socket least; /* the one with the smallest buffer */
};

static bool is_multicast(const struct in6_addr *a)
{
	return IN6_IS_ADDR_MULTICAST(a) ||
	       (IN6_IS_ADDR_V4MAPPED(a) && IN_MULTICAST(ntohl(a->s6_addr32[3])));
}

/* Returns whether this is an address of the interface. */
static bool has_address(const char *ifname, const struct in6_addr *wanted)
{
	struct ifaddrs *all;
	bool has = false;

	if (getifaddrs(&all))
		return true;
	for (const struct ifaddrs *a = all; a && !has; a = a->ifa_next) {
		if (!a->ifa_addr || strcmp(a->ifa_name, ifname) != 0)
			continue;
		if (a->ifa_addr->sa_family == AF_INET)
			has = IN6_IS_ADDR_V4MAPPED(wanted) &&
			      ipv4_of(a->ifa_addr).s_addr == wanted->s6_addr32[3];
		else if (a->ifa_addr->sa_family == AF_INET6)
			has = IN6_ARE_ADDR_EQUAL(
				&((const struct sockaddr_in6 *)a->ifa_addr)->sin6_addr, wanted);
	}
	freeifaddrs(all);
	return has;
}

/* Returns whether the socket gets packets to any address of the interface, or to a group. */
static bool is_reached(const struct stack_socket *s, uint32_t ifindex, const char *ifname)
{
	struct in6_addr address = s->address;

	return (!s->ifindex || s->ifindex == ifindex) &&
	       (IN6_IS_ADDR_UNSPECIFIED(&address) || is_multicast(&address) ||
		has_address(ifname, &address));
}

static void take_listener(const struct stack_socket *s, void *arg)
{
	struct listeners *l = arg;

	if (!streams_have_socket_port(l->spec, s->port))
		return;
	if (!l->cnt++ || s->buffer < l->least.buffer)
		l->least = *s;
	if (is_reached(s, l->ifindex, l->ifname))
		l->reached++;
	else
		l->other = *s;
}

int check_sockets(struct check_context *q)
{
	struct listeners l = { .spec = q->subject->spec,
			       .ifname = q->ifname,
			       .ifindex = if_nametoindex(q->ifname) };
	char program[STACK_PROGRAM_MAX];
	int err;

	if (!loses_by_stack(q->subject->spec))
		return check_found(q, "no socket's loss is a message's");
	err = stack_each_socket(take_listener, &l);
	if (err)
		return check_unknown(q, "the UDP sockets cannot be listed: %s", strerror(-err));
	check_number(q, "sockets", l.cnt);
	check_found(q,
		    l.cnt ? "%d UDP sockets on the filter's ports get what comes there"
			  : "no UDP socket is open on the filter's ports yet",
		    l.reached);
	if (l.cnt && !l.reached && q->subject->where->cnt > 1)
		diag_note("no socket gets what comes by %s, as %s has bound port %u to another interface or address: messages that come there first are lost" ADVICE
			  "bind to no interface and no address, or have a filter of its own there",
			  q->ifname, stack_program_of(l.other.inode, program), l.other.port);
	return 0;
}

int check_buffers(struct check_context *q)
{
	const struct dedup_config *plan = q->subject->plan;
	struct listeners l = { .spec = q->subject->spec, .ifname = "" };
	char program[STACK_PROGRAM_MAX];
	uint64_t rate, lasts_ns;
	int err = 0;

	if (loses_by_stack(l.spec))
		err = stack_each_socket(take_listener, &l);
	if (err)
		return check_unknown(q, "the UDP sockets cannot be listed: %s", strerror(-err));
	if (!l.cnt)
		return check_found(q, "no UDP socket waits for messages of the filter");
	rate = plan->memory.capacity * 1000000000ULL / plan->memory.window_ns ?: 1;
	lasts_ns = l.least.buffer / SKB_BYTES * 1000000000ULL / rate;
	check_number(q, "socket_buffer_bytes", l.least.buffer);
	check_found(q, "the smallest buffer of a socket on the filter's ports has %s",
		    FORMAT_BYTES(l.least.buffer));
	if (lasts_ns < BUFFER_MIN_NS && q->subject->spec->given.capacity)
		diag_note("%s has a buffer of %s on port %u, which is full after %s at the filter's capacity: what comes then is lost, and the filter drops its copies" ADVICE
			  "SO_RCVBUF, or sysctl -w net.core.rmem_default=%llu for programs that do not set it",
			  stack_program_of(l.least.inode, program), FORMAT_BYTES(l.least.buffer),
			  l.least.port, FORMAT_TIME(lasts_ns),
			  (unsigned long long)(rate * SKB_BYTES * BUFFER_MIN_NS / 1000000000));
	return 0;
}

static bool may_carry(const struct spec_stream *s, const struct in6_addr *group)
{
	bool ipv4 = IN6_IS_ADDR_V4MAPPED(group);
	uint64_t a[2] = { 0 };

	memcpy(a, ipv4 ? &group->s6_addr[12] : group->s6_addr, ipv4 ? 4 : 16);
	for (uint32_t i = ipv4 ? 0 : s->to4_cnt; i < (ipv4 ? s->to4_cnt : s->to_cnt); i++)
		if ((a[0] & s->to[i].mask[0]) == s->to[i].addr[0] &&
		    (a[1] & s->to[i].mask[1]) == s->to[i].addr[1])
			return true;
	return false;
}

/* Returns whether the group is one of a stream: by --to, or else any group but those that hosts
 * join by themselves.
 */
static bool is_of_stream(const struct filter_spec *spec, const struct in6_addr *group)
{
	bool local = IN6_IS_ADDR_V4MAPPED(group)
			     ? !((ntohl(group->s6_addr32[3]) ^ 0xe0000000) >> 8)
			     : IN6_IS_ADDR_MC_NODELOCAL(group) || IN6_IS_ADDR_MC_LINKLOCAL(group);

	for (uint32_t i = 0; i < spec->streams_cnt; i++) {
		const struct spec_stream *s = &spec->streams[i];

		if (streams_go_to_sockets(spec, s) && (s->to_cnt ? may_carry(s, group) : !local))
			return true;
	}
	return false;
}

/* Returns a group of the filter's streams that the interface has joined; NULL if there is none. */
static const struct in6_addr *find_group(const struct check_context *q,
					 const struct stack_groups *g, const char *ifname)
{
	uint32_t ifindex = if_nametoindex(ifname);

	for (int i = 0; i < g->cnt; i++)
		if (g->list[i].ifindex == ifindex &&
		    is_of_stream(q->subject->spec, &g->list[i].address))
			return &g->list[i].address;
	return NULL;
}

/* A and B may have groups of their own: an interface that has joined any group of the streams is
 * right.
 */
int check_groups(struct check_context *q)
{
	const struct placement *where = q->subject->where;
	char text[INET6_ADDRSTRLEN];
	struct stack_groups groups;
	int err = stack_groups_read(&groups);

	check_found(q, "no multicast group is joined on other interfaces of the filter alone");
	for (int i = 0; i < where->cnt && !err && loses_by_stack(q->subject->spec) &&
			!find_group(q, &groups, q->ifname);
	     i++) {
		const struct in6_addr *group = find_group(q, &groups, where->ifnames[i]);

		if (!group)
			continue;
		if (IN6_IS_ADDR_V4MAPPED(group))
			inet_ntop(AF_INET, &group->s6_addr[12], text, sizeof(text));
		else
			inet_ntop(AF_INET6, group, text, sizeof(text));
		diag_note("%s is joined on %s and not on %s: messages that come there first are lost" ADVICE
			  "join it on both (IP_ADD_MEMBERSHIP once for each interface)",
			  text, where->ifnames[i], q->ifname);
		break;
	}
	free(groups.list);
	return err ? check_unknown(q, "the multicast groups cannot be read: %s", strerror(-err)) : 0;
}

static int is_vlan(const struct link *link, void *arg)
{
	(void)arg;
	return !strcmp(link->kind, "vlan");
}

int check_vlans(struct check_context *q)
{
	const struct filter_spec *spec = q->subject->spec;
	const struct links *l = q->subject->links;
	uint32_t index = if_nametoindex(q->ifname);
	const struct link *link = links_find(l, index);
	bool tagged = false;

	for (uint32_t i = 0; i < spec->vlans_cnt; i++)
		tagged |= spec->vlans[i].hi;
	check_found(q, "frames with VLAN tags, if they count, have a device");
	if (tagged && loses_by_stack(spec) && link && !link->master &&
	    !links_each_above(l, index, is_vlan, NULL))
		diag_note("--vlan names VLANs, and there is no VLAN device on %s: the kernel discards their frames behind the filter" ADVICE
			  "ip link add link %s name %s.ID type vlan id ID, or load the filter on another interface",
			  q->ifname, q->ifname, q->ifname);
	return 0;
}

int check_rules(struct check_context *q)
{
	int any = stack_has_rules(NFPROTO_IPV4);

	if (any < 0)
		return check_unknown(q, "netfilter's hooks cannot be listed: %s", strerror(-any));
	check_flag(q, "netfilter_rules", any);
	check_found(q, "no table of netfilter sees packets for this host");
	if (any && loses_by_stack(q->subject->spec))
		diag_note(
			"netfilter rules see packets behind the filter: of a message whose first copy they drop, the filter drops the others, too" ADVICE
			"see that they accept the filter's ports on all of its interfaces: nft list ruleset");
	return 0;
}
