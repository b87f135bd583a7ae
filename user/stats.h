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
	double read_part;		    /* of the memory; below 1 all of these are estimates */
	double ids_error; /* standard error of `ids` from reading only a part, about; 0: all was read */
};

/* What is read of a memory: of each `stride` blocks one, which the seed draws. */
struct sample {
	uint32_t stride;
	uint64_t seed;
};
#define STATS_ALL ((struct sample){ 1, 0 })

/* Of a memory of more than STATS_BLOCKS_MAX blocks (4 MB), 2 to 4 MB: the sum over it has no bias,
 * whatever it holds. Of a smaller one, all.
 */
#define STATS_BLOCKS_MAX 65536
struct sample stats_sample(const struct dedup_config *cfg, uint64_t seed);

/* `hand` as in struct dedup_state. */
struct fill stats_fill_by(const struct dedup_config *cfg, const struct dedup_block *blocks,
			  uint64_t hand, struct sample sample);

/* The same of the whole memory. */
struct fill stats_fill(const struct dedup_config *cfg, const struct dedup_block *blocks,
		       uint64_t hand);

/* Countdown: how many cells have 0, 1, ... config->places countdowns to go. */
void stats_histogram(const struct dedup_config *cfg, const struct dedup_block *blocks,
		     uint64_t hand, struct sample sample, uint64_t *cells);

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
