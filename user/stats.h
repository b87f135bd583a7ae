/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the bits of a filter say about it. Pure reading: the filter may be
 * at work meanwhile.
 */
#ifndef XDP_DEDUP_STATS_H
#define XDP_DEDUP_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "memory.h"

struct fill {
	uint64_t set_current, set_previous; /* bits; countdown: cells above 0, and 0 */
	double current, previous;	    /* the part that these are of all there are */
	double ids;			    /* estimated, both generations */
	double fpr;			    /* of a fresh id now */
};

/* `hand` as in struct dedup_state. Reads the whole memory. */
struct fill stats_fill(const struct dedup_config *cfg, const struct dedup_block *blocks,
		       uint64_t hand);

/* Countdown: how many cells have 0, 1, ... config->places countdowns to go. */
void stats_histogram(const struct dedup_config *cfg, const struct dedup_block *blocks,
		     uint64_t hand, uint64_t *cells);

/* Countdown: the ids that were learned and have not expired, never fewer. Exact while none
 * is removed or added again, and with at most 10 countdown bits; beyond, the ids of 1/1024
 * of their life are too many. credit: of filter_counters().
 */
uint64_t stats_approx_count(const struct dedup_config *cfg, struct dedup_state *st, int64_t credit);

/* Nanoseconds since the oldest id that may still be there was learned: the places
 * just before the hand were passed two turns ago (countdown: one), or never yet. To one
 * segment of a turn.
 */
uint64_t stats_oldest_ns(const struct dedup_config *cfg, const struct dedup_state *st,
			 uint64_t now_ns);

/* The part of its turn that the hand has done. Flat: of the window that it rests for. */
double stats_hand(const struct dedup_config *cfg, struct dedup_state *st, uint64_t now_ns);

/* Has the hand stopped? Then every packet passes. now_ns is the kernel's clock (clock.h). */
bool stats_stopped(const struct dedup_config *cfg, const struct dedup_state *st, uint64_t now_ns);

#endif
