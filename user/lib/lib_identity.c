// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "xdp-dedup-streams.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include <linux/if_ether.h>

#include "lib_handle.h"
#include "made_frame.h"
#include "program.h"
#include "source_key.h"
#include "stream_ids.h"
#include "flow_known.h"

/* A process has one packet program in user space. It works for one filter at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t opened; /* number of the view whose filter the program has; 0: none */
static uint8_t made[MADE_FRAME_MAX];

static void lock_program(void)
{
	pthread_mutex_lock(&lock);
}

static void unlock_program(void)
{
	pthread_mutex_unlock(&lock);
}

/* Holds the lock during fork(): a child that inherits a locked mutex lacks the thread to unlock it. */
static void prepare_fork(void)
{
	pthread_atfork(lock_program, unlock_program, unlock_program);
}

/* Opens the program with the configuration of this view, unless it has that already. */
static void open_program(const struct view *v)
{
	if (opened != v->number)
		program_open_to_identify(v->filter.config, false);
	opened = v->number;
}

static int describe_id(const struct dedup_config *c, const struct program_id *id,
		       struct xdp_dedup_identity *out)
{
	const struct dedup_numbered *numbered = &c->numbered[id->stream];

	out->stream = id->stream;
	out->messages = id->messages;
	out->len = stream_id_bytes(c, id->stream, &id->id, out->bytes);
	/* The load's mask has cleared all bits except those of the number. */
	if (numbered->width)
		out->number = dedup_integer_in(id->id.word[id->words - 1], numbered->little,
					       numbered->shift);
	return 1;
}

static int id_of_frame(const struct dedup_config *c, const struct xdp_dedup_datagram *d,
		       struct xdp_dedup_identity *out)
{
	struct program_id id;

	program_identify(d->frame, d->frame_len, &id);
	return id.reason < 0 ? describe_id(c, &id, out) : 0;
}

/* The source or the destination of a datagram. */
struct end {
	bool is_known, ipv6, any; /* is_known: the family is known; any: the address is unknown */
	uint16_t port;		  /* in network order; 0: unknown */
	uint8_t address[16];	  /* of IPv4 the first 4 bytes */
};

static int read_end(const struct sockaddr *from, struct end *e)
{
	const struct sockaddr_in6 *ipv6 = (const void *)from;
	const struct sockaddr_in *ipv4 = (const void *)from;
	static const uint8_t none[16];

	*e = (struct end){ .any = true };
	if (!from)
		return 0;
	if (from->sa_family != AF_INET && from->sa_family != AF_INET6)
		return -EAFNOSUPPORT;
	e->is_known = true;
	e->ipv6 = from->sa_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(&ipv6->sin6_addr);
	e->port = from->sa_family == AF_INET6 ? ipv6->sin6_port : ipv4->sin_port;
	if (e->ipv6)
		memcpy(e->address, &ipv6->sin6_addr, 16);
	else if (from->sa_family == AF_INET6)
		memcpy(e->address, &ipv6->sin6_addr.s6_addr[12], 4);
	else
		memcpy(e->address, &ipv4->sin_addr, 4);
	e->any = !memcmp(e->address, none, sizeof(none));
	return 0;
}

/* A datagram whose id is looked up. */
struct id_query {
	const struct dedup_config *config;
	const struct xdp_dedup_datagram *datagram;
	struct end from, to;   /* from the caller */
	struct made_flow flow; /* `from` and `to`, with assumed values for unknown parts */
	unsigned int known;    /* KNOWN_ bits of the parts that are not assumed */
};

/* Is the port, in host order, one of the stream's? */
static bool accepts_port(const struct dedup_config *c, const struct dedup_stream *s, uint16_t port)
{
	for (uint32_t i = 0; i < s->ports_cnt && s->ports_first + i < DEDUP_PORTS_MAX; i++) {
		const struct dedup_ports *p = &c->policy.ports[s->ports_first + i];

		if (port >= p->lo && port <= p->hi)
			return true;
	}
	return false;
}

/* May stream n take datagrams of this flow, apart from the stream's gates? */
static bool may_take(const struct dedup_config *c, uint32_t n, const struct made_flow *flow)
{
	const struct dedup_stream *s = &c->policy.streams[n];
	uint32_t ethertype = htons(flow->ipv6 ? ETH_P_IPV6 : ETH_P_IP);

	if (s->layer == DEDUP_UDP)
		return accepts_family(s, flow->ipv6) && accepts_port(c, s, ntohs(flow->to_port));
	return s->layer == DEDUP_IP || !s->ethertype || s->ethertype == ethertype;
}

/* Runs the program on a frame of this flow. Returns what xdp_dedup_id_of() returns. */
static int run_program(const struct id_query *a, struct xdp_dedup_identity *out)
{
	const struct dedup_config *c = a->config;
	struct program_id id;
	uint32_t last;
	size_t len;

	len = made_frame(&a->flow, a->datagram->payload, a->datagram->payload_len, made);
	program_identify(made, len, &id);
	last = id.reason < 0 ? id.stream : c->policy.streams_cnt - 1;
	for (uint32_t n = 0; n <= last; n++)
		if (may_take(c, n, &a->flow) && !flow_known_gates(c, n, a->flow.ipv6, a->known))
			return -ENODATA;
	/* Unknown bytes are 0 in the frame. The program may have rejected it for these zeros. */
	if ((id.reason < 0 || id.reason == DEDUP_REASON_no_id || id.reason == DEDUP_REASON_bad_count) &&
	    !flow_known_id(c, id.stream, a->flow.ipv6, a->known))
		return -ENODATA;
	return id.reason < 0 ? describe_id(c, &id, out) : 0;
}

/* Completes the flow's destination for stream n: an unknown address or port becomes one that the
 * stream accepts. Returns false if the stream does not accept the known part.
 */
static bool complete_destination(struct id_query *a, uint32_t n)
{
	const struct dedup_stream *s = &a->config->policy.streams[n];
	uint32_t cnt = a->flow.ipv6 ? s->to_cnt - s->to4_cnt : s->to4_cnt; /* of this family */
	const struct dedup_prefix *to;

	if (s->layer != DEDUP_UDP || !s->ports_cnt)
		return false;
	if (!a->to.port) {
		const struct dedup_ports *p = &a->config->policy.ports[s->ports_first];

		a->flow.to_port = htons(p->lo);
		if (s->ports_cnt == 1 && p->lo == p->hi)
			a->known |= KNOWN_PORT;
	} else if (!accepts_port(a->config, s, ntohs(a->to.port))) {
		return false;
	}
	if (!a->to.any || !cnt)
		return true;
	to = &a->config->policy.to[s->to_first + (a->flow.ipv6 ? s->to4_cnt : 0)];
	memcpy(a->flow.to, to->addr, sizeof(a->flow.to));
	if (cnt == 1 && accepts_one_address(to, a->flow.ipv6))
		a->known |= KNOWN_TO;
	return true;
}

/* Finds the id of a datagram of this family. Returns what xdp_dedup_id_of() returns. */
static int query_family(struct id_query *a, bool ipv6, struct xdp_dedup_identity *out)
{
	const struct dedup_policy *p = &a->config->policy;
	unsigned int known = (a->from.is_known ? KNOWN_FROM : 0) | (a->to.any ? 0 : KNOWN_TO) |
			     (a->to.port ? KNOWN_PORT : 0);
	int result = 0;

	if (a->datagram->payload_len > MADE_PAYLOAD_MAX(ipv6))
		return -EMSGSIZE;
	for (uint32_t n = 0; n < p->streams_cnt && !result; n++) {
		a->known = known;
		a->flow = (struct made_flow){
			.ipv6 = ipv6,
			.vlan = a->config->asked.vlans_cnt ? a->config->asked.vlans[0].lo : 0,
			.from_port = a->from.port,
			.to_port = a->to.port,
		};
		memcpy(a->flow.from, a->from.address, sizeof(a->flow.from));
		memcpy(a->flow.to, a->to.address, sizeof(a->flow.to));
		if ((known & (KNOWN_TO | KNOWN_PORT)) == (KNOWN_TO | KNOWN_PORT))
			return run_program(a, out);
		if (complete_destination(a, n))
			result = run_program(a, out);
	}
	return result;
}

static int id_of_datagram(const struct dedup_config *c, const struct xdp_dedup_datagram *d,
			  struct xdp_dedup_identity *out)
{
	struct id_query a = { .config = c, .datagram = d };
	int err = read_end(d->from, &a.from) ?: read_end(d->to, &a.to);
	bool may_be_ipv4, may_be_ipv6;
	int result;

	if (err)
		return err;
	if (!d->payload && d->payload_len)
		return -EINVAL;
	/* A socket that is bound to :: receives IPv4, too. */
	may_be_ipv4 = !(a.from.is_known && a.from.ipv6) && !(a.to.ipv6 && !a.to.any);
	may_be_ipv6 = !(a.from.is_known && !a.from.ipv6) && !(a.to.is_known && !a.to.ipv6);
	if (!may_be_ipv4 && !may_be_ipv6)
		return -EINVAL;
	result = may_be_ipv4 ? query_family(&a, false, out) : 0;
	return result || !may_be_ipv6 ? result : query_family(&a, true, out);
}

int xdp_dedup_id_of(const struct xdp_dedup_filter *f, const struct xdp_dedup_datagram *d,
		    struct xdp_dedup_identity *out, size_t size)
{
	struct xdp_dedup_identity id = { 0 };
	struct filter *now = lib_enter(f);
	int result;

	if (!now)
		return -ESTALE;
	id.change = lib_view_of(now)->number;
	pthread_once(&once, prepare_fork);
	lock_program();
	open_program(lib_view_of(now));
	result = (d->frame ? id_of_frame : id_of_datagram)(now->config, d, &id);
	unlock_program();
	lib_leave();
	if (result == 1)
		lib_copy_out(out, size, &id, sizeof(id));
	return result;
}
