/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The maps of a filter that delivers (include/deliver.h), for the library, which has the sockets,
 * and for status. Logs nothing.
 */
#pragma once

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

/* Does the filter's record have this interface? */
bool delivery_runs_on(const struct filter *f, uint32_t ifindex);

/* Finds a slot for the queue: its own; or a free one; or that of a queue whose interface is not in
 * the filter's record any more. Returns the slot; -ENOSPC if all DEDUP_SOCKETS_MAX are taken; or
 * another -errno.
 */
int delivery_slot(const struct delivery *d, const struct filter *f, struct dedup_queue queue);

/* Gives the slot of the owner `was` to another, 0 for none, without the credits of its last reader.
 * Returns false if another process has done so.
 */
bool delivery_take_slot_over(const struct delivery *d, uint32_t slot, uint64_t was, uint64_t owner);

/* The in-flight entry of a packet, by the packet's number or the lower half of that number. */
static inline struct dedup_in_flight *delivery_in_flight(const struct delivery *d, uint32_t slot,
							 uint64_t number)
{
	return &d->in_flight[slot * DEDUP_IN_FLIGHT_MAX + number % DEDUP_IN_FLIGHT_MAX];
}

/* Wants (want.h) the ids of all packets in this slot that were not given back. Adds to *wanted, or
 * to *lost if there is no room for an id. ends: also clears the packets' entries. Set it only when
 * no program can add an entry: the slot has no socket, or a new one that is bound to the queue.
 */
void delivery_want_left(const struct delivery *d, struct filter *f, uint32_t slot, bool ends,
			unsigned int *wanted, unsigned int *lost);

/* Wants the id of one packet, and undoes that. Returns 1, or 0; -errno of want.h; -EINVAL if its
 * stream no longer exists.
 */
int delivery_want(struct filter *f, const struct dedup_in_flight *h);
int delivery_want_no_more(struct filter *f, const struct dedup_in_flight *h);
