/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Computes figures from a live filter's memory and state. Writes nothing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "fill.h"
#include "open_filter.h"
#include "totals.h"

/* Computes the fill from the sampled blocks. hand: dedup_state.hand. */
struct fill stats_fill(const struct dedup_config *cfg, const struct dedup_block *blocks,
		       uint64_t hand, struct sample sample);

/* Computes the fill of an open filter: from all its memory if `exact`, else from a sample. */
struct fill stats_fill_of(const struct filter *f, bool exact, uint64_t seed);

/* Returns an upper bound, in ns, of the age of the oldest id that may still be known: the ids at
 * the place that the hand passes next were learned since it passed that place two turns ago
 * (countdown: one), or since the load. Exact to one segment's share of a turn. now_ns is the
 * kernel's clock.
 */
uint64_t stats_oldest_ns(const struct dedup_config *cfg, const struct dedup_state *st,
			 uint64_t now_ns);

/* How fast ids arrive, and for how long they are remembered. */
struct stats_pace {
	uint64_t ids; /* learned since the guard (hand.h) of the place that the hand passes next */
	/* The time in which they were learned: ids that are forgotten next are at least this old.
	 * About a window, unless load or a request makes the hand faster.
	 */
	uint64_t age_ns;
};
/* credit: of filter_counters(), so that ids which are only claimed do not count. */
struct stats_pace stats_pace(const struct dedup_config *cfg, struct dedup_state *st, int64_t credit,
			     uint64_t now_ns);

/* Returns the longest time, in ns, until a predecessor (include/predecessor.h) has forgotten every
 * id, without delays of its hand; 0 if it has forgotten all. While it is in charge, the time counts
 * as if that ended now.
 */
uint64_t stats_forgets_in_ns(const struct dedup_config *cfg, struct dedup_state *st, uint64_t now_ns);

/* Returns whether packets look up ids in a predecessor. */
bool stats_uses_predecessor(const struct filter *f);

/* Returns part / whole; 0 if whole is 0 or less. */
double stats_share(double part, double whole);

/* Returns the false-positive rate of two memories together. a, b: their rates. */
double stats_rate_of_both(double a, double b);

/* Computes what was counted between two readings of a filter's counters. Returns false if a
 * counter has gone back: then it is another filter.
 */
bool stats_between(const struct filter_counters *now, const struct filter_counters *before,
		   struct filter_counters *out);

/* Returns the number of fresh packets for sockets, delivered or not. */
double stats_deliveries(const struct filter_counters *c);

/* Returns whether the hand has stopped: then every packet passes. now_ns is the kernel's clock. */
bool stats_stopped(const struct dedup_config *cfg, const struct dedup_state *st, uint64_t now_ns);
