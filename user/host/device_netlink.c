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
#define NETDEV_FAMILY "netdev"
#define NETDEV_DEV_GET 1	  /* a command */
#define NETDEV_DEV_IFINDEX 1	  /* attributes of the request and the answer */
#define NETDEV_DEV_XDP_FEATURES 3 /* 64 bits, as enum netdev_xdp_act */

/* Receives the first `size` bytes of an answer's attribute of this type in *out. */
struct attribute {
	uint16_t type;
	void *out;
	size_t size;
	bool is_there;
};

static int copy_attribute(const struct nlmsghdr *m, void *arg)
{
	const struct nlattr *a;
	struct attribute *w = arg;

	mnl_attr_for_each (a, m, GENL_HDRLEN) {
		if (mnl_attr_get_type(a) != w->type || mnl_attr_get_payload_len(a) < w->size)
			continue;
		memcpy(w->out, mnl_attr_get_payload(a), w->size);
		w->is_there = true;
	}
	return MNL_CB_OK;
}

/* Returns 0; -EPROTO if the answer lacks the attribute; or the kernel's error. */
static int query_attribute(const union netlink_request *q, struct attribute *a)
{
	int err = netlink_query(NETLINK_GENERIC, &q->header, copy_attribute, a);

	return err ?: a->is_there ? 0 : -EPROTO;
}

int device_xdp_features(int ifindex, uint64_t *features)
{
	uint16_t id = 0;
	struct attribute family = { .type = CTRL_ATTR_FAMILY_ID, .out = &id, .size = sizeof(id) };
	struct attribute xdp = { .type = NETDEV_DEV_XDP_FEATURES,
				 .out = features,
				 .size = sizeof(*features) };
	union netlink_request q;
	int err;

	netlink_begin_generic(&q, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	mnl_attr_put_strz(&q.header, CTRL_ATTR_FAMILY_NAME, NETDEV_FAMILY);
	err = query_attribute(&q, &family);
	if (err)
		return err;
	netlink_begin_generic(&q, id, NETDEV_DEV_GET);
	mnl_attr_put_u32(&q.header, NETDEV_DEV_IFINDEX, (uint32_t)ifindex);
	return query_attribute(&q, &xdp);
}

struct zerocopy {
	int ifindex;
	bool found;
};

/* Checks one socket of the dump. The memory (umem) of a bound socket names its interface. */
static int check_zerocopy(const struct nlmsghdr *m, void *arg)
{
	struct zerocopy *z = arg;
	const struct nlattr *a;

	mnl_attr_for_each (a, m, sizeof(struct xdp_diag_msg)) {
		struct xdp_diag_umem memory;

		if (mnl_attr_get_type(a) != XDP_DIAG_UMEM ||
		    mnl_attr_get_payload_len(a) < sizeof(memory))
			continue;
		memcpy(&memory, mnl_attr_get_payload(a), sizeof(memory)); /* unaligned */
		z->found |= (int)memory.ifindex == z->ifindex && memory.flags & XDP_DU_F_ZEROCOPY;
	}
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
