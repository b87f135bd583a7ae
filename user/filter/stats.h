/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What can be read from a filter's memory and state. Nothing is written, and the filter may be at
 * work meanwhile.
 */
#ifndef XDP_DEDUP_STATS_H
#define XDP_DEDUP_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "fill.h"

/* The layout's fill(): what the sampled blocks say about the ids. `hand` is dedup_state.hand. */
struct fill stats_fill_by(const struct dedup_config *cfg, const struct dedup_block *blocks,
			  uint64_t hand, struct sample sample);

/* The same of the whole memory. */
struct fill stats_fill(const struct dedup_config *cfg, const struct dedup_block *blocks,
		       uint64_t hand);

/* The age in ns of the oldest id that may still be known, an upper bound: that of the ids at the
 * place that the hand passes next, which were learned since the hand passed it two turns ago
 * (countdown: one), or since the load. Right to one segment's share of a turn. now_ns is the
 * kernel's clock.
 */
uint64_t stats_oldest_ns(const struct dedup_config *cfg, const struct dedup_state *st,
			 uint64_t now_ns);

/* Has the hand stopped? Then every packet passes. now_ns is the kernel's clock (clock.h). */
bool stats_stopped(const struct dedup_config *cfg, const struct dedup_state *st, uint64_t now_ns);

#endif
