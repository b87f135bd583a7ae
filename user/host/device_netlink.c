// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What netlink alone tells of a device, by libmnl, which the library does without. */
#include "device.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/sock_diag.h>
#include <linux/xdp_diag.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "netlink.h"

/* Of the generic netlink family "netdev", from Linux 6.3 on: newer than the headers of Debian 12. */
#define NETDEV_FAMILY "netdev"
#define NETDEV_DEV_GET 1	  /* a command */
#define NETDEV_DEV_IFINDEX 1	  /* attributes of its question and answer */
#define NETDEV_DEV_XDP_FEATURES 3 /* 64 bits, as enum netdev_xdp_act */

/* The attribute of this type in an answer, and where its first `size` bytes go. */
struct wanted {
	uint16_t type;
	void *out;
	size_t size;
	bool is_there;
};

static int take_wanted(const struct nlmsghdr *m, void *arg)
{
	const struct nlattr *a;
	struct wanted *w = arg;

	mnl_attr_for_each (a, m, GENL_HDRLEN) {
		if (mnl_attr_get_type(a) != w->type || mnl_attr_get_payload_len(a) < w->size)
			continue;
		memcpy(w->out, mnl_attr_get_payload(a), w->size);
		w->is_there = true;
	}
	return MNL_CB_OK;
}

union question {
	struct nlmsghdr header;
	char bytes[64];
};

/* Begins a question to a generic netlink family, to which attributes are added. */
static void begin_question(union question *q, uint16_t family, uint8_t command)
{
	struct genlmsghdr *genl;

	mnl_nlmsg_put_header(q->bytes);
	q->header.nlmsg_type = family;
	q->header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	genl = mnl_nlmsg_put_extra_header(&q->header, sizeof(*genl));
	*genl = (struct genlmsghdr){ .cmd = command, .version = 1 };
}

/* Returns 0; -EPROTO if the answer has not what is wanted; or the kernel's error. */
static int ask_wanted(const union question *q, struct wanted *wanted)
{
	int err = netlink_ask(NETLINK_GENERIC, &q->header, take_wanted, wanted);

	return err ?: wanted->is_there ? 0 : -EPROTO;
}

int device_xdp_features(int ifindex, uint64_t *features)
{
	uint16_t id = 0;
	struct wanted family = { .type = CTRL_ATTR_FAMILY_ID, .out = &id, .size = sizeof(id) };
	struct wanted xdp = { .type = NETDEV_DEV_XDP_FEATURES,
			      .out = features,
			      .size = sizeof(*features) };
	union question q;
	int err;

	begin_question(&q, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	mnl_attr_put_strz(&q.header, CTRL_ATTR_FAMILY_NAME, NETDEV_FAMILY);
	err = ask_wanted(&q, &family);
	if (err)
		return err;
	begin_question(&q, id, NETDEV_DEV_GET);
	mnl_attr_put_u32(&q.header, NETDEV_DEV_IFINDEX, (uint32_t)ifindex);
	return ask_wanted(&q, &xdp);
}

struct zerocopy {
	int ifindex;
	bool found;
};

/* One socket. The memory of one that is bound says to which interface. */
static int take_zerocopy(const struct nlmsghdr *m, void *arg)
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
	struct xdp_diag_req *request;
	union question q;
	int err;

	mnl_nlmsg_put_header(q.bytes);
	q.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
	q.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	request = mnl_nlmsg_put_extra_header(&q.header, sizeof(*request));
	*request = (struct xdp_diag_req){ .sdiag_family = AF_XDP, .xdiag_show = XDP_SHOW_UMEM };
	err = netlink_ask(NETLINK_SOCK_DIAG, &q.header, take_zerocopy, &z);
	return err ?: z.found;
}
