// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stack.h"

#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_hook.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netlink.h"

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
