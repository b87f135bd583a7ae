// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "links.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <stdlib.h>
#include <string.h>

#include "netlink.h"

#define DUMPS_MAX 10 /* tries of a dump: links may change while the kernel sends it */
#define DEPTH_MAX 16 /* devices on top of each other; the kernel allows 8 */

/* Kinds of devices whose IFLA_LINK is the device below, which passes received packets up. The
 * IFLA_LINK of other kinds is a peer (veth), or the device that sends a tunnel's outer packets.
 */
static const char *const UPPER_KINDS[] = { "vlan", "macvlan", "macvtap", "ipvlan", "ipvtap" };

static bool is_upper_kind(const struct link *l)
{
	for (size_t i = 0; i < sizeof(UPPER_KINDS) / sizeof(UPPER_KINDS[0]); i++)
		if (!strcmp(l->kind, UPPER_KINDS[i]))
			return true;
	return false;
}

/* Returns the carrier of a tunnel device: IFLA_LINK, but for VXLAN an attribute of its own. */
static uint32_t carrier_of(const struct link *l, const struct nlattr *link, const struct nlattr *data)
{
	const struct nlattr *vxlan[IFLA_VXLAN_LINK + 1] = { NULL };

	if (strcmp(l->kind, "vxlan") != 0)
		return netlink_number(link);
	netlink_nested(data, vxlan, IFLA_VXLAN_LINK);
	return netlink_number(vxlan[IFLA_VXLAN_LINK]);
}

static void xdp_of(const struct nlattr *xdp, uint32_t ids[LINK_XDP_MAX])
{
	static const int TYPES[LINK_XDP_MAX] = {
		[LINK_XDP_ANY] = IFLA_XDP_PROG_ID,
		[LINK_XDP_NATIVE] = IFLA_XDP_DRV_PROG_ID,
		[LINK_XDP_SKB] = IFLA_XDP_SKB_PROG_ID,
		[LINK_XDP_HW] = IFLA_XDP_HW_PROG_ID,
	};
	const struct nlattr *info[IFLA_XDP_MAX + 1] = { NULL };

	netlink_nested(xdp, info, IFLA_XDP_MAX);
	for (int i = 0; i < LINK_XDP_MAX; i++)
		ids[i] = netlink_number(info[TYPES[i]]);
}

/* Reads rx_packets, the first field of struct rtnl_link_stats64. It is not aligned. */
static void read_received(const struct nlattr *stats, struct link *l)
{
	l->is_counted = stats && mnl_attr_get_payload_len(stats) >= sizeof(l->received);
	if (l->is_counted)
		memcpy(&l->received, mnl_attr_get_payload(stats), sizeof(l->received));
}

void links_parse(const struct nlmsghdr *message, struct link *out)
{
	const struct nlattr *a[IFLA_MAX + 1] = { NULL }, *of[IFLA_INFO_DATA + 1] = { NULL };
	const struct ifinfomsg *info = mnl_nlmsg_get_payload(message);
	struct link l = { .index = info->ifi_index };

	netlink_attributes(message, sizeof(*info), a, IFLA_MAX);
	l.is_ethernet = info->ifi_type == ARPHRD_ETHER || info->ifi_type == ARPHRD_LOOPBACK;
	netlink_text(a[IFLA_IFNAME], l.name, sizeof(l.name));
	l.has_mac = a[IFLA_ADDRESS] && mnl_attr_get_payload_len(a[IFLA_ADDRESS]) == sizeof(l.mac);
	if (l.has_mac)
		memcpy(l.mac, mnl_attr_get_payload(a[IFLA_ADDRESS]), sizeof(l.mac));
	l.master = netlink_number(a[IFLA_MASTER]);
	l.mtu = netlink_number(a[IFLA_MTU]);
	xdp_of(a[IFLA_XDP], l.xdp_ids);
	read_received(a[IFLA_STATS64], &l);
	l.is_up = info->ifi_flags & IFF_UP;
	netlink_nested(a[IFLA_LINKINFO], of, IFLA_INFO_DATA);
	netlink_text(of[IFLA_INFO_KIND], l.kind, sizeof(l.kind));
	l.is_on_other_netns = a[IFLA_LINK_NETNSID];
	if (!l.is_on_other_netns && is_upper_kind(&l))
		l.below = netlink_number(a[IFLA_LINK]);
	else if (!l.is_on_other_netns)
		l.carrier = carrier_of(&l, a[IFLA_LINK], of[IFLA_INFO_DATA]);
	*out = l;
}

static int add_link(struct links *l, const struct nlmsghdr *message)
{
	struct link *more = realloc(l->list, (l->cnt + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	l->list = more;
	links_parse(message, &l->list[l->cnt++]);
	return 0;
}

static int add_message(const struct nlmsghdr *m, void *arg)
{
	size_t len = mnl_nlmsg_get_payload_len(m);
	struct links *l = arg;
	int err = 0;

	if (m->nlmsg_type == RTM_NEWLINK)
		err = len < sizeof(struct ifinfomsg) ? -EPROTO : add_link(l, m);
	errno = -err;
	return err ? MNL_CB_ERROR : MNL_CB_OK;
}

int links_read(struct links *out)
{
	union netlink_request q;
	int err = -EAGAIN;

	*out = (struct links){ 0 };
	netlink_begin(&q, RTM_GETLINK, NLM_F_DUMP, sizeof(struct ifinfomsg));
	for (int i = 0; i < DUMPS_MAX && err == -EAGAIN; i++) {
		err = netlink_query(NETLINK_ROUTE, &q.header, add_message, out);
		if (err)
			links_free(out);
	}
	return err;
}

bool link_runs_xdp(const struct link *l, uint32_t prog_id)
{
	for (int i = 0; i < LINK_XDP_MAX; i++)
		if (l->xdp_ids[i] && (!prog_id || l->xdp_ids[i] == prog_id))
			return true;
	return false;
}

void links_free(struct links *l)
{
	free(l->list);
	*l = (struct links){ 0 };
}

const struct link *links_find(const struct links *l, uint32_t index)
{
	for (int i = 0; i < l->cnt; i++)
		if (l->list[i].index == index)
			return &l->list[i];
	return NULL;
}

static bool is_directly_on(const struct link *upper, const struct link *lower)
{
	return lower->master == upper->index || upper->below == lower->index;
}

/* Of all tunnel devices, only VXLAN is an upper device of its carrier to the kernel. */
static bool is_vxlan_on(const struct link *upper, const struct link *lower)
{
	return upper->carrier == lower->index && !strcmp(upper->kind, "vxlan");
}

const struct link *links_xdp_above(const struct links *l, uint32_t index)
{
	const struct link *lower = links_find(l, index);

	for (int i = 0; i < l->cnt && lower; i++)
		if ((is_directly_on(&l->list[i], lower) || is_vxlan_on(&l->list[i], lower)) &&
		    link_runs_xdp(&l->list[i], 0))
			return &l->list[i];
	return NULL;
}

static int walk(const struct links *l, bool goes_up, const struct link *from, links_fn each,
		void *arg, int depth)
{
	int found = 0;

	for (int i = 0; from && i < l->cnt && depth < DEPTH_MAX && !found; i++) {
		const struct link *next = &l->list[i];

		if (goes_up ? is_directly_on(next, from) : is_directly_on(from, next))
			found = each(next, arg) ?: walk(l, goes_up, next, each, arg, depth + 1);
	}
	return found;
}

int links_each_above(const struct links *l, uint32_t lower, links_fn each, void *arg)
{
	return walk(l, true, links_find(l, lower), each, arg, 0);
}

int links_each_below(const struct links *l, uint32_t upper, links_fn each, void *arg)
{
	return walk(l, false, links_find(l, upper), each, arg, 0);
}

static int has_index(const struct link *link, void *arg)
{
	return link->index == *(const uint32_t *)arg;
}

bool links_is_on(const struct links *l, uint32_t upper, uint32_t lower)
{
	return links_each_above(l, lower, has_index, &upper);
}

struct stacked links_find_stacked(const struct links *l, const uint32_t *indices, int cnt)
{
	for (int i = 0; i < cnt; i++)
		for (int j = 0; j < cnt; j++)
			if (links_is_on(l, indices[i], indices[j]))
				return (struct stacked){ links_find(l, indices[i]),
							 links_find(l, indices[j]) };
	return (struct stacked){ NULL, NULL };
}
