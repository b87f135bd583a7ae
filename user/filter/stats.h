/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the bits of a filter say about it. Pure reading: the filter may be
 * at work meanwhile.
 */
#ifndef XDP_DEDUP_STATS_H
#define XDP_DEDUP_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "fill.h"

/* By its layout; `hand` as in struct dedup_state. */
struct fill stats_fill_by(const struct dedup_config *cfg, const struct dedup_block *blocks,
			  uint64_t hand, struct sample sample);

/* The same of the whole memory. */
struct fill stats_fill(const struct dedup_config *cfg, const struct dedup_block *blocks,
		       uint64_t hand);

/* Nanoseconds since the oldest id that may still be there was learned: the places
 * just before the hand were passed two turns ago (countdown: one), or never yet. To one
 * segment of a turn.
 */
uint64_t stats_oldest_ns(const struct dedup_config *cfg, const struct dedup_state *st,
			 uint64_t now_ns);

/* Has the hand stopped? Then every packet passes. now_ns is the kernel's clock (clock.h). */
bool stats_stopped(const struct dedup_config *cfg, const struct dedup_state *st, uint64_t now_ns);

#endif
