/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What can be read from a filter's memory and state while it works. Writes nothing. */
#ifndef XDP_DEDUP_STATS_H
#define XDP_DEDUP_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "fill.h"
#include "open_filter.h"
#include "totals.h"

/* Calls the layout's fill() for the sampled blocks. hand: dedup_state.hand. */
struct fill stats_fill(const struct dedup_config *cfg, const struct dedup_block *blocks,
		       uint64_t hand, struct sample sample);

/* Computes the fill of an open filter: of all its memory if `exact`, else of a sample by this
 * seed.
 */
struct fill stats_fill_of(const struct filter *f, bool exact, uint64_t seed);

/* Returns an upper bound, in ns, of the age of the oldest id that may still be known. That is the
 * age of the ids at the place that the hand passes next: they were learned since the hand passed
 * that place two turns ago (countdown: one), or since the load. Exact to one segment's share of a
 * turn. now_ns is the kernel's clock.
 */
uint64_t stats_oldest_ns(const struct dedup_config *cfg, const struct dedup_state *st,
			 uint64_t now_ns);

/* How fast ids come, and for how long they are remembered. */
struct stats_pace {
	uint64_t ids; /* learned since the guard (hand.h) of the place that the hand passes next */
	/* In this time; the ids that are forgotten next are at least this old. About a window,
	 * unless the hand goes faster by load, or by request.
	 */
	uint64_t age_ns;
};
/* credit: of filter_counters(); ids that are only claimed do not count. */
struct stats_pace stats_pace(const struct dedup_config *cfg, struct dedup_state *st, int64_t credit,
			     uint64_t now_ns);

/* Returns the longest time, in ns, until a predecessor (include/predecessor.h) has forgotten every
 * id, without its hand's lateness. 0: it has forgotten all. While it is in charge, the time counts
 * from now.
 */
uint64_t stats_forgets_in_ns(const struct dedup_config *cfg, struct dedup_state *st, uint64_t now_ns);

/* Is there a predecessor in which packets look their ids up? */
bool stats_asks_predecessor(const struct filter *f);

/* Returns part / whole; 0 if whole is 0 or less. */
double stats_share(double part, double whole);

/* Returns the rate at which at least one of two memories takes a fresh id for a known one. a, b:
 * their rates.
 */
double stats_rate_of_both(double a, double b);

/* Computes what was counted between two readings of a filter's counters. Returns false if a
 * counter has gone back: then it is another filter.
 */
bool stats_came(const struct filter_counters *now, const struct filter_counters *before,
		struct filter_counters *out);

/* Returns the number of fresh packets for sockets, delivered or not. */
double stats_deliveries(const struct filter_counters *c);

/* Has the hand stopped? Then every packet passes. now_ns is the kernel's clock (clock.h). */
bool stats_stopped(const struct dedup_config *cfg, const struct dedup_state *st, uint64_t now_ns);

#endif
