// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "intake_sockets.h"

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
	set(fd, IPPROTO_IP, IP_PKTINFO, 1);
	set(fd, IPPROTO_IP, IP_MULTICAST_ALL, 1);
	if (family != AF_INET6)
		return;
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

static struct socket_address all_addresses(uint16_t port)
{
	const struct sockaddr_in6 any = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	struct socket_address at = { .len = sizeof(any) };

	memcpy(&at.addr, &any, sizeof(any));
	return at;
}

/* Adds a socket. Returns 0; or -errno (logged) if the socket is required. */
static int add_socket(struct intake *in, const struct socket_address *at)
{
	bool is_required = in->options->listen_cnt || in->options->receive == PUBLISH_UDP;
	uint16_t port = ntohs(((const struct sockaddr_in *)&at->addr)->sin_port);
	int fd = open_socket(in, at);

	if (fd < 0 && is_required)
		diag_err(fd, "UDP port %u: %s", port, strerror(-fd));
	else if (fd < 0)
		diag_note("UDP port %u: %s; packets without room in an AF_XDP socket are not published",
			  port, strerror(-fd));
	in->sockets[in->sockets_cnt++] =
		(struct intake_socket){ .fd = fd < 0 ? -1 : fd, .port = port };
	return fd < 0 && is_required ? fd : 0;
}

static int open_listed(struct intake *in)
{
	int err = 0;

	for (int i = 0; i < in->options->listen_cnt && !err; i++)
		err = add_socket(in, &in->options->listen[i]);
	return err;
}

/* Opens a port of a stream, unless it is open: again, if another program used it before. Returns 0,
 * or -errno (logged once).
 */
static int add_port(struct intake *in, uint16_t port)
{
	const struct socket_address at = all_addresses(port);
	struct intake_socket *s = in->sockets, *end = s + in->sockets_cnt;

	while (s < end && s->port != port)
		s++;
	if (s < end && s->fd < 0) {
		s->fd = open_socket(in, &at);
		if (s->fd >= 0)
			diag_note("UDP port %u is open now", port);
	}
	if (s < end)
		return 0;
	if (in->sockets_cnt < INTAKE_SOCKETS_MAX)
		return add_socket(in, &at);
	if (!in->logged_ports)
		diag_err(0, "filter %s has more than %d ports" ADVICE "--listen names those to open",
			 in->options->filter, INTAKE_SOCKETS_MAX);
	in->logged_ports = true;
	return -E2BIG;
}

/* Opens the ports of a stream. Returns 0; or the -errno of a port that cannot be opened. -E2BIG:
 * the table of sockets is full.
 */
static int open_ports(struct intake *in, const struct xdp_dedup_stream *s)
{
	int err = 0;

	for (uint32_t i = 0; i < s->ports_cnt && err != -E2BIG; i++)
		for (uint32_t p = s->ports[i].first; p <= s->ports[i].last && err != -E2BIG; p++) {
			int failed = add_port(in, p);

			if (failed)
				err = failed;
		}
	return err;
}

/* Joins the groups of all streams on all interfaces. Returns 0, or the first -errno; -EAGAIN: the
 * streams or interfaces are unknown now.
 */
static int join_groups(struct intake *in)
{
	struct xdp_dedup_interface at[INTAKE_QUEUES_MAX];
	const struct publish_streams *s = in->streams;
	int cnt = xdp_dedup_interfaces(s->filter, at, sizeof(*at), INTAKE_QUEUES_MAX);
	int err = cnt < 0 || !s->cnt ? -EAGAIN : 0;

	for (int i = 0; i < s->cnt; i++)
		for (uint32_t g = 0; g < s->listed[i].groups_cnt; g++)
			for (int n = 0; n < cnt && n < INTAKE_QUEUES_MAX; n++) {
				int failed = intake_groups_want(&in->groups, &s->listed[i].groups[g],
								at[n].index);

				err = err ?: failed;
			}
	return err;
}

void intake_sockets_join(struct intake *in)
{
	int err = in->sockets_cnt ? join_groups(in) : 0;

	if (err == -EAGAIN)
		return;
	/* Without descriptors no group is left before there are sockets for those that replace it. */
	if (err != -EMFILE && err != -ENFILE)
		intake_groups_sweep(&in->groups);
	if (err == -E2BIG) /* now there may be room */
		err = join_groups(in);
	if (err && !in->logged_groups)
		diag_note("a multicast group cannot be joined: %s", strerror(-err));
	in->logged_groups = err != 0;
}

static int open_streams(struct intake *in)
{
	int err = 0;

	for (int i = 0; i < in->streams->cnt; i++) {
		int failed = in->streams->now[i]->is_published
				     ? open_ports(in, &in->streams->listed[i])
				     : 0;

		if (failed)
			err = failed;
	}
	in->logged_ports &= err == -E2BIG;
	return err;
}

static bool is_used(const struct intake *in, uint16_t port)
{
	for (int i = 0; i < in->streams->cnt; i++) {
		const struct xdp_dedup_stream *s = &in->streams->listed[i];

		for (uint32_t n = 0; in->streams->now[i]->is_published && n < s->ports_cnt; n++)
			if (s->ports[n].first <= port && port <= s->ports[n].last)
				return true;
	}
	return false;
}

void intake_sockets_refresh(struct intake *in)
{
	int kept = 0;

	if (in->options->listen_cnt)
		return;
	for (int i = 0; i < in->sockets_cnt; i++) {
		if (is_used(in, in->sockets[i].port))
			in->sockets[kept++] = in->sockets[i];
		else
			fd_close(in->sockets[i].fd);
	}
	in->sockets_cnt = kept;
	open_streams(in);
}

int intake_sockets_open(struct intake *in)
{
	return in->options->listen_cnt ? open_listed(in) : open_streams(in);
}

void intake_sockets_close(struct intake *in)
{
	for (int i = 0; i < in->sockets_cnt; i++)
		fd_close(in->sockets[i].fd);
	in->sockets_cnt = 0;
	intake_groups_sweep(&in->groups);
	intake_groups_sweep(&in->groups); /* nothing was wanted since */
}

/* Ancillary data of a datagram. */
struct ancillary {
	struct sockaddr_in6 to; /* IPv4 as ::ffff:a.b.c.d */
	struct timespec time;
};

static void read_ancillary(struct msghdr *m, struct ancillary *f)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		const void *data = CMSG_DATA(c);

		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS)
			memcpy(&f->time, data, sizeof(f->time));
		else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO)
			f->to.sin6_addr = ((const struct in6_pktinfo *)data)->ipi6_addr;
		else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
			memset(f->to.sin6_addr.s6_addr + 10, 0xff, 2);
			memcpy(f->to.sin6_addr.s6_addr + 12,
			       &((const struct in_pktinfo *)data)->ipi_addr, 4);
		}
	}
}

/* Maps IPv4 addresses to ::ffff:a.b.c.d. */
static struct sockaddr_in6 as_ipv6(const struct sockaddr_in6 *from)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)from;
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = four->sin_port };

	if (from->sin6_family == AF_INET6)
		return *from;
	memset(six.sin6_addr.s6_addr + 10, 0xff, 2);
	memcpy(six.sin6_addr.s6_addr + 12, &four->sin_addr, 4);
	return six;
}

static void take_datagram(struct intake *in, const struct msghdr *m, size_t len,
			  const struct ancillary *f, intake_fn fn, void *arg)
{
	const struct sockaddr_in6 from = as_ipv6(m->msg_name);
	const struct xdp_dedup_datagram d = {
		.payload = m->msg_iov->iov_base,
		.payload_len = len,
		.from = (const struct sockaddr *)&from,
		.to = (const struct sockaddr *)&f->to,
	};
	struct intake_event found = {
		.payload = d.payload,
		.len = len,
		.from.ipv6 = from,
		.arrival_ns = f->time.tv_sec * 1000000000ULL + f->time.tv_nsec,
	};
	bool is_hidden;

	found.received_ns = found.arrival_ns - in->clock_offset_ns;
	is_hidden = intake_keep(in, &d, &found, fn, arg) == -ENODATA;
	if (is_hidden && !in->logged_stream)
		diag_note("datagrams of UDP sockets are not published if a stream before theirs reads more than the payload" ADVICE
			  "name that stream last in --profile");
	in->logged_stream |= is_hidden;
}

void intake_sockets_count_overflow(struct intake *in)
{
	for (int i = 0; i < in->sockets_cnt; i++) {
		struct intake_socket *s = &in->sockets[i];
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
	struct sockaddr_in6 from[BATCH];
	struct mmsghdr m[BATCH] = { 0 };
	struct iovec at[BATCH];
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
	for (int i = 0; i < cnt; i++) {
		struct ancillary f = { .to = { .sin6_family = AF_INET6,
					       .sin6_port = htons(s->port) } };

		read_ancillary(&m[i].msg_hdr, &f);
		if (!f.time.tv_sec)
			clock_gettime(CLOCK_REALTIME, &f.time);
		take_datagram(in, &m[i].msg_hdr, m[i].msg_len, &f, fn, arg);
	}
	return cnt > 0 ? cnt : 0;
}
