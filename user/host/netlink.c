// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "netlink.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <stdio.h>
#include <stdlib.h>

#define ANSWER_MAX 65536 /* bytes; the kernel sends a dump in parts of at most half of that */

/* Handles the last message of an answer, NLMSG_ERROR or NLMSG_DONE, which begins with 0 or -errno.
 * libmnl's own callback for NLMSG_DONE ignores that number.
 */
static int answer_ended(const struct nlmsghdr *m, void *arg)
{
	const int *err = mnl_nlmsg_get_payload(m);

	(void)arg;
	errno = mnl_nlmsg_get_payload_len(m) < sizeof(*err) ? EPROTO : -*err;
	return errno ? MNL_CB_ERROR : MNL_CB_STOP;
}

/* Returns 0, or -errno. `answer` has ANSWER_MAX bytes. */
static int exchange_messages(struct mnl_socket *s, const struct nlmsghdr *request, void *answer,
			     mnl_cb_t each, void *arg)
{
	static mnl_cb_t control[] = { [NLMSG_ERROR] = answer_ended, [NLMSG_DONE] = answer_ended };
	ssize_t len = mnl_socket_sendto(s, request, request->nlmsg_len);
	int state = len < 0 ? MNL_CB_ERROR : MNL_CB_OK;

	while (state == MNL_CB_OK) {
		len = mnl_socket_recvfrom(s, answer, ANSWER_MAX);
		state = len < 0 ? MNL_CB_ERROR
				: mnl_cb_run2(answer, len, 0, 0, each, arg, control,
					      sizeof(control) / sizeof(control[0]));
	}
	return state == MNL_CB_ERROR ? -errno : 0;
}

int netlink_query(int protocol, const struct nlmsghdr *request, mnl_cb_t each, void *arg)
{
	void *answer = malloc(ANSWER_MAX);
	struct mnl_socket *s = answer ? mnl_socket_open2(protocol, SOCK_CLOEXEC) : NULL;
	int err = s ? exchange_messages(s, request, answer, each, arg) : -errno;

	if (s)
		mnl_socket_close(s);
	free(answer);
	return err == -EINTR ? -EAGAIN : err; /* libmnl's -EINTR: the dump was interrupted */
}

void *netlink_begin(union netlink_request *q, uint16_t type, uint16_t answer, size_t header)
{
	mnl_nlmsg_put_header(q->bytes);
	q->header.nlmsg_type = type;
	q->header.nlmsg_flags = NLM_F_REQUEST | answer;
	return mnl_nlmsg_put_extra_header(&q->header, header);
}

void netlink_begin_generic(union netlink_request *q, uint16_t family, uint8_t command)
{
	struct genlmsghdr *genl = netlink_begin(q, family, NLM_F_ACK, sizeof(*genl));

	*genl = (struct genlmsghdr){ .cmd = command, .version = 1 };
}

static int take_family(const struct nlmsghdr *m, void *arg)
{
	const struct nlattr *a[CTRL_ATTR_FAMILY_ID + 1] = { NULL };

	netlink_attributes(m, GENL_HDRLEN, a, CTRL_ATTR_FAMILY_ID);
	*(uint16_t *)arg = netlink_number(a[CTRL_ATTR_FAMILY_ID]);
	return MNL_CB_OK;
}

int netlink_family(const char *name)
{
	union netlink_request q;
	uint16_t id = 0;
	int err;

	netlink_begin_generic(&q, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	mnl_attr_put_strz(&q.header, CTRL_ATTR_FAMILY_NAME, name);
	err = netlink_query(NETLINK_GENERIC, &q.header, take_family, &id);
	return err ?: id ? id : -EPROTO;
}

static void index_attributes(const void *first, size_t len, const struct nlattr **by_type,
			     uint16_t max)
{
	const struct nlattr *attr;

	mnl_attr_for_each_payload (first, len)
		if (mnl_attr_get_type(attr) <= max)
			by_type[mnl_attr_get_type(attr)] = attr;
}

void netlink_attributes(const struct nlmsghdr *m, size_t header, const struct nlattr **by_type,
			uint16_t max)
{
	const char *first = mnl_nlmsg_get_payload_offset(m, header);
	const char *end = mnl_nlmsg_get_payload_tail(m);

	index_attributes(first, end > first ? end - first : 0, by_type, max);
}

void netlink_nested(const struct nlattr *a, const struct nlattr **by_type, uint16_t max)
{
	if (a)
		index_attributes(mnl_attr_get_payload(a), mnl_attr_get_payload_len(a), by_type, max);
}

uint64_t netlink_number(const struct nlattr *a)
{
	switch (a ? mnl_attr_get_payload_len(a) : 0) {
	case 1:
		return mnl_attr_get_u8(a);
	case 2:
		return mnl_attr_get_u16(a);
	case 4:
		return mnl_attr_get_u32(a);
	case 8:
		return mnl_attr_get_u64(a);
	default:
		return 0;
	}
}

void netlink_text(const struct nlattr *a, char *out, size_t size)
{
	if (a)
		snprintf(out, size, "%.*s", (int)mnl_attr_get_payload_len(a), mnl_attr_get_str(a));
}
