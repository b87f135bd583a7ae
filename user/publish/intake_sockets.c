// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "intake.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include "diag.h"
#include "fd.h"

#define BATCH 16
#define CONTROL_MAX 256
#define BUFFER_BYTES (8 << 20) /* a socket's buffer, for datagrams between two reads */

static void set(int fd, int level, int option, int value)
{
	(void)!setsockopt(fd, level, option, &value, sizeof(value));
}

/* Requests each datagram's destination and time as ancillary data. Also requests datagrams of
 * groups that other sockets have joined: an IPv6 socket needs IP_MULTICAST_ALL for those of IPv4.
 */
static void set_options(int fd, sa_family_t family)
{
	int bytes = BUFFER_BYTES;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		set(fd, SOL_SOCKET, SO_RCVBUF, bytes);
	set(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
	set(fd, IPPROTO_IP, IP_MULTICAST_ALL, 1);
	if (family == AF_INET) {
		set(fd, IPPROTO_IP, IP_PKTINFO, 1);
		return;
	}
	set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	set(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
}

/* Opens a socket at this address. Returns it, or -errno. */
static int bind_address(const void *address, socklen_t len)
{
	sa_family_t family = ((const struct sockaddr *)address)->sa_family;
	int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err;

	if (fd < 0)
		return -errno;
	set_options(fd, family);
	if (!bind(fd, address, len))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* Opens a socket; [::] is all addresses, of IPv6 and IPv4 if the host has both. Returns it, or
 * -errno.
 */
static int open_socket(struct intake *in, const struct socket_address *at)
{
	const struct sockaddr_in6 *six = (const void *)&at->addr;
	const struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = six->sin6_port };
	int fd = bind_address(six, at->len), err;
	bool is_any = six->sin6_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr);

	if (is_any && (fd == -EAFNOSUPPORT || fd == -EADDRNOTAVAIL))
		fd = bind_address(&four, sizeof(four));
	err = fd < 0 ? 0 : intake_watch(in, fd);
	if (!err)
		return fd;
	close(fd);
	return err;
}

/* Returns a socket that has joined the group; or -errno. */
static int join(const struct socket_address *group, uint32_t ifindex)
{
	struct group_req r = { .gr_interface = ifindex, .gr_group = group->addr };
	int level = group->addr.ss_family == AF_INET ? IPPROTO_IP : IPPROTO_IPV6;
	int fd = socket(group->addr.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0 || !setsockopt(fd, level, MCAST_JOIN_GROUP, &r, sizeof(r)))
		return fd < 0 ? -errno : fd;
	err = -errno;
	close(fd);
	return err;
}

/* Returns an address, IPv4 if it is ::ffff:a.b.c.d. */
static struct socket_address make_address(const struct in6_addr *of, uint16_t port)
{
	struct socket_address at = { .len = sizeof(struct sockaddr_in6) };
	struct sockaddr_in6 *six = (void *)&at.addr;
	struct sockaddr_in *four = (void *)&at.addr;

	*six = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(port) };
	if (!IN6_IS_ADDR_V4MAPPED(of)) {
		six->sin6_addr = *of;
		return at;
	}
	four->sin_family = AF_INET;
	memcpy(&four->sin_addr, of->s6_addr + 12, sizeof(four->sin_addr));
	return at;
}

/* Wants a socket, until the next sweep(). Returns it, not open if it is new; NULL: no room. */
static struct intake_socket *mark_needed(struct intake_sockets *l, int most,
					 const struct socket_address *at, uint32_t ifindex)
{
	struct intake_socket *s = l->list, *end = s + l->cnt;

	while (s < end && (s->ifindex != ifindex || memcmp(&s->at.addr, &at->addr, sizeof(at->addr))))
		s++;
	if (s == end && l->cnt == most)
		return NULL;
	if (s == end)
		l->list[l->cnt++] = (struct intake_socket){ .at = *at, .ifindex = ifindex, .fd = -1 };
	s->is_needed = true;
	return s;
}

/* Closes the sockets that were not wanted since the last call. */
static void sweep(struct intake_sockets *l)
{
	int kept = 0;

	for (int i = 0; i < l->cnt; i++) {
		if (l->list[i].is_needed)
			l->list[kept++] = l->list[i];
		else
			fd_close(l->list[i].fd);
	}
	l->cnt = kept;
	for (int i = 0; i < kept; i++)
		l->list[i].is_needed = false;
}

static bool has_queue(const struct intake *in)
{
	for (const struct intake_queue *q = in->queues; q < in->queues + INTAKE_QUEUES_MAX; q++)
		if (q->receiver)
			return true;
	return false;
}

/* Opens a socket, unless it is open: again, if another program used its port before. Returns 0;
 * -errno (logged once) if it cannot be opened, and is required, as it is without AF_XDP; or -E2BIG.
 */
static int listen_on(struct intake *in, const struct socket_address *at)
{
	bool is_required = in->options->listen_cnt || !has_queue(in);
	uint16_t port = ntohs(((const struct sockaddr_in *)&at->addr)->sin_port);
	int before = in->sockets.cnt;
	struct intake_socket *s = mark_needed(&in->sockets, INTAKE_SOCKETS_MAX, at, 0);

	if (!s || s->fd >= 0)
		return s ? 0 : -E2BIG;
	s->fd = open_socket(in, at);
	if (s->fd >= 0 && before == in->sockets.cnt)
		diag_note("UDP port %u is open now", port);
	if (s->fd >= 0 || before == in->sockets.cnt)
		return 0;
	if (is_required)
		return diag_err(s->fd, "UDP port %u: %s", port, strerror(-s->fd));
	diag_note("UDP port %u: %s; packets without room in an AF_XDP socket are not published",
		  port, strerror(-s->fd));
	return 0;
}

/* Opens the ports of a stream. Returns 0; or the -errno of a port that cannot be opened. */
static int listen_on_ports(struct intake *in, const struct xdp_dedup_stream *s)
{
	int err = 0;

	for (uint32_t i = 0; i < s->ports_cnt; i++)
		for (uint32_t p = s->ports[i].first; p <= s->ports[i].last && err != -E2BIG; p++) {
			const struct socket_address at = make_address(&in6addr_any, p);
			int failed = listen_on(in, &at);

			if (failed)
				err = failed;
		}
	return err;
}

static int listen_on_all(struct intake *in)
{
	int err = 0;

	for (int i = 0; i < in->options->listen_cnt && !err; i++)
		err = listen_on(in, &in->options->listen[i]);
	for (int i = 0; !in->options->listen_cnt && i < in->streams->cnt; i++)
		if (in->streams->now[i]->is_published) {
			int failed = listen_on_ports(in, &in->streams->listed[i]);

			if (failed)
				err = failed;
		}
	return err;
}

/* Joins the groups of all streams on all interfaces. Returns 0, or the first -errno; -EAGAIN: the
 * interfaces are unknown now.
 */
static int join_groups(struct intake *in)
{
	struct xdp_dedup_interface on[INTAKE_QUEUES_MAX];
	const struct publish_streams *s = in->streams;
	int cnt = in->sockets.cnt
			  ? xdp_dedup_interfaces(s->filter, on, sizeof(*on), INTAKE_QUEUES_MAX)
			  : 0;
	int err = cnt < 0 ? -EAGAIN : 0;

	for (int i = 0; i < s->cnt; i++)
		for (uint32_t g = 0; g < s->listed[i].groups_cnt; g++)
			for (int n = 0; n < cnt && n < INTAKE_QUEUES_MAX; n++) {
				const struct socket_address at =
					make_address(&s->listed[i].groups[g], 0);
				struct intake_socket *one =
					mark_needed(&in->groups, INTAKE_GROUPS_MAX, &at, on[n].index);

				if (one && one->fd < 0)
					one->fd = join(&at, on[n].index);
				err = err ?: !one ? -E2BIG : one->fd < 0 ? one->fd : 0;
			}
	return err;
}

/* Opens what is wanted, and closes the rest. Without descriptors, no group is left before there are
 * some for those that replace it. Returns what open_all() returned last.
 */
static int refresh(struct intake *in, struct intake_sockets *l, int (*open_all)(struct intake *))
{
	int err = open_all(in);
	bool waits = err == -EMFILE || err == -ENFILE || err == -EAGAIN;

	if (!waits || l == &in->sockets)
		sweep(l);
	return err == -E2BIG ? open_all(in) : err; /* now there may be room */
}

int intake_sockets_refresh(struct intake *in)
{
	int err, failed;

	if (!in->streams->cnt)
		return 0; /* they are unknown now */
	err = refresh(in, &in->sockets, listen_on_all);
	if (err == -E2BIG && !in->logged_ports)
		diag_err(0, "filter %s has more than %d ports" ADVICE "--listen names those to open",
			 in->options->filter, INTAKE_SOCKETS_MAX);
	in->logged_ports = err == -E2BIG;
	failed = refresh(in, &in->groups, join_groups);
	if (failed == -EAGAIN)
		return err;
	if (failed && !in->logged_groups)
		diag_note("a multicast group cannot be joined: %s", strerror(-failed));
	in->logged_groups = failed != 0;
	return err;
}

void intake_sockets_close(struct intake *in)
{
	for (int i = 0; i < 2; i++) { /* the second time, nothing is wanted */
		sweep(&in->sockets);
		sweep(&in->groups);
	}
}

/* Takes a datagram of `len` bytes that came to this port; its ancillary data has the rest. */
static void take_datagram(struct intake *in, struct msghdr *m, size_t len, in_port_t port,
			  intake_fn fn, void *arg)
{
	const union intake_address *from = m->msg_name;
	union intake_address to = { .ipv6 = { .sin6_family = from->any.sa_family,
					      .sin6_port = port } };
	const struct xdp_dedup_datagram d = {
		.payload = m->msg_iov->iov_base,
		.payload_len = len,
		.from = &from->any,
		.to = &to.any,
	};
	struct intake_event found = { .payload = d.payload, .len = len, .from = *from };
	struct timespec time = { 0 };
	bool is_hidden;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		const void *data = CMSG_DATA(c);

		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS)
			memcpy(&time, data, sizeof(time));
		else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO)
			to.ipv6.sin6_addr = ((const struct in6_pktinfo *)data)->ipi6_addr;
		else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO)
			to.ipv4.sin_addr = ((const struct in_pktinfo *)data)->ipi_addr;
	}
	if (!time.tv_sec)
		clock_gettime(CLOCK_REALTIME, &time);
	found.arrival_ns = time.tv_sec * 1000000000ULL + time.tv_nsec;
	found.received_ns = found.arrival_ns - in->clock_offset_ns;
	is_hidden = intake_keep(in, &d, &found, fn, arg) == -ENODATA;
	if (is_hidden && !in->logged_stream)
		diag_note("datagrams of UDP sockets are not published if a stream before theirs reads more than the payload" ADVICE
			  "name that stream last in --profile");
	in->logged_stream |= is_hidden;
}

void intake_sockets_count_overflow(struct intake *in)
{
	for (int i = 0; i < in->sockets.cnt; i++) {
		struct intake_socket *s = &in->sockets.list[i];
		uint32_t facts[SK_MEMINFO_VARS];
		socklen_t len = sizeof(facts);

		if (s->fd < 0 || getsockopt(s->fd, SOL_SOCKET, SO_MEMINFO, facts, &len))
			continue;
		in->counters.overflow += facts[SK_MEMINFO_DROPS] - s->overflow;
		s->overflow = facts[SK_MEMINFO_DROPS];
	}
}

uint32_t intake_sockets_take(struct intake *in, struct intake_socket *s, uint32_t most,
			     intake_fn fn, void *arg)
{
	static uint8_t bytes[BATCH][INTAKE_PAYLOAD_MAX];
	static char control[BATCH][CONTROL_MAX] __attribute__((aligned(8)));
	union intake_address from[BATCH];
	struct mmsghdr m[BATCH] = { 0 };
	struct iovec at[BATCH];
	in_port_t port = ((const struct sockaddr_in *)&s->at.addr)->sin_port;
	int cnt;

	for (int i = 0; i < BATCH; i++) {
		at[i] = (struct iovec){ bytes[i], INTAKE_PAYLOAD_MAX };
		m[i].msg_hdr = (struct msghdr){ .msg_name = &from[i],
						.msg_namelen = sizeof(from[i]),
						.msg_iov = &at[i],
						.msg_iovlen = 1,
						.msg_control = control[i],
						.msg_controllen = CONTROL_MAX };
	}
	cnt = s->fd < 0 ? 0 : recvmmsg(s->fd, m, most < BATCH ? most : BATCH, MSG_DONTWAIT, NULL);
	for (int i = 0; i < cnt; i++)
		take_datagram(in, &m[i].msg_hdr, m[i].msg_len, port, fn, arg);
	return cnt > 0 ? cnt : 0;
}
