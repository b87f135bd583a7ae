/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the bits of a blocked filter say about it. Pure reading: the filter may be
 * at work meanwhile.
 */
#ifndef XDP_DEDUP_STATS_H
#define XDP_DEDUP_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "block.h"
#include "config.h"

struct fill {
	double current, previous; /* part of the bits that are set, by half */
	double ids;		  /* estimated, both halves */
	double fpr;		  /* of a fresh id now, from every block's own bits */
};

/* `hand` as in struct dedup_state. Reads all blocks. */
struct fill stats_fill(const struct dedup_config *cfg, const struct dedup_block *blocks,
		       uint64_t hand);

/* Nanoseconds since the oldest id that may still be there was learned: the blocks
 * just before the hand were passed two turns ago, or never yet. To one segment of a turn.
 */
uint64_t stats_oldest_ns(const struct dedup_config *cfg, const struct dedup_state *st,
			 uint64_t now_ns);

/* Has the hand stopped? Then every packet passes. */
bool stats_stopped(const struct dedup_config *cfg, const struct dedup_state *st, uint64_t now_ns);

#endif
