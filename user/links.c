// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "links.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWER_MAX 65536 /* the kernel's parts of a dump have at most half of that */
#define DUMPS_MAX 10	 /* that a change in their midst may spoil */
#define DEPTH_MAX 16	 /* devices on top of each other; the kernel allows 8 */

/* Kinds of devices that get what comes in by the one below them. With others, IFLA_LINK is a
 * peer (veth) or where a tunnel's outer packets go.
 */
static const char *const UPPER_KINDS[] = { "vlan", "macvlan", "macvtap", "ipvlan", "ipvtap" };

static bool is_upper_kind(const char *kind)
{
	for (size_t i = 0; i < sizeof(UPPER_KINDS) / sizeof(UPPER_KINDS[0]); i++)
		if (!strcmp(kind, UPPER_KINDS[i]))
			return true;
	return false;
}

/* Points the attributes of up to `max` types at their places in a block of `len` bytes. */
static void index_attributes(const struct rtattr *first, int len, const struct rtattr **by_type,
			     unsigned int max)
{
	for (const struct rtattr *a = first; RTA_OK(a, len); a = RTA_NEXT(a, len))
		if ((a->rta_type & NLA_TYPE_MASK) <= max)
			by_type[a->rta_type & NLA_TYPE_MASK] = a;
}

static uint32_t u32_of(const struct rtattr *a)
{
	uint32_t value = 0;

	if (a && RTA_PAYLOAD(a) >= sizeof(value))
		memcpy(&value, RTA_DATA(a), sizeof(value));
	return value;
}

/* Copies a string attribute, cut at size, or "" where there is none. */
static void text_of(const struct rtattr *a, char *out, size_t size)
{
	size_t len = a ? strnlen(RTA_DATA(a), RTA_PAYLOAD(a)) : 0;

	if (len >= size)
		len = size - 1;
	if (len)
		memcpy(out, RTA_DATA(a), len);
	out[len] = 0;
}

static void kind_of(const struct rtattr *linkinfo, char *out, size_t size)
{
	const struct rtattr *info[IFLA_INFO_KIND + 1] = { NULL };

	if (linkinfo)
		index_attributes(RTA_DATA(linkinfo), RTA_PAYLOAD(linkinfo), info, IFLA_INFO_KIND);
	text_of(info[IFLA_INFO_KIND], out, size);
}

void links_parse(const struct nlmsghdr *message, struct link *out)
{
	const struct rtattr *a[IFLA_MAX + 1] = { NULL };
	const struct ifinfomsg *info = NLMSG_DATA(message);
	struct link l = { .index = info->ifi_index };
	char kind[32];

	index_attributes(IFLA_RTA(info), IFLA_PAYLOAD(message), a, IFLA_MAX);
	l.is_ethernet = info->ifi_type == ARPHRD_ETHER || info->ifi_type == ARPHRD_LOOPBACK;
	text_of(a[IFLA_IFNAME], l.name, sizeof(l.name));
	l.has_mac = a[IFLA_ADDRESS] && RTA_PAYLOAD(a[IFLA_ADDRESS]) == sizeof(l.mac);
	if (l.has_mac)
		memcpy(l.mac, RTA_DATA(a[IFLA_ADDRESS]), sizeof(l.mac));
	l.master = u32_of(a[IFLA_MASTER]);
	kind_of(a[IFLA_LINKINFO], kind, sizeof(kind));
	if (is_upper_kind(kind)) {
		l.is_on_other_netns = a[IFLA_LINK_NETNSID];
		l.below = l.is_on_other_netns ? 0 : u32_of(a[IFLA_LINK]);
	}
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

static int ask(int fd)
{
	struct {
		struct nlmsghdr header;
		struct ifinfomsg info;
	} request = {
		.header = { .nlmsg_len = sizeof(request),
			    .nlmsg_type = RTM_GETLINK,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.info = { .ifi_family = AF_UNSPEC },
	};

	return send(fd, &request, sizeof(request), 0) == sizeof(request) ? 0 : -errno;
}

/* One part of the answer. 1 if it was the last one, 0 if more follow, -EAGAIN if links changed
 * meanwhile, so that the whole may not fit together.
 */
static int take_part(const struct nlmsghdr *m, int len, struct links *l)
{
	for (; NLMSG_OK(m, (unsigned int)len); m = NLMSG_NEXT(m, len)) {
		int err = 0;

		if (m->nlmsg_flags & NLM_F_DUMP_INTR)
			return -EAGAIN;
		if (m->nlmsg_type == NLMSG_DONE)
			return 1;
		if (m->nlmsg_type == NLMSG_ERROR)
			err = ((const struct nlmsgerr *)NLMSG_DATA(m))->error ?: -EPROTO;
		else if (m->nlmsg_type == RTM_NEWLINK &&
			 m->nlmsg_len >= NLMSG_LENGTH(sizeof(struct ifinfomsg)))
			err = add_link(l, m);
		if (err)
			return err;
	}
	return 0;
}

static int dump(int fd, void *answer, struct links *l)
{
	int end = ask(fd);

	while (!end) {
		ssize_t len = recv(fd, answer, ANSWER_MAX, MSG_TRUNC);

		if (len < 0)
			end = -errno;
		else if (len == 0 || len > ANSWER_MAX)
			end = -EMSGSIZE;
		else
			end = take_part(answer, len, l);
	}
	return end < 0 ? end : 0;
}

static int dump_once(void *answer, struct links *out)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	struct links l = { 0 };
	int err;

	if (fd < 0)
		return -errno;
	err = dump(fd, answer, &l);
	close(fd);
	if (err)
		links_free(&l);
	*out = l;
	return err;
}

int links_read(struct links *out)
{
	void *answer = malloc(ANSWER_MAX);
	int err = answer ? -EAGAIN : -ENOMEM;

	*out = (struct links){ 0 };
	for (int i = 0; i < DUMPS_MAX && err == -EAGAIN; i++)
		err = dump_once(answer, out);
	free(answer);
	return err;
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

static bool is_on(const struct links *l, uint32_t upper, const struct link *lower, int depth)
{
	for (int i = 0; i < l->cnt && depth < DEPTH_MAX; i++) {
		const struct link *next = &l->list[i];

		if (is_directly_on(next, lower) &&
		    (next->index == upper || is_on(l, upper, next, depth + 1)))
			return true;
	}
	return false;
}

bool links_is_on(const struct links *l, uint32_t upper, uint32_t lower)
{
	const struct link *start = links_find(l, lower);

	return start && is_on(l, upper, start, 0);
}
