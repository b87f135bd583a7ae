// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "iface.h"
#include "integers.h"
#include "kernel.h"
#include "open.h"
#include "receiver.h"
#include "xdp-dedup.h"

#define FRAMES_DEFAULT 512
#define BUSY_POLL_BUDGET 64
#define BIND_TRIES 200 /* the kernel needs some 20 ms to release a closed socket */
#define BIND_WAIT_US 5000

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

/* Finds the index of the local interface `ifname`, or of the only one if ifname is NULL. */
static int find_interface(const struct filter *f, const char *ifname, uint32_t *ifindex)
{
	uint32_t named = ifname ? if_nametoindex(ifname) : 0;
	unsigned int found = 0;

	if (ifname && !named)
		return errno == ENODEV || errno == ENXIO ? -ENODEV : -errno;
	if (!iface_local_netns())
		return -EMFILE;
	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		const struct dedup_iface *iface = &f->record->ifaces[i];

		if (!iface->ifindex || (named && iface->ifindex != named) || !iface_is_local(iface))
			continue;
		*ifindex = iface->ifindex;
		found++;
	}
	if (found != 1)
		return found ? -EINVAL : -ENODEV;
	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		if (f->record->ifaces[i].ifindex == *ifindex && !iface_is_local(&f->record->ifaces[i]))
			return -ENOTUNIQ;
	return 0;
}

/* Makes the socket and binds it. Once it is bound, no other socket has the queue, and no running
 * program still uses an earlier socket.
 */
static int open_socket(struct open_queue *q, const struct xdp_dedup_receive_options *o)
{
	const struct xsk_binding where = { q->ifindex, o->queue, o->copy, o->zerocopy,
					   o->frames_a_packet > 1 };
	int err = xsk_open(&q->xsk, o->frames);

	if (err)
		return err == -EAFNOSUPPORT ? -EOPNOTSUPP : err;
	err = xsk_bind(&q->xsk, &where);
	for (int i = 0; i < BIND_TRIES && err == -EBUSY && !o->at_once; i++) {
		usleep(BIND_WAIT_US);
		err = xsk_bind(&q->xsk, &where);
	}
	/* With zero-copy the driver decides how many frames a packet takes. */
	q->parts = q->xsk.several && !q->xsk.zerocopy ? o->frames_a_packet : 1;
	return err;
}

/* Reopens the slot for a new socket; the old socket loses it. Returns the new `opened`. */
static uint32_t reopen_slot(struct dedup_socket *s)
{
	uint32_t was, opened;

	do {
		was = READ_ONCE(s->opened);
		opened = (was & ~DEDUP_ENDED) + 1;
	} while (!__sync_bool_compare_and_swap(&s->opened, was, opened));
	return opened;
}

/* Takes the queue's slot, withdraws its credits, and puts the socket into it. */
static int enter_slot(struct open_queue *q, struct filter *f, uint32_t queue)
{
	int err = delivery_open(f, &q->delivery), slot, fd = q->xsk.fd;
	struct dedup_socket *s;

	if (err)
		return err;
	slot = delivery_slot(&q->delivery, f, (struct dedup_queue){ q->ifindex, queue });
	if (slot < 0)
		return slot;
	q->socket = s = &q->delivery.sockets[slot];
	q->in_flight = delivery_in_flight(&q->delivery, slot, 0);
	q->opened = reopen_slot(s);
	WRITE_ONCE(s->granted, 0);
	delivery_want_left(&q->delivery, f, slot, true, &q->recovered, &q->forgotten);
	s->frame_bytes = XSK_FRAME_ROOM;
	s->pid = 0;
	s->zerocopy = q->xsk.zerocopy;
	xsk_wake(&q->xsk);
	return bpf_map_update_elem(q->delivery.xsks_fd, &slot, &fd, BPF_ANY) ? -errno : 0;
}

/* Turns busy polling on. A device without it is no error: the kernel then does not poll. */
static int set_busy_poll(struct xdp_dedup_receiver *r, uint32_t us)
{
	const int options[][2] = { { SO_PREFER_BUSY_POLL, 1 },
				   { SO_BUSY_POLL, (int)lesser(us, INT32_MAX) },
				   { SO_BUSY_POLL_BUDGET, BUSY_POLL_BUDGET } };
	int err = 0;

	r->busy_poll = us;
	for (int i = 0; i < 3 && us && !err; i++)
		err = setsockopt(r->queue.xsk.fd, SOL_SOCKET, options[i][0], &options[i][1],
				 sizeof(int));
	return err ? -errno : 0;
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
	xsk_close(&r->queue.xsk);
	delivery_close(&r->queue.delivery);
	xdp_dedup_close(r->filter);
	free(r->free_joined);
	free(r->joined);
	free(r);
}

/* Opens the filter, and a queue of an interface of this network namespace. Wants the ids that the
 * last reader left.
 */
static int open_queue(struct xdp_dedup_receiver *r, const char *name,
		      const struct xdp_dedup_receive_options *o)
{
	struct open_queue *q = &r->queue;
	struct filter *f;
	int err = xdp_dedup_open(name, &r->filter);

	if (err)
		return err;
	f = lib_enter(r->filter);
	if (!f)
		return -ESTALE;
	receiver_describe_streams(r, f);
	err = f->config->policy.deliver ? find_interface(f, o->ifname, &q->ifindex) : -EOPNOTSUPP;
	err = err ?: open_socket(q, o) ?: enter_slot(q, f, o->queue);
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
	xsk_begin(&r->queue.xsk);
	delivery_begin(&r->queue.delivery);
	r->unfinished = o.unfinished;
	r->timestamps = o.timestamps;
	err = open_queue(r, name, &o) ?: begin_receiving(r, &o);
	if (err)
		free_receiver(r);
	else
		*out = r;
	return err;
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
		WRITE_ONCE(r->queue.socket->granted, 0);
		kernel_wait_for_packets(); /* then no program that took a credit still runs */
		r->queue.socket->pid = 0;
		want_left(r);
	}
	free_receiver(r);
}
