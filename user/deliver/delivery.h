/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The maps of a filter that delivers (include/deliver.h), from user space: for the library, which
 * has the sockets, and for status. Logs nothing.
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

/* Opens those of an open filter. 0, and the caller closes *out; -EOPNOTSUPP: the filter does not
 * deliver; -ENOENT: it has been unloaded; another -errno as of filter_open().
 */
int delivery_open(const struct filter *f, struct delivery *out);

/* None yet: delivery_close() does nothing. */
void delivery_begin(struct delivery *d);
void delivery_close(struct delivery *d);

/* The filter has gone: whoever has a socket open finds DEDUP_ENDED. None yet: it does nothing. */
void delivery_end(const struct delivery *d);

/* The slot is opened anew, so that who opened it before has lost it. Its dedup_socket.opened. */
uint32_t delivery_reopen(struct dedup_socket *s);

/* Does the filter run on the interface, as its record says? */
bool delivery_runs_on(const struct filter *f, uint32_t ifindex);

/* Gives the queue a slot, the same one each time, and the one of a queue that has gone if there is
 * no other: that of an interface on which the filter does not run, as its record says. Returns the
 * slot; -ENOSPC if all DEDUP_SOCKETS_MAX are taken; another -errno.
 */
int delivery_slot(const struct delivery *d, const struct filter *f, struct dedup_queue queue);

/* Puts a socket into its slot, from where on it gets packets, until it is closed. 0 or -errno. */
int delivery_enter(const struct delivery *d, uint32_t slot, int socket_fd);

/* The entry of a packet by its number, or by the lower half of it. */
static inline struct dedup_in_flight *delivery_in_flight(const struct delivery *d, uint32_t slot,
							 uint64_t number)
{
	return &d->in_flight[slot * DEDUP_IN_FLIGHT_MAX + number % DEDUP_IN_FLIGHT_MAX];
}

/* Packets of delivery_want_unread(). */
struct delivery_unread {
	unsigned int wanted, lost; /* of readers that have ended: wanted, or no room for them */
	unsigned int held_lost;	   /* of readers that may read them yet: no room for them */
};

/* Wants (want.h) the ids of all packets in this slot that were not given back, and forgets them.
 * No program may still be about to add one: none is in the slot, or there is another socket in it
 * already, which has been bound to the queue. *wanted and *lost: how many are wanted, and for how
 * many there was no room.
 */
void delivery_want_left(const struct delivery *d, struct filter *f, uint32_t slot,
			unsigned int *wanted, unsigned int *lost);

/* Does that in all slots of queues that nobody will open any more, and frees these: of interfaces
 * on which f does not run, as its record says; of all if f does not deliver. Those stay in which
 * there is a socket yet: they have DEDUP_ENDED, and their entries are wanted (deliver.h).
 */
void delivery_want_unread(const struct delivery *d, struct filter *f, struct delivery_unread *out);

/* Likewise of one packet. 1; -errno of want_id(), or -EINVAL: its stream is no longer there. */
int delivery_want(struct filter *f, const struct dedup_in_flight *h);

/* Takes that back. 0; -errno of want_key_no_more(), or -EINVAL. */
int delivery_want_no_more(struct filter *f, const struct dedup_in_flight *h);

#endif
