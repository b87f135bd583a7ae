// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel.h"
#include "open.h"
#include "receiver.h"
#include "xdp-dedup.h"

#define FRAMES_DEFAULT 512
#define BUSY_POLL_BUDGET 64

/* Size of the first version of the options. */
#define OPTIONS_BYTES_MIN \
	(offsetof(struct xdp_dedup_receive_options, busy_poll_us) + sizeof(uint32_t))

/* Are all bytes 0 that only a later version of the options has? */
static bool are_known(const struct xdp_dedup_receive_options *o)
{
	for (size_t i = sizeof(*o); i < o->size; i++)
		if (((const char *)o)[i])
			return false;
	return true;
}

/* Copies the caller's options, of any version, and fills in defaults. */
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
	if (!xsk_frames_ok(o->frames) || o->frames_a_packet > QUEUE_PARTS_MAX ||
	    (o->copy && o->zerocopy))
		return -EINVAL;
	return 0;
}

/* Turns busy polling on. A device without it is no error: the kernel then does not poll. */
static int set_busy_poll(struct xdp_dedup_receiver *r, uint32_t us)
{
	int on = 1, time = us > INT32_MAX ? INT32_MAX : (int)us, budget = BUSY_POLL_BUDGET;

	if (!us)
		return 0;
	r->busy_poll = true;
	return setsockopt(r->queue.xsk.fd, SOL_SOCKET, SO_PREFER_BUSY_POLL, &on, sizeof(on)) ||
			       setsockopt(r->queue.xsk.fd, SOL_SOCKET, SO_BUSY_POLL, &time,
					  sizeof(time)) ||
			       setsockopt(r->queue.xsk.fd, SOL_SOCKET, SO_BUSY_POLL_BUDGET, &budget,
					  sizeof(budget))
		       ? -errno
		       : 0;
}

static int make_joined(struct xdp_dedup_receiver *r)
{
	uint32_t cnt = r->queue.xsk.frames / 2;

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

/* Prepares the slots and grants credits for the open queue: from now on it receives packets. */
static int begin_receiving(struct xdp_dedup_receiver *r, const struct xdp_dedup_receive_options *o)
{
	const struct open_queue *q = &r->queue;
	uint32_t most = q->xsk.zerocopy ? o->frames / 2 : o->frames;
	int err = set_busy_poll(r, o->busy_poll_us);

	r->stats.recovered = q->recovered;
	r->stats.forgotten = q->forgotten;
	r->stats.zerocopy = q->xsk.zerocopy;
	r->stats.frames_a_packet = q->parts;
	if (!err)
		err = make_joined(r);
	if (err)
		return err;
	r->credits = most < DEDUP_IN_FLIGHT_MAX ? most : DEDUP_IN_FLIGHT_MAX;
	r->first = r->oldest = READ_ONCE(q->socket->taken);
	q->socket->frames_max = q->parts;
	q->socket->timestamps = r->timestamps;
	q->socket->pid = getpid();
	receiver_grant(r);
	return 0;
}

static void free_receiver(struct xdp_dedup_receiver *r)
{
	queue_close(&r->queue);
	xdp_dedup_close(r->filter);
	free(r->free_joined);
	free(r->joined);
	free(r);
}

static int open_queue(struct xdp_dedup_receiver *r, const char *name,
		      const struct xdp_dedup_receive_options *o)
{
	const struct queue_options options = {
		.ifname = o->ifname,
		.queue = o->queue,
		.frames = o->frames,
		.parts = o->frames_a_packet,
		.copy = o->copy,
		.zerocopy = o->zerocopy,
		.at_once = o->at_once,
	};
	struct filter *f;
	int err = xdp_dedup_open(name, &r->filter);

	if (err)
		return err;
	f = lib_enter(r->filter);
	if (!f)
		return -ESTALE;
	receiver_describe_streams(r, f);
	err = queue_open(f, &options, &r->queue);
	lib_leave();
	return err;
}

int xdp_dedup_receive_open(const char *name, const struct xdp_dedup_receive_options *options,
			   struct xdp_dedup_receiver **out)
{
	struct xdp_dedup_receive_options o;
	struct xdp_dedup_receiver *r;
	int err = take_options(options, &o);

	if (err)
		return err;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	queue_begin(&r->queue);
	r->unfinished = o.unfinished;
	r->timestamps = o.timestamps;
	err = open_queue(r, name, &o) ?: begin_receiving(r, &o);
	if (err)
		free_receiver(r);
	else
		*out = r;
	return err;
}

/* Withdraws all credits, and waits until no program that took one is still running. */
static void stop_packets(struct xdp_dedup_receiver *r)
{
	WRITE_ONCE(r->queue.socket->granted, 0);
	kernel_wait_for_packets();
	r->queue.socket->pid = 0;
}

static void want_left(struct xdp_dedup_receiver *r)
{
	struct filter *f = lib_enter(r->filter);

	if (!f)
		return;
	for (uint32_t i = 0; i < DEDUP_IN_FLIGHT_MAX; i++) {
		const struct dedup_in_flight *h = queue_in_flight(&r->queue, i);

		if (h->number && receiver_want(r, f, h))
			queue_clear(&r->queue, h->number - 1);
	}
	lib_leave();
}

void xdp_dedup_receive_close(struct xdp_dedup_receiver *r)
{
	if (!r)
		return;
	if (!queue_is_lost(&r->queue)) {
		stop_packets(r);
		want_left(r);
	}
	free_receiver(r);
}
