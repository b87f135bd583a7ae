/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Wants of one process, at most WANT_RING_MAX: a newer one displaces the oldest. So they never fill
 * the filter's map, in which others have wants, too. Logs nothing.
 */
#ifndef XDP_DEDUP_WANT_RING_H
#define XDP_DEDUP_WANT_RING_H

#include <stdint.h>

#include "open_filter.h"

#define WANT_RING_MAX 1024 /* of DEDUP_WANTED_MAX in the map */

/* Begins as { 0 }. */
struct want_ring {
	uint64_t cnt; /* of all wants so far */
	struct want_ring_entry {
		struct dedup_id id;
		uint32_t n; /* its stream */
	} entries[WANT_RING_MAX];
};

/* Does what want_key() does, and withdraws the oldest want if there are too many. */
int want_ring_add(struct want_ring *r, struct filter *f, const struct dedup_id *id, uint32_t n);

#endif
