// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "links.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netns.h"

#define ANSWER_MAX 65536 /* bytes; the kernel sends a dump in parts of at most half of that */
#define DUMPS_MAX 10	 /* how often a dump is tried: links may change while it is sent */
#define DEPTH_MAX 16	 /* devices on top of each other; the kernel allows 8 */
#define HERE (-1)	 /* this network namespace, where an nsid is expected: ids are from 0 on */
#define ENDING_MS 3000	 /* how long a namespace that is being deleted may take to end */

/* Kinds of devices whose IFLA_LINK is the device below them, which hands them what comes in. With
 * others IFLA_LINK is a peer (veth), or the device that a tunnel's outer packets go to.
 */
static const char *const UPPER_KINDS[] = { "vlan", "macvlan", "macvtap", "ipvlan", "ipvtap" };

static bool is_upper_kind(const char *kind)
{
	for (size_t i = 0; i < sizeof(UPPER_KINDS) / sizeof(UPPER_KINDS[0]); i++)
		if (!strcmp(kind, UPPER_KINDS[i]))
			return true;
	return false;
}

/* Points by_type[T] at the attribute of type T, for types 0 to `max`, among the attributes in `len`
 * bytes from `first` on.
 */
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

static void xdp_of(const struct rtattr *xdp, uint32_t ids[LINK_XDP_MAX])
{
	static const int TYPES[LINK_XDP_MAX] = {
		[LINK_XDP_ANY] = IFLA_XDP_PROG_ID,
		[LINK_XDP_NATIVE] = IFLA_XDP_DRV_PROG_ID,
		[LINK_XDP_SKB] = IFLA_XDP_SKB_PROG_ID,
		[LINK_XDP_HW] = IFLA_XDP_HW_PROG_ID,
	};
	const struct rtattr *info[IFLA_XDP_MAX + 1] = { NULL };

	if (xdp)
		index_attributes(RTA_DATA(xdp), RTA_PAYLOAD(xdp), info, IFLA_XDP_MAX);
	for (int i = 0; i < LINK_XDP_MAX; i++)
		ids[i] = u32_of(info[TYPES[i]]);
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
	xdp_of(a[IFLA_XDP], l.xdp_ids);
	kind_of(a[IFLA_LINKINFO], kind, sizeof(kind));
	if (is_upper_kind(kind)) {
		l.is_on_other_netns = a[IFLA_LINK_NETNSID];
		l.below = l.is_on_other_netns ? 0 : u32_of(a[IFLA_LINK]);
	}
	*out = l;
}

/* A request for a dump of links or of namespace ids, and what the kernel has answered so far. */
struct dump {
	struct {
		struct nlmsghdr header;
		union {
			struct ifinfomsg info; /* RTM_GETLINK */
			struct rtgenmsg gen;   /* RTM_GETNSID */
			struct {
				uint32_t gen;
				struct rtattr thread;
				uint32_t tid;
			} of; /* the same, for one namespace */
		};
		struct rtattr netns; /* for the links of another namespace */
		int32_t nsid;
	} request;
	struct links links;
	int32_t *nsids;
	int nsids_cnt;
};

static struct dump dump_links(int32_t nsid)
{
	struct dump d = { .request = {
				  .header = { .nlmsg_len = offsetof(typeof(d.request), netns),
					      .nlmsg_type = RTM_GETLINK,
					      .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
				  .netns = { .rta_len = RTA_LENGTH(sizeof(nsid)),
					     .rta_type = IFLA_TARGET_NETNSID },
				  .nsid = nsid,
			  } };

	if (nsid != HERE)
		d.request.header.nlmsg_len = sizeof(d.request);
	return d;
}

static struct dump dump_nsids(void)
{
	return (struct dump){ .request.header = { .nlmsg_len = NLMSG_LENGTH(sizeof(struct rtgenmsg)),
						  .nlmsg_type = RTM_GETNSID,
						  .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP } };
}

/* Asks for the id of this namespace itself. */
static struct dump dump_own_nsid(void)
{
	return (struct dump){ .request = {
				      .header = { .nlmsg_len = NLMSG_LENGTH(
							  sizeof(((struct dump *)0)->request.of)),
						  .nlmsg_type = RTM_GETNSID,
						  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
				      .of = { .thread = { .rta_len = RTA_LENGTH(sizeof(uint32_t)),
							  .rta_type = NETNSA_PID },
					      .tid = gettid() },
			      } };
}

static void dump_free(struct dump *d)
{
	links_free(&d->links);
	free(d->nsids);
	d->nsids = NULL;
	d->nsids_cnt = 0;
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

static int add_nsid(struct dump *d, const struct nlmsghdr *message)
{
	const struct rtattr *a[NETNSA_NSID + 1] = { NULL };
	const char *attributes = (char *)NLMSG_DATA(message) + NLMSG_ALIGN(sizeof(struct rtgenmsg));
	int32_t *more = realloc(d->nsids, (d->nsids_cnt + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	d->nsids = more;
	index_attributes((const void *)attributes,
			 NLMSG_PAYLOAD(message, NLMSG_ALIGN(sizeof(struct rtgenmsg))), a,
			 NETNSA_NSID);
	if (!a[NETNSA_NSID])
		return -EPROTO;
	d->nsids[d->nsids_cnt++] = u32_of(a[NETNSA_NSID]);
	return 0;
}

/* Adds one part of the answer to *d. 1 if it was the last part, or all is acknowledged; 0 if more
 * follow; -EAGAIN if links changed meanwhile, so that the parts may contradict each other.
 */
static int take_part(const struct nlmsghdr *m, int len, struct dump *d)
{
	for (; NLMSG_OK(m, (unsigned int)len); m = NLMSG_NEXT(m, len)) {
		int err = 0;

		if (m->nlmsg_flags & NLM_F_DUMP_INTR)
			return -EAGAIN;
		if (m->nlmsg_type == NLMSG_DONE)
			return 1;
		if (m->nlmsg_type == NLMSG_ERROR)
			return ((const struct nlmsgerr *)NLMSG_DATA(m))->error ?: 1;
		if (m->nlmsg_type == RTM_NEWLINK &&
		    m->nlmsg_len >= NLMSG_LENGTH(sizeof(struct ifinfomsg)))
			err = add_link(&d->links, m);
		else if (m->nlmsg_type == RTM_NEWNSID &&
			 m->nlmsg_len >= NLMSG_LENGTH(sizeof(struct rtgenmsg)))
			err = add_nsid(d, m);
		if (err)
			return err;
	}
	return 0;
}

static int ask(int fd, const struct dump *d)
{
	ssize_t len = d->request.header.nlmsg_len;

	return send(fd, &d->request, len, 0) == len ? 0 : -errno;
}

/* `answer` has ANSWER_MAX bytes. */
static int receive(int fd, void *answer, struct dump *d)
{
	int end = ask(fd, d);

	while (!end) {
		ssize_t len = recv(fd, answer, ANSWER_MAX, MSG_TRUNC);

		if (len < 0)
			end = -errno;
		else if (len == 0 || len > ANSWER_MAX)
			end = -EMSGSIZE;
		else
			end = take_part(answer, len, d);
	}
	return end < 0 ? end : 0;
}

static int dump_once(void *answer, struct dump *d)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int err;

	if (fd < 0)
		return -errno;
	err = receive(fd, answer, d);
	close(fd);
	if (err)
		dump_free(d);
	return err;
}

/* 0, and the caller frees *d with dump_free(); -errno, and *d holds nothing to free. */
static int dump(struct dump *d)
{
	void *answer = malloc(ANSWER_MAX);
	int err = answer ? -EAGAIN : -ENOMEM;

	for (int i = 0; i < DUMPS_MAX && err == -EAGAIN; i++)
		err = dump_once(answer, d);
	free(answer);
	return err;
}

int links_read(struct links *out)
{
	struct dump d = dump_links(HERE);
	int err = dump(&d);

	*out = d.links;
	return err;
}

bool link_runs_xdp(const struct link *l, uint32_t prog_id)
{
	for (int i = 0; i < LINK_XDP_MAX; i++)
		if (l->xdp_ids[i] == prog_id)
			return true;
	return false;
}

/* links_run_xdp() for one namespace alone: HERE, or one that has this id here. */
static int run_xdp_in(int32_t nsid, uint32_t prog_id)
{
	struct dump d = dump_links(nsid);
	int found = dump(&d);

	for (int i = 0; i < d.links.cnt && !found; i++)
		found = link_runs_xdp(&d.links.list[i], prog_id);
	dump_free(&d);
	return found;
}

/* The same for the others that have an id here. This one has, too, once another was asked for links
 * whose peers are here.
 */
static int run_xdp_by_ids(uint32_t prog_id)
{
	struct dump own = dump_own_nsid(), d = dump_nsids();
	int found = dump(&own) ?: dump(&d);

	for (int i = 0; i < d.nsids_cnt && !found; i++)
		if (!own.nsids_cnt || d.nsids[i] != own.nsids[0])
			found = run_xdp_in(d.nsids[i], prog_id);
	dump_free(&own);
	dump_free(&d);
	return found;
}

/* The same for this one alone. */
static int run_xdp_here(uint32_t prog_id)
{
	return run_xdp_in(HERE, prog_id);
}

/* The same for both. */
static int run_xdp_with_ids(uint32_t prog_id)
{
	return run_xdp_here(prog_id) ?: run_xdp_by_ids(prog_id);
}

/* The same. A namespace that is being deleted still has its id, but cannot be asked (-EINVAL):
 * waits until it has ended.
 */
static int run_xdp(uint32_t prog_id)
{
	int found = run_xdp_with_ids(prog_id);

	for (int ms = 0; ms < ENDING_MS && found == -EINVAL; ms += 10) {
		usleep(10000);
		found = run_xdp_with_ids(prog_id);
	}
	return found;
}

/* The same for all others: runs() in each. -EXDEV if some cannot be looked at. */
static int run_xdp_in_others(int (*runs)(uint32_t), uint32_t prog_id)
{
	int found = netns_ask_others(runs, prog_id);

	return found < 0 ? -EXDEV : found;
}

int links_run_xdp(uint32_t prog_id)
{
	return run_xdp(prog_id) ?: run_xdp_in_others(run_xdp, prog_id);
}

int links_run_xdp_elsewhere(uint32_t prog_id)
{
	return run_xdp_by_ids(prog_id) ?: run_xdp_in_others(run_xdp_here, prog_id);
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

bool link_has_xdp(const struct link *l)
{
	for (int i = 0; i < LINK_XDP_MAX; i++)
		if (l->xdp_ids[i])
			return true;
	return false;
}

const struct link *links_xdp_above(const struct links *l, uint32_t index)
{
	const struct link *lower = links_find(l, index);

	for (int i = 0; i < l->cnt && lower; i++)
		if (is_directly_on(&l->list[i], lower) && link_has_xdp(&l->list[i]))
			return &l->list[i];
	return NULL;
}

/* A walk from one device to all above it, or below it. */
struct walk {
	const struct links *links;
	bool goes_up;
	links_fn each;
	void *arg;
};

static int walk_from(const struct walk *w, const struct link *from, int depth)
{
	int found = 0;

	for (int i = 0; i < w->links->cnt && depth < DEPTH_MAX && !found; i++) {
		const struct link *next = &w->links->list[i];

		if (w->goes_up ? is_directly_on(next, from) : is_directly_on(from, next))
			found = w->each(next, w->arg) ?: walk_from(w, next, depth + 1);
	}
	return found;
}

int links_each_above(const struct links *l, uint32_t lower, links_fn each, void *arg)
{
	const struct walk w = { l, true, each, arg };
	const struct link *start = links_find(l, lower);

	return start ? walk_from(&w, start, 0) : 0;
}

int links_each_below(const struct links *l, uint32_t upper, links_fn each, void *arg)
{
	const struct walk w = { l, false, each, arg };
	const struct link *start = links_find(l, upper);

	return start ? walk_from(&w, start, 0) : 0;
}

static int has_index(const struct link *link, void *arg)
{
	return link->index == *(const uint32_t *)arg;
}

bool links_is_on(const struct links *l, uint32_t upper, uint32_t lower)
{
	return links_each_above(l, lower, has_index, &upper);
}
