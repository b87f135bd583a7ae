// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "intake_sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include "diag.h"
#include "fd.h"
#include "intake_bind.h"
#include "intake_event.h"
#include "socket_address.h"

#define BATCH 16
#define CONTROL_MAX 256

/* Adds a socket; fd may be an -errno. Returns 0; or that -errno (logged) if the socket is required. */
static int add_socket(struct intake *in, int fd, uint16_t port)
{
	bool is_required = in->options->listen || in->options->receive == PUBLISH_UDP;

	if (fd < 0 && is_required)
		diag_err(fd, "UDP port %u: %s", port, strerror(-fd));
	else if (fd < 0)
		diag_note("UDP port %u: %s; packets without room in an AF_XDP socket are not published",
			  port, strerror(-fd));
	in->sockets[in->sockets_cnt++] =
		(struct intake_socket){ .fd = fd < 0 ? -1 : fd, .port = port };
	return fd < 0 && is_required ? fd : 0;
}

/* Binds a port again that another program used before. */
static void bind_again(struct intake_socket *s)
{
	int fd = s->fd < 0 ? intake_bind_any(s->port) : -1;

	if (fd < 0)
		return;
	s->fd = fd;
	diag_note("UDP port %u is open now", s->port);
}

/* Logs once that a port finds no free socket. Returns -E2BIG. */
static int refuse_port(struct intake *in)
{
	if (in->logged_ports)
		return -E2BIG;
	in->logged_ports = true;
	return diag_err(-E2BIG,
			"filter %s has more than %d ports" ADVICE "--listen names those to open",
			in->options->filter, INTAKE_SOCKETS_MAX);
}

static int add_port(struct intake *in, uint16_t port)
{
	for (int i = 0; i < in->sockets_cnt; i++)
		if (in->sockets[i].port == port) {
			bind_again(&in->sockets[i]);
			return 0;
		}
	if (in->sockets_cnt == INTAKE_SOCKETS_MAX)
		return refuse_port(in);
	return add_socket(in, intake_bind_any(port), port);
}

/* Opens a socket for one [ADDRESS:]PORT of --listen. */
static int add_address(struct intake *in, const char *text)
{
	struct socket_address a;
	bool any_address = !strchr(text, ':');
	uint16_t port;

	if (socket_address_read(text, &a))
		return diag_err(-EINVAL, "--listen: %s is no [ADDRESS:]PORT", text);
	port = ntohs(((const struct sockaddr_in *)&a.addr)->sin_port);
	if (any_address)
		return add_port(in, port);
	if (in->sockets_cnt == INTAKE_SOCKETS_MAX)
		return diag_err(-E2BIG, "--listen: at most %d sockets", INTAKE_SOCKETS_MAX);
	return add_socket(in, intake_bind(&a.addr, a.len), port);
}

static int open_listed(struct intake *in)
{
	char *copy = strdup(in->options->listen), *rest = NULL;
	int err = copy ? 0 : -ENOMEM;

	for (char *text = copy ? strtok_r(copy, ", ", &rest) : NULL; text && !err;
	     text = strtok_r(NULL, ", ", &rest))
		err = add_address(in, text);
	free(copy);
	return err;
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

/* Lists the groups of all streams on all interfaces. Returns 0; -EAGAIN if streams or interfaces
 * are unknown now; or -E2BIG.
 */
static int list_groups(const struct intake *in, struct intake_groups *out)
{
	struct xdp_dedup_interface at[INTAKE_QUEUES_MAX];
	const struct publish_streams *s = in->streams;
	int cnt = xdp_dedup_interfaces(s->filter, at, sizeof(*at), INTAKE_QUEUES_MAX);
	bool has_room = true;

	if (cnt < 0 || !s->cnt)
		return -EAGAIN;
	for (int i = 0; i < s->cnt; i++)
		for (uint32_t g = 0; g < s->listed[i].groups_cnt; g++)
			for (int n = 0; n < cnt && n < INTAKE_QUEUES_MAX; n++)
				has_room &=
					intake_groups_add(out, &s->listed[i].groups[g], at[n].index);
	return has_room ? 0 : -E2BIG;
}

void intake_sockets_join(struct intake *in)
{
	struct intake_groups groups = { 0 };
	int err = in->sockets_cnt ? list_groups(in, &groups) : 0;

	if (err == -EAGAIN)
		return;
	intake_groups_change(&in->groups, &groups);
	err = err ?: in->groups.err;
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

/* Closes sockets whose port is in no stream. Returns whether it closed any. */
static bool close_unused(struct intake *in)
{
	int cnt = in->sockets_cnt;

	for (int i = cnt - 1; i >= 0; i--) {
		struct intake_socket *s = &in->sockets[i];

		if (is_used(in, s->port))
			continue;
		fd_close(s->fd);
		in->sockets_cnt--;
		memmove(s, s + 1, (in->sockets_cnt - i) * sizeof(*s));
	}
	return in->sockets_cnt < cnt;
}

static int open_cnt(const struct intake *in)
{
	int cnt = 0;

	for (int i = 0; i < in->sockets_cnt; i++)
		cnt += in->sockets[i].fd >= 0;
	return cnt;
}

bool intake_sockets_refresh(struct intake *in)
{
	bool changed;
	int before;

	if (in->options->listen)
		return false;
	changed = close_unused(in);
	before = open_cnt(in);
	open_streams(in);
	return changed || open_cnt(in) > before;
}

int intake_sockets_open(struct intake *in)
{
	return in->options->listen ? open_listed(in) : open_streams(in);
}

void intake_sockets_close(struct intake *in)
{
	for (int i = 0; i < in->sockets_cnt; i++)
		fd_close(in->sockets[i].fd);
	in->sockets_cnt = 0;
	intake_groups_leave(&in->groups);
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

/* Keeps the event of a datagram. Returns NULL if it has none to publish, or there is no memory. */
static struct intake_event *take_datagram(struct intake *in, const struct msghdr *m, size_t len,
					  const struct ancillary *f, uint64_t offset)
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
	int is_event = intake_event_find(in, &d, &found);
	struct intake_event *e;

	if (is_event == -ENODATA && !in->logged_stream)
		diag_note("datagrams of UDP sockets are not published if a stream before theirs reads more than the payload" ADVICE
			  "name that stream last in --profile");
	in->logged_stream |= is_event == -ENODATA;
	found.pending.arrival_ns = found.arrival_ns - offset;
	e = is_event == 1 ? intake_event_keep(in, &found) : NULL;
	if (is_event == 1 && !e)
		intake_event_discard(in, &found);
	return e;
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
	uint64_t offset = intake_event_clock_offset();
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
		struct intake_event *e;

		read_ancillary(&m[i].msg_hdr, &f);
		if (!f.time.tv_sec)
			clock_gettime(CLOCK_REALTIME, &f.time);
		e = take_datagram(in, &m[i].msg_hdr, m[i].msg_len, &f, offset);
		in->counters.received[INTAKE_UDP] += e != NULL;
		if (e)
			fn(arg, e);
	}
	return cnt > 0 ? cnt : 0;
}
