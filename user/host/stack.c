// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <linux/inet_diag.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_hook.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "integers.h"
#include "netlink.h"

#define LINE_MAX_BYTES 8192 /* of /proc/net/snmp and netstat */

int stack_sysctl(const char *name)
{
	char path[256];
	int value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/net/%s", name);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	if (fscanf(f, "%d", &value) != 1)
		value = -EIO;
	fclose(f);
	return value;
}

/* Returns the value of net.ipv4.conf.NAME.rp_filter, or -errno. */
static int read_rp_filter(const char *name)
{
	char sysctl[64];

	snprintf(sysctl, sizeof(sysctl), "ipv4/conf/%s/rp_filter", name);
	return stack_sysctl(sysctl);
}

int stack_rp_filter(const char *ifname)
{
	int all = read_rp_filter("all"), own = read_rp_filter(ifname);

	return own < 0 || (all >= 0 && own > all) ? own : all;
}

int stack_discards(uint32_t ifindex, struct in_addr from, struct in_addr to)
{
	union netlink_request q;
	struct rtmsg *route = netlink_begin(&q, RTM_GETROUTE, NLM_F_ACK, sizeof(*route));
	int err;

	*route = (struct rtmsg){ .rtm_family = AF_INET, .rtm_dst_len = 32, .rtm_src_len = 32 };
	mnl_attr_put_u32(&q.header, RTA_DST, to.s_addr);
	mnl_attr_put_u32(&q.header, RTA_SRC, from.s_addr);
	mnl_attr_put_u32(&q.header, RTA_IIF, ifindex);
	err = netlink_query(NETLINK_ROUTE, &q.header, NULL, NULL);
	return err == -EXDEV || err == -EINVAL ? 1 : err; /* the latter since Linux 6.13 */
}

static int add_group(struct stack_groups *g, uint32_t ifindex, const struct in6_addr *address)
{
	struct stack_group *list = reallocarray(g->list, g->cnt + 1, sizeof(*list));

	if (!list)
		return -ENOMEM;
	g->list = list;
	list[g->cnt++] = (struct stack_group){ ifindex, *address };
	return 0;
}

/* Takes a line of /proc/net/igmp: "INDEX DEVICE : ...", or, indented, a group of that device. */
static int take_group4(struct stack_groups *g, const char *line, uint32_t *ifindex)
{
	struct in6_addr address = { .s6_addr = { [10] = 0xff, [11] = 0xff } };
	unsigned int number;

	if (*line != '\t')
		return sscanf(line, "%u", ifindex), 0;
	if (sscanf(line, "%8X", &number) != 1)
		return 0;
	address.s6_addr32[3] = number; /* printed as a word of this CPU */
	return add_group(g, *ifindex, &address);
}

/* Takes a line of /proc/net/igmp6: "INDEX DEVICE GROUP ...". */
static int take_group6(struct stack_groups *g, const char *line, uint32_t *ifindex)
{
	struct in6_addr address;
	char digits[33];

	if (sscanf(line, "%u %*s %32[0-9a-f]", ifindex, digits) != 2 || strlen(digits) != 32)
		return 0;
	for (int i = 0; i < 16; i++)
		sscanf(digits + 2 * i, "%2hhx", &address.s6_addr[i]);
	return add_group(g, *ifindex, &address);
}

static int read_groups(const char *path, struct stack_groups *g,
		       int (*take)(struct stack_groups *g, const char *line, uint32_t *ifindex))
{
	FILE *f = fopen(path, "re");
	uint32_t ifindex = 0;
	char line[256];
	int err = 0;

	if (!f)
		return errno == ENOENT ? 0
				       : -errno; /* a kernel without IPv6, or without multicast */
	while (!err && fgets(line, sizeof(line), f))
		err = take(g, line, &ifindex);
	fclose(f);
	return err;
}

int stack_groups_read(struct stack_groups *out)
{
	*out = (struct stack_groups){ 0 };
	return read_groups("/proc/self/net/igmp", out, take_group4)
		       ?: read_groups("/proc/self/net/igmp6", out, take_group6);
}

static int note_hook(const struct nlmsghdr *m, void *arg)
{
	const struct nlattr *a[NFNLA_HOOK_FUNCTION_NAME + 1] = { NULL };
	bool *any = arg;
	const char *name;

	netlink_attributes(m, sizeof(struct nfgenmsg), a, NFNLA_HOOK_FUNCTION_NAME);
	if (!a[NFNLA_HOOK_FUNCTION_NAME])
		return MNL_CB_OK;
	name = mnl_attr_get_str(a[NFNLA_HOOK_FUNCTION_NAME]);
	*any |= !strncmp(name, "nft_do_chain", 12) || strstr(name, "t_do_table") ||
		!strncmp(name, "iptable_", 8) || !strncmp(name, "ip6table_", 9);
	return MNL_CB_OK;
}

int stack_has_rules(uint8_t family)
{
	static const uint32_t HOOKS[] = { NF_INET_PRE_ROUTING, NF_INET_LOCAL_IN };
	bool any = false;

	for (size_t i = 0; i < sizeof(HOOKS) / sizeof(HOOKS[0]); i++) {
		union netlink_request q;
		struct nfgenmsg *about = netlink_begin(&q, NFNL_SUBSYS_HOOK << 8 | NFNL_MSG_HOOK_GET,
						       NLM_F_DUMP, sizeof(*about));
		int err;

		*about = (struct nfgenmsg){ .nfgen_family = family, .version = NFNETLINK_V0 };
		mnl_attr_put_u32(&q.header, NFNLA_HOOK_HOOKNUM, htonl(HOOKS[i]));
		err = netlink_query(NETLINK_NETFILTER, &q.header, note_hook, &any);
		if (err)
			return err == -EINVAL ? -EOPNOTSUPP : err; /* no such subsystem */
	}
	return any;
}

/* A counter of IPv4: "PART:NAME". */
struct counter {
	const char *ipv4, *ipv6;
};

static const struct counter COUNTERS[] = {
#define COUNTER(name, ipv4, ipv6, text) { ipv4, ipv6 },
	STACK_LOSSES(COUNTER)
#undef COUNTER
};

/* Takes two lines, "PART: NAME NAME..." and "PART: VALUE VALUE...". */
static void take_pair(char *names, char *values, uint64_t *lost)
{
	char *name_at, *value_at, *name = strtok_r(names, " \n", &name_at);
	const char *part = name, *value = strtok_r(values, " \n", &value_at);

	while (name && value) {
		name = strtok_r(NULL, " \n", &name_at);
		value = strtok_r(NULL, " \n", &value_at);
		for (int i = 0; name && value && i < STACK_LOSSES_CNT; i++) {
			size_t len = strlen(part);

			if (!strncmp(COUNTERS[i].ipv4, part, len) &&
			    !strcmp(COUNTERS[i].ipv4 + len, name))
				lost[i] += strtoumax(value, NULL, 10);
		}
	}
}

static int read_ipv4(const char *path, uint64_t *lost)
{
	static char names[LINE_MAX_BYTES], values[LINE_MAX_BYTES];
	FILE *f = fopen(path, "re");

	if (!f)
		return -errno;
	while (fgets(names, sizeof(names), f) && fgets(values, sizeof(values), f))
		take_pair(names, values, lost);
	fclose(f);
	return 0;
}

/* Reads lines of "NAME VALUE". A kernel without IPv6 has no such file. */
static int read_ipv6(uint64_t *lost)
{
	FILE *f = fopen("/proc/self/net/snmp6", "re");
	char name[64];
	uint64_t value;

	if (!f)
		return errno == ENOENT ? 0 : -errno;
	while (fscanf(f, "%63s %" SCNu64, name, &value) == 2)
		for (int i = 0; i < STACK_LOSSES_CNT; i++)
			if (!strcmp(COUNTERS[i].ipv6, name))
				lost[i] += value;
	fclose(f);
	return 0;
}

int stack_losses(uint64_t lost[STACK_LOSSES_CNT])
{
	memset(lost, 0, STACK_LOSSES_CNT * sizeof(*lost));
	return read_ipv4("/proc/self/net/snmp", lost) ?:
	       read_ipv4("/proc/self/net/netstat", lost) ?:
	       read_ipv6(lost);
}

struct dump {
	void (*each)(const struct stack_socket *s, void *arg);
	void *arg;
};

static void read_address(const struct inet_diag_msg *d, struct in6_addr *out)
{
	memset(out, 0, sizeof(*out));
	if (d->idiag_family == AF_INET6) {
		memcpy(out, d->id.idiag_src, sizeof(*out));
	} else if (d->id.idiag_src[0]) {
		out->s6_addr[10] = out->s6_addr[11] = 0xff;
		out->s6_addr32[3] = d->id.idiag_src[0];
	}
}

static int take_socket(const struct nlmsghdr *m, void *arg)
{
	const struct inet_diag_msg *d = mnl_nlmsg_get_payload(m);
	const struct nlattr *a[INET_DIAG_SKMEMINFO + 1] = { NULL };
	const struct dump *to = arg;
	uint32_t memory[SK_MEMINFO_VARS] = { 0 };
	struct stack_socket s;

	netlink_attributes(m, sizeof(*d), a, INET_DIAG_SKMEMINFO);
	if (a[INET_DIAG_SKMEMINFO])
		memcpy(memory, mnl_attr_get_payload(a[INET_DIAG_SKMEMINFO]),
		       lesser(mnl_attr_get_payload_len(a[INET_DIAG_SKMEMINFO]), sizeof(memory)));
	s = (struct stack_socket){ .port = ntohs(d->id.idiag_sport),
				   .ifindex = d->id.idiag_if,
				   .inode = d->idiag_inode,
				   .buffer = memory[SK_MEMINFO_RCVBUF],
				   .dropped = memory[SK_MEMINFO_DROPS] };
	read_address(d, &s.address);
	to->each(&s, to->arg);
	return MNL_CB_OK;
}

int stack_each_socket(void (*each)(const struct stack_socket *s, void *arg), void *arg)
{
	static const uint8_t FAMILIES[] = { AF_INET, AF_INET6 };
	struct dump to = { each, arg };
	int err = 0;

	for (size_t i = 0; i < sizeof(FAMILIES) && !err; i++) {
		union netlink_request q;
		struct inet_diag_req_v2 *request =
			netlink_begin(&q, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, sizeof(*request));

		*request = (struct inet_diag_req_v2){ .sdiag_family = FAMILIES[i],
						      .sdiag_protocol = IPPROTO_UDP,
						      .idiag_ext = 1 << (INET_DIAG_SKMEMINFO - 1),
						      .idiag_states = UINT32_MAX };
		err = netlink_query(NETLINK_SOCK_DIAG, &q.header, take_socket, &to);
	}
	return err;
}

const char *stack_program_of(uint32_t inode, char buf[STACK_PROGRAM_MAX])
{
	char socket[32], target[64], path[64], name[17];
	glob_t fds = { 0 };

	snprintf(buf, STACK_PROGRAM_MAX, "a program");
	snprintf(socket, sizeof(socket), "socket:[%u]", inode);
	glob("/proc/[0-9]*/fd/*", GLOB_NOSORT, NULL, &fds);
	for (size_t i = 0; i < fds.gl_pathc; i++) {
		ssize_t len = readlink(fds.gl_pathv[i], target, sizeof(target) - 1);
		int pid = atoi(fds.gl_pathv[i] + strlen("/proc/"));
		FILE *f;

		target[len < 0 ? 0 : len] = '\0';
		if (strcmp(target, socket) != 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		f = fopen(path, "re");
		if (f && fscanf(f, "%16[^\n]", name) == 1)
			snprintf(buf, STACK_PROGRAM_MAX, "%s (%d)", name, pid);
		if (f)
			fclose(f);
		break;
	}
	globfree(&fds);
	return buf;
}
