// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "loan.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "delivery.h"
#include "here.h"

#ifndef AF_XDP
#define AF_XDP 44
#endif

void loan_begin(struct loan *l)
{
	*l = (struct loan){ .format = DEDUP_FORMAT };
	for (int i = 0; i < LOAN_FDS; i++)
		l->fds[i] = -1;
}

void loan_close(struct loan *l)
{
	for (int i = 0; i < LOAN_FDS; i++)
		if (l->fds[i] >= 0)
			close(l->fds[i]);
	loan_begin(l);
}

/* The index of the interface here that is meant. */
static int find_interface(const struct filter *f, const char *ifname, uint32_t *ifindex)
{
	uint32_t named = ifname ? if_nametoindex(ifname) : 0;
	unsigned int here = 0;

	if (ifname && !named)
		return -ENODEV;
	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		const struct dedup_iface *iface = &f->state->ifaces[i];

		if (!iface->ifindex || (named && iface->ifindex != named) || !here_has(iface))
			continue;
		*ifindex = iface->ifindex;
		here++;
	}
	if (here != 1)
		return here ? -EINVAL : -ENODEV;
	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		if (f->state->ifaces[i].ifindex == *ifindex && !here_has(&f->state->ifaces[i]))
			return -ENOTUNIQ;
	return 0;
}

static int find_place(const struct filter *f, struct loan *l)
{
	struct delivery d;
	int err = delivery_open(f, &d), place;

	if (err)
		return err;
	place = delivery_place(&d, f, (struct dedup_queue){ l->ifindex, l->queue });
	delivery_close(&d);
	l->place = place;
	return place < 0 ? place : 0;
}

static int open_maps(const struct filter *f, struct loan *l)
{
	static const enum pin MAPS[LOAN_FDS] = {
		[LOAN_XSKS] = PIN_XSKS,	    [LOAN_SOCKETS] = PIN_SOCKETS,
		[LOAN_HANDED] = PIN_HANDED, [LOAN_CONFIG] = PIN_CONFIG,
		[LOAN_STATE] = PIN_STATE,   [LOAN_WANTED] = PIN_WANTED,
	};

	for (int i = LOAN_XSKS; i < LOAN_FDS; i++) {
		l->fds[i] = filter_open_map(f, MAPS[i]);
		if (l->fds[i] < 0)
			return l->fds[i];
	}
	return 0;
}

int loan_make(const struct filter *f, const char *ifname, uint32_t queue, struct loan *out)
{
	struct loan l;
	int err;

	loan_begin(&l);
	l.queue = queue;
	l.serial = f->serial;
	err = f->config->deliver ? find_interface(f, ifname, &l.ifindex) : -EOPNOTSUPP;
	if (!err)
		err = find_place(f, &l);
	if (!err)
		err = open_maps(f, &l);
	if (!err)
		err = clock_measure_offset(&l.clock_offset_ns);
	if (!err) {
		l.fds[LOAN_SOCKET] = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
		if (l.fds[LOAN_SOCKET] < 0)
			err = errno == EAFNOSUPPORT ? -EOPNOTSUPP : -errno;
	}
	if (err)
		loan_close(&l);
	else
		*out = l;
	return err;
}

int loan_send(const struct loan *l, int to)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(l->fds))];
	} control = { .head = { .cmsg_len = CMSG_LEN(sizeof(l->fds)),
				.cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS } };
	struct iovec bytes = { (void *)l, sizeof(*l) };
	struct msghdr m = { .msg_iov = &bytes,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };

	memcpy(CMSG_DATA(&control.head), l->fds, sizeof(l->fds));
	return sendmsg(to, &m, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Takes the descriptors out of a message; if it has other ones, none are kept. */
static int take_fds(struct msghdr *m, struct loan *l)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	size_t cnt = c && c->cmsg_type == SCM_RIGHTS ? (c->cmsg_len - CMSG_LEN(0)) / sizeof(int) : 0;
	int fds[LOAN_FDS];

	memcpy(fds, c ? CMSG_DATA(c) : (unsigned char *)fds, cnt * sizeof(int));
	if (cnt == LOAN_FDS) {
		memcpy(l->fds, fds, sizeof(fds));
		return 0;
	}
	while (cnt)
		close(fds[--cnt]);
	return -EPROTO;
}

int loan_receive(int from, struct loan *out)
{
	char control[CMSG_SPACE(sizeof(out->fds))] __attribute__((aligned(sizeof(size_t))));
	struct loan l;
	struct iovec bytes = { &l, sizeof(l) };
	struct msghdr m = { .msg_iov = &bytes,
			    .msg_iovlen = 1,
			    .msg_control = control,
			    .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(from, &m, MSG_CMSG_CLOEXEC);
	int err;

	if (n <= 0)
		return n ? -errno : -ENODATA;
	for (int i = 0; i < LOAN_FDS; i++)
		l.fds[i] = -1;
	err = take_fds(&m, &l);
	if (!err && (n != sizeof(l) || m.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ||
		     l.format != DEDUP_FORMAT || l.place >= DEDUP_SOCKETS_MAX))
		err = -EPROTO;
	if (err)
		loan_close(&l);
	else
		*out = l;
	return err;
}
