/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The maps of a filter that delivers (include/deliver.h), for the library, which has the sockets,
 * and for status. Logs nothing.
 */
#ifndef XDP_DEDUP_DELIVERY_H
#define XDP_DEDUP_DELIVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "deliver.h"
#include "open_filter.h"

/* The maps. `sockets` and `in_flight` are memory that the packet program changes at any time. */
struct delivery {
	int xsks_fd, queues_fd;
	struct dedup_socket *sockets;	   /* DEDUP_SOCKETS_MAX of them */
	struct dedup_in_flight *in_flight; /* DEDUP_IN_FLIGHT_MAX for each */
};

/* Opens the maps of an open filter. Returns 0, and the caller closes *out with delivery_close();
 * -EOPNOTSUPP if the filter does not deliver; -ENOENT if it has been unloaded; another -errno as
 * filter_open() does.
 */
int delivery_open(const struct filter *f, struct delivery *out);

/* Makes *d empty, so that delivery_close() does nothing. */
void delivery_begin(struct delivery *d);
void delivery_close(struct delivery *d);

/* Notifies the owners of open sockets that the filter is unloaded: sets DEDUP_ENDED. Does nothing
 * if *d is empty.
 */
void delivery_end(const struct delivery *d);

/* Reopens the slot for a new socket; the old socket loses it. Returns the new dedup_socket.opened. */
uint32_t delivery_reopen(struct dedup_socket *s);

/* Does the filter's record have this interface? */
bool delivery_runs_on(const struct filter *f, uint32_t ifindex);

/* Finds a slot for the queue: its own; or a free one; or that of a queue whose interface is not in
 * the filter's record any more. Returns the slot; -ENOSPC if all DEDUP_SOCKETS_MAX are taken; or
 * another -errno.
 */
int delivery_slot(const struct delivery *d, const struct filter *f, struct dedup_queue queue);

/* Puts a socket into its slot. From then on, until it is closed, it receives packets. Returns 0, or
 * -errno.
 */
int delivery_enter(const struct delivery *d, uint32_t slot, int socket_fd);

/* The in-flight entry of a packet, by the packet's number or the lower half of that number. */
static inline struct dedup_in_flight *delivery_in_flight(const struct delivery *d, uint32_t slot,
							 uint64_t number)
{
	return &d->in_flight[slot * DEDUP_IN_FLIGHT_MAX + number % DEDUP_IN_FLIGHT_MAX];
}

/* Results of delivery_want_unread(): numbers of packets. */
struct delivery_unread {
	unsigned int wanted, lost; /* of readers that have ended: ids wanted; no room for the id */
	unsigned int held_lost;	   /* of readers that may still read them: no room for the id */
};

/* Wants (want.h) the ids of all packets in this slot that were not given back, and clears their
 * entries. Call it only when no program can add an entry: the slot has no socket, or a new one that
 * is bound to the queue. *wanted: number of ids that are wanted; *lost: ids without room.
 */
void delivery_want_left(const struct delivery *d, struct filter *f, uint32_t slot,
			unsigned int *wanted, unsigned int *lost);

/* Calls delivery_want_left() for abandoned slots, and frees them: those of interfaces that are not
 * in f's record, or all slots if f does not deliver. A slot that still has a socket stays: it gets
 * DEDUP_ENDED, and the ids of its entries are wanted (deliver.h). Without CAP_NET_RAW it is unknown
 * which slots have a socket. Then each slot stays.
 */
void delivery_want_unread(const struct delivery *d, struct filter *f, struct delivery_unread *out);

/* Waits up to a second until the readers have closed their zero-copy sockets in abandoned slots
 * (delivery_want_unread()), or in all slots if f is NULL. These readers have been notified. Then
 * waits until the kernel has removed the sockets from the driver's queues. Without CAP_NET_RAW it
 * waits for the full second.
 */
void delivery_await_readers(const struct delivery *d, const struct filter *f);

/* Wants the id of one packet. Returns 1; -errno of want_id(); -EINVAL if its stream no longer
 * exists.
 */
int delivery_want(struct filter *f, const struct dedup_in_flight *h);

/* Undoes delivery_want(). Returns 0; -errno of want_withdraw(); or -EINVAL. */
int delivery_want_no_more(struct filter *f, const struct dedup_in_flight *h);

#endif
