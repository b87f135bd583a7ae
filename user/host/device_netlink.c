// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Properties that only netlink reports: in a file of their own, as the library lacks libmnl. */
#include "device.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/sock_diag.h>
#include <linux/xdp_diag.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "netlink.h"

/* The generic netlink family "netdev", since Linux 6.3: the headers of Debian 12 lack it. */
#define NETDEV_DEV_GET 1	  /* a command */
#define NETDEV_DEV_IFINDEX 1	  /* attributes of the request and the answer */
#define NETDEV_DEV_XDP_FEATURES 3 /* 64 bits, as enum netdev_xdp_act */

static int take_features(const struct nlmsghdr *m, void *arg)
{
	const struct nlattr *a[NETDEV_DEV_XDP_FEATURES + 1] = { NULL };

	netlink_attributes(m, GENL_HDRLEN, a, NETDEV_DEV_XDP_FEATURES);
	*(uint64_t *)arg = netlink_number(a[NETDEV_DEV_XDP_FEATURES]);
	errno = EPROTO;
	return a[NETDEV_DEV_XDP_FEATURES] ? MNL_CB_OK : MNL_CB_ERROR;
}

int device_xdp_features(int ifindex, uint64_t *features)
{
	int family = netlink_family("netdev");
	union netlink_request q;

	if (family < 0)
		return family;
	netlink_begin_generic(&q, family, NETDEV_DEV_GET);
	mnl_attr_put_u32(&q.header, NETDEV_DEV_IFINDEX, (uint32_t)ifindex);
	return netlink_query(NETLINK_GENERIC, &q.header, take_features, features);
}

struct zerocopy {
	int ifindex;
	bool found;
};

/* Checks one socket of the dump. The memory (umem) of a bound socket names its interface. */
static int check_zerocopy(const struct nlmsghdr *m, void *arg)
{
	const struct nlattr *a[XDP_DIAG_UMEM + 1] = { NULL };
	struct xdp_diag_umem memory;
	struct zerocopy *z = arg;

	netlink_attributes(m, sizeof(struct xdp_diag_msg), a, XDP_DIAG_UMEM);
	if (!a[XDP_DIAG_UMEM] || mnl_attr_get_payload_len(a[XDP_DIAG_UMEM]) < sizeof(memory))
		return MNL_CB_OK;
	memcpy(&memory, mnl_attr_get_payload(a[XDP_DIAG_UMEM]), sizeof(memory)); /* unaligned */
	z->found |= (int)memory.ifindex == z->ifindex && memory.flags & XDP_DU_F_ZEROCOPY;
	return MNL_CB_OK;
}

int device_has_zerocopy_sockets(int ifindex)
{
	struct zerocopy z = { .ifindex = ifindex };
	union netlink_request q;
	struct xdp_diag_req *request =
		netlink_begin(&q, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, sizeof(*request));
	int err;

	*request = (struct xdp_diag_req){ .sdiag_family = AF_XDP, .xdiag_show = XDP_SHOW_UMEM };
	err = netlink_query(NETLINK_SOCK_DIAG, &q.header, check_zerocopy, &z);
	return err ?: z.found;
}
