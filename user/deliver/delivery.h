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

/* The maps. Elements of `sockets` and `in_flight` are mapped; the kernel works on them meanwhile. */
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

/* Tells the owners of open sockets that the filter has gone: sets DEDUP_ENDED. Does nothing if *d
 * is empty.
 */
void delivery_end(const struct delivery *d);

/* Opens the slot anew: the socket that had it has lost it. Returns the new dedup_socket.opened. */
uint32_t delivery_reopen(struct dedup_socket *s);

/* Does the filter run on the interface, as its record says? */
bool delivery_runs_on(const struct filter *f, uint32_t ifindex);

/* Finds a slot for the queue: the one that it had; or a free one; or that of a queue that has
 * gone, as the filter does not run on its interface by its record. Returns the slot; -ENOSPC if
 * all DEDUP_SOCKETS_MAX are taken; or another -errno.
 */
int delivery_slot(const struct delivery *d, const struct filter *f, struct dedup_queue queue);

/* Puts a socket into its slot. From then on it gets packets, until it is closed. Returns 0, or
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
	unsigned int wanted, lost; /* of readers that have ended: wanted, or no room for them */
	unsigned int held_lost;	   /* of readers that may read them yet: no room for them */
};

/* Wants (want.h) the ids of all packets in this slot that were not given back, and clears their
 * entries. No program may still add an entry: the slot has no socket, or it has a new one, which
 * is bound to the queue. *wanted: how many ids are wanted; *lost: for how many there was no room.
 */
void delivery_want_left(const struct delivery *d, struct filter *f, uint32_t slot,
			unsigned int *wanted, unsigned int *lost);

/* Calls delivery_want_left() for, and frees, all slots of queues that nobody will open any more:
 * of interfaces on which f does not run by its record, or of all interfaces if f does not deliver.
 * A slot that still has a socket stays: it gets DEDUP_ENDED, and the ids of its entries are wanted
 * (deliver.h). Without CAP_NET_RAW it is unknown which slots have a socket. Then each slot stays.
 */
void delivery_want_unread(const struct delivery *d, struct filter *f, struct delivery_unread *out);

/* Waits up to a second until the readers have closed their zero-copy sockets in the slots of queues
 * that nobody will open any more: those of delivery_want_unread(); all if f is NULL. The readers
 * know already that their queues have ended. Then waits until the kernel has taken these sockets
 * off the driver's queues. Without CAP_NET_RAW it waits for the full second.
 */
void delivery_await_readers(const struct delivery *d, const struct filter *f);

/* Wants the id of one packet. Returns 1; -errno of want_id(); -EINVAL if its stream no longer
 * exists.
 */
int delivery_want(struct filter *f, const struct dedup_in_flight *h);

/* Takes delivery_want() back. Returns 0; -errno of want_key_no_more(); or -EINVAL. */
int delivery_want_no_more(struct filter *f, const struct dedup_in_flight *h);

#endif
