// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/membarrier.h>

#include "loan.h"
#include "receiver.h"
#include "xdp-dedup.h"

#define FRAMES_DEFAULT 512
#define FRAMES_MIN 64
#define FRAMES_MAX 4096
#define BIND_TRIES 200 /* the kernel takes some 20 ms to be done with a socket that was closed */
#define BIND_WAIT_NS 5000000
#define BUSY_POLL_BUDGET 64

#ifndef SO_PREFER_BUSY_POLL
#define SO_PREFER_BUSY_POLL 69
#define SO_BUSY_POLL_BUDGET 70
#endif

/* The options of the first version. */
#define OPTIONS_BYTES_MIN \
	(offsetof(struct xdp_dedup_receive_options, busy_poll_us) + sizeof(uint32_t))

/* Is what a later version of the options has, of so many bytes, all 0? */
static bool are_known(const struct xdp_dedup_receive_options *o)
{
	for (size_t i = sizeof(*o); i < o->size; i++)
		if (((const char *)o)[i])
			return false;
	return true;
}

/* The caller's options, whose version of them may be another one, with defaults filled in. */
static int take_options(const struct xdp_dedup_receive_options *from,
			struct xdp_dedup_receive_options *o)
{
	*o = (struct xdp_dedup_receive_options){ 0 };
	if (from && (from->size < OPTIONS_BYTES_MIN || !are_known(from)))
		return -EINVAL;
	if (from)
		memcpy(o, from, from->size < sizeof(*o) ? from->size : sizeof(*o));
	o->frames = o->frames ?: FRAMES_DEFAULT;
	o->frames_a_packet = o->frames_a_packet ?: 1;
	if (o->frames < FRAMES_MIN || o->frames > FRAMES_MAX || o->frames & (o->frames - 1) ||
	    o->frames_a_packet > RECEIVER_PARTS_MAX || (o->copy && o->zerocopy))
		return -EINVAL;
	return 0;
}

static void wait_a_little(void)
{
	const struct timespec time = { .tv_nsec = BIND_WAIT_NS };

	nanosleep(&time, NULL);
}

static int bind_socket(struct xsk *x, const struct xsk_where *where)
{
	int err = xsk_bind(x, where);

	for (int i = 0; i < BIND_TRIES && err == -EBUSY; i++) {
		wait_a_little();
		err = xsk_bind(x, where);
	}
	return err;
}

/* The descriptor is the receiver's from then on. */
static int open_socket(struct xdp_dedup_receiver *r, const struct xdp_dedup_receive_options *o,
		       struct loan *l)
{
	const struct xsk_where where = { l->ifindex, l->queue, o->copy, o->zerocopy,
					 o->frames_a_packet > 1 };
	int err = xsk_set_up(&r->xsk, l->fds[LOAN_SOCKET], o->frames);

	if (err)
		return err;
	l->fds[LOAN_SOCKET] = -1;
	return bind_socket(&r->xsk, &where);
}

/* The kernel does it where it can, and else says nothing. */
static int set_busy_poll(struct xdp_dedup_receiver *r, uint32_t us)
{
	int on = 1, time = us > INT32_MAX ? INT32_MAX : (int)us, budget = BUSY_POLL_BUDGET;

	if (!us)
		return 0;
	r->busy_poll = true;
	return setsockopt(r->xsk.fd, SOL_SOCKET, SO_PREFER_BUSY_POLL, &on, sizeof(on)) ||
			       setsockopt(r->xsk.fd, SOL_SOCKET, SO_BUSY_POLL, &time, sizeof(time)) ||
			       setsockopt(r->xsk.fd, SOL_SOCKET, SO_BUSY_POLL_BUDGET, &budget,
					  sizeof(budget))
		       ? -errno
		       : 0;
}

static int make_joined(struct xdp_dedup_receiver *r)
{
	uint32_t cnt = r->xsk.frames / 2;

	if (r->stats.frames_a_packet == 1)
		return 0;
	r->joined = malloc((size_t)cnt * RECEIVER_JOINED_BYTES);
	r->free_joined = calloc(cnt, sizeof(*r->free_joined));
	if (!r->joined || !r->free_joined)
		return -ENOMEM;
	for (uint32_t i = 0; i < cnt; i++)
		r->free_joined[i] = r->joined + (size_t)i * RECEIVER_JOINED_BYTES;
	r->free_joined_cnt = cnt;
	return 0;
}

/* Gives the kernel all frames. */
static void fill(struct xdp_dedup_receiver *r)
{
	uint32_t i = 0;

	xsk_ring_prod__reserve(&r->xsk.fill, r->xsk.frames, &i);
	for (uint32_t n = 0; n < r->xsk.frames; n++)
		*xsk_ring_prod__fill_addr(&r->xsk.fill, i + n) = (uint64_t)n * XSK_FRAME_BYTES;
	xsk_ring_prod__submit(&r->xsk.fill, r->xsk.frames);
	xsk_wake(&r->xsk);
}

/* The socket is bound to the queue: nobody else has the place, nor does any program that still runs
 * know of a socket that was there before.
 */
static int begin(struct xdp_dedup_receiver *r, struct filter *f)
{
	uint32_t most = r->xsk.zerocopy ? r->xsk.frames / 2 : r->xsk.frames;
	struct dedup_socket *s = &r->delivery.sockets[r->place];
	unsigned int wanted, lost;

	r->socket = s;
	r->opened = __sync_add_and_fetch(&s->opened, 1);
	delivery_want_left(&r->delivery, f, r->place, &wanted, &lost);
	r->stats.recovered = wanted;
	r->stats.forgotten = lost;
	r->stats.zerocopy = r->xsk.zerocopy;
	r->credits = most < DEDUP_HANDED_MAX ? most : DEDUP_HANDED_MAX;
	r->first = r->oldest = READ_ONCE(s->taken);
	s->frame_bytes = XSK_FRAME_ROOM;
	s->frames_max = r->stats.frames_a_packet;
	s->pid = getpid();
	s->zerocopy = r->xsk.zerocopy;
	s->timestamps = r->timestamps;
	fill(r);
	receiver_grant(r);
	return delivery_enter(&r->delivery, r->place, r->xsk.fd);
}

/* What of the filter is needed to have ids wanted, of a queue that was lent. */
static int map_lent(struct xdp_dedup_receiver *r, struct loan *l)
{
	void *config =
		mmap(NULL, sizeof(*r->lent.config), PROT_READ, MAP_SHARED, l->fds[LOAN_CONFIG], 0);
	void *state;

	if (config == MAP_FAILED)
		return -errno;
	r->lent.config = config;
	state = mmap(NULL, sizeof(*r->lent.state), PROT_READ | PROT_WRITE, MAP_SHARED,
		     l->fds[LOAN_STATE], 0);
	if (state == MAP_FAILED)
		return -errno;
	r->lent.state = state;
	r->lent.serial = l->serial;
	r->lent.wanted_fd = l->fds[LOAN_WANTED];
	l->fds[LOAN_WANTED] = -1;
	return 0;
}

/* Opens the queue of this loan. */
static int open_queue(struct xdp_dedup_receiver *r, const struct xdp_dedup_receive_options *o,
		      struct loan *l)
{
	struct filter *f;
	int err = delivery_map(l->fds[LOAN_XSKS], l->fds[LOAN_SOCKETS], l->fds[LOAN_HANDED],
			       &r->delivery);

	if (err)
		return err;
	r->place = l->place;
	r->ifindex = l->ifindex;
	r->serial = l->serial;
	r->clock_offset_ns = l->clock_offset_ns;
	err = r->filter ? 0 : map_lent(r, l);
	if (!err)
		err = open_socket(r, o, l);
	if (!err)
		err = set_busy_poll(r, o->busy_poll_us);
	if (err)
		return err;
	/* The driver's frames hold what it likes: how many a packet takes cannot be told before. */
	r->stats.frames_a_packet = r->xsk.several && !r->xsk.zerocopy ? o->frames_a_packet : 1;
	err = make_joined(r);
	if (err)
		return err;
	f = receiver_enter(r);
	if (!f)
		return -ESTALE;
	err = begin(r, f);
	receiver_leave(r);
	return err;
}

static void free_receiver(struct xdp_dedup_receiver *r)
{
	xsk_close(&r->xsk);
	delivery_close(&r->delivery);
	xdp_dedup_close(r->filter);
	filter_close(&r->lent);
	free(r->free_joined);
	free(r->joined);
	free(r);
}

static int make_receiver(const struct xdp_dedup_receive_options *from,
			 struct xdp_dedup_receive_options *o, struct xdp_dedup_receiver **out)
{
	struct xdp_dedup_receiver *r;
	int err = take_options(from, o);

	if (err)
		return err;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	xsk_begin(&r->xsk);
	r->delivery = (struct delivery){ .xsks_fd = -1, .queues_fd = -1 };
	r->lent = (struct filter){ .stats_fd = -1, .wanted_fd = -1 };
	r->unfinished = o->unfinished;
	r->timestamps = o->timestamps;
	*out = r;
	return 0;
}

/* Makes the loan that another process would get. */
static int lend_to_self(struct xdp_dedup_receiver *r, const char *name,
			const struct xdp_dedup_receive_options *o, struct loan *l)
{
	struct filter *f;
	int err = xdp_dedup_open(name, &r->filter);

	if (err)
		return err;
	f = lib_enter(r->filter);
	if (!f)
		return -ESTALE;
	err = loan_make(f, o->ifname, o->queue, l);
	lib_leave();
	return err;
}

int xdp_dedup_receive_open(const char *name, const struct xdp_dedup_receive_options *options,
			   struct xdp_dedup_receiver **out)
{
	struct xdp_dedup_receive_options o;
	struct xdp_dedup_receiver *r;
	struct loan l;
	int err = make_receiver(options, &o, &r);

	if (err)
		return err;
	loan_begin(&l);
	err = lend_to_self(r, name, &o, &l);
	if (!err)
		err = open_queue(r, &o, &l);
	loan_close(&l);
	if (err)
		free_receiver(r);
	else
		*out = r;
	return err;
}

int xdp_dedup_receive_lend(const char *name, const char *ifname, uint32_t queue, int to)
{
	struct filter f;
	struct loan l;
	int err = filter_open(name, &f);

	if (err)
		return err;
	err = loan_make(&f, ifname, queue, &l);
	filter_close(&f);
	if (err)
		return err;
	err = loan_send(&l, to);
	loan_close(&l);
	return err;
}

/* The socket that xdp-dedup exec has left; -1, which is none, else. */
static int inherited(void)
{
	const char *fd = getenv(LOAN_ENVIRONMENT);

	return fd ? atoi(fd) : -1;
}

int xdp_dedup_receive_borrow(int from, const struct xdp_dedup_receive_options *options,
			     struct xdp_dedup_receiver **out)
{
	struct xdp_dedup_receive_options o;
	struct xdp_dedup_receiver *r;
	struct loan l;
	int err = make_receiver(options, &o, &r);

	if (err)
		return err;
	err = loan_receive(from < 0 ? inherited() : from, &l);
	if (!err) {
		err = open_queue(r, &o, &l);
		loan_close(&l);
	}
	if (err)
		free_receiver(r);
	else
		*out = r;
	return err;
}

/* Once it is out of the map, and every program that found it there has ended, no packet comes. */
static void leave_place(struct xdp_dedup_receiver *r)
{
	unsigned int wanted, lost;
	struct filter *f;

	delivery_leave(&r->delivery, r->place);
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0)) /* which is synchronize_rcu() */
		wait_a_little();
	r->socket->pid = 0;
	f = receiver_enter(r);
	if (f) {
		delivery_want_left(&r->delivery, f, r->place, &wanted, &lost);
		receiver_leave(r);
	}
}

void xdp_dedup_receive_close(struct xdp_dedup_receiver *r)
{
	if (!r)
		return;
	if (!receiver_has_lost(r))
		leave_place(r);
	free_receiver(r);
}
