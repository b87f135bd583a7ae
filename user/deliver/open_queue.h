/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An open queue: one queue of a filter that delivers (include/deliver.h), the AF_XDP socket that is
 * bound to it, and the filter's maps about sockets. Logs nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "delivery.h"
#include "open_filter.h"
#include "xsk.h"

#define QUEUE_PARTS_MAX 4 /* frames of a packet */

struct queue_options {
	const char *ifname; /* NULL: the only local interface of the filter */
	uint32_t queue;
	uint32_t frames;     /* of memory: xsk_frames_ok() */
	uint32_t parts;	     /* frames of a packet, at most: 1 to QUEUE_PARTS_MAX */
	bool copy, zerocopy; /* struct xsk_binding */
	bool at_once;	     /* do not wait for a busy queue */
};

struct open_queue {
	uint32_t ifindex;
	uint32_t opened; /* dedup_socket.opened */
	uint32_t parts;	 /* frames of a packet, at most */
	uint32_t recovered,
		forgotten; /* unread packets of the last reader: id wanted; no room for the id */
	struct xsk xsk;
	struct delivery delivery;

	/* The queue's element of `sockets`, and its elements of `in_flight`. */
	struct dedup_socket *socket;
	struct dedup_in_flight *in_flight;
};

/* Opens a queue of an interface of this network namespace. It receives packets once credits are
 * granted. Wants the ids that the last reader left. Returns 0, and the caller closes *q with
 * queue_close(); or an error, and then the queue has no reader:
 *   -EOPNOTSUPP   the filter does not deliver; kernel or driver lack AF_XDP, or zerocopy
 *   -ENODEV       there is no such interface, or the filter does not run on it
 *   -EINVAL       no interface is named and there are several; or there is no such queue
 *   -ENOTUNIQ     the filter also runs on an interface with the same index in another network
 *                 namespace, and its program cannot tell them apart
 *   -EBUSY, -ENOBUFS, -ENOSPC   of xsk_bind(), xsk_open(), delivery_slot()
 * Another -errno as filter_open() does.
 */
int queue_open(struct filter *f, const struct queue_options *o, struct open_queue *q);
void queue_close(struct open_queue *q);

/* Makes *q empty, so that queue_close() does nothing. */
void queue_begin(struct open_queue *q);

/* Does what delivery_in_flight() does. */
static inline struct dedup_in_flight *queue_in_flight(const struct open_queue *q, uint64_t number)
{
	return &q->in_flight[number % DEDUP_IN_FLIGHT_MAX];
}

/* Has another socket taken the queue, or has the filter ended it? */
static inline bool queue_is_lost(const struct open_queue *q)
{
	return READ_ONCE(q->socket->opened) != q->opened;
}

/* Has the filter ended the queue? Then all ids in its log are wanted, and a reader that gives a
 * packet back must undo that for its id.
 */
static inline bool queue_has_ended(const struct open_queue *q)
{
	return READ_ONCE(q->socket->opened) == (q->opened | DEDUP_ENDED);
}

/* Clears the packet's entry, unless it belongs to another packet. */
static inline void queue_clear(struct open_queue *q, uint64_t number)
{
	struct dedup_in_flight *h = queue_in_flight(q, number);

	if (h->number == number + 1)
		WRITE_ONCE(h->number, 0);
}
