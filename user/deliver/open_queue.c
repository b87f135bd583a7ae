// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "open_queue.h"

#include <errno.h>
#include <net/if.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "iface.h"

#define BIND_TRIES 200 /* the kernel needs some 20 ms to release a closed socket */
#define BIND_WAIT_US 5000

void queue_begin(struct open_queue *q)
{
	*q = (struct open_queue){ 0 };
	xsk_begin(&q->xsk);
	delivery_begin(&q->delivery);
}

void queue_close(struct open_queue *q)
{
	xsk_close(&q->xsk);
	delivery_close(&q->delivery);
	queue_begin(q);
}

/* Finds the index of the local interface `ifname`, or of the only one if ifname is NULL. */
static int find_interface(const struct filter *f, const char *ifname, uint32_t *ifindex)
{
	uint32_t named = ifname ? if_nametoindex(ifname) : 0;
	unsigned int here = 0;

	if (ifname && !named)
		return errno == ENODEV || errno == ENXIO ? -ENODEV : -errno;
	if (!iface_local_netns())
		return -EMFILE;
	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		const struct dedup_iface *iface = &f->record->ifaces[i];

		if (!iface->ifindex || (named && iface->ifindex != named) || !iface_is_local(iface))
			continue;
		*ifindex = iface->ifindex;
		here++;
	}
	if (here != 1)
		return here ? -EINVAL : -ENODEV;
	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		if (f->record->ifaces[i].ifindex == *ifindex && !iface_is_local(&f->record->ifaces[i]))
			return -ENOTUNIQ;
	return 0;
}

/* Makes the socket and binds it. Once it is bound, no other socket has the queue, and no running
 * program still uses an earlier socket.
 */
static int open_socket(struct open_queue *q, const struct queue_options *o)
{
	const struct xsk_binding where = { q->ifindex, o->queue, o->copy, o->zerocopy, o->parts > 1 };
	int err = xsk_open(&q->xsk, o->frames);

	if (err)
		return err == -EAFNOSUPPORT ? -EOPNOTSUPP : err;
	xsk_fill(&q->xsk); /* before bind: then a driver takes its frames from the fill ring */
	err = xsk_bind(&q->xsk, &where);
	for (int i = 0; i < BIND_TRIES && err == -EBUSY && !o->at_once; i++) {
		usleep(BIND_WAIT_US);
		err = xsk_bind(&q->xsk, &where);
	}
	/* With zero-copy the driver decides how many frames a packet takes. */
	q->parts = q->xsk.several && !q->xsk.zerocopy ? o->parts : 1;
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

int queue_open(struct filter *f, const struct queue_options *o, struct open_queue *q)
{
	int err;

	queue_begin(q);
	err = f->config->policy.deliver ? find_interface(f, o->ifname, &q->ifindex) : -EOPNOTSUPP;
	if (!err)
		err = open_socket(q, o) ?: enter_slot(q, f, o->queue);
	if (err)
		queue_close(q);
	return err;
}
