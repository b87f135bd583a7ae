/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What can be read from a filter's memory and state. Nothing is written, and the filter may be at
 * work meanwhile. Others may have written the state: whatever is in it, functions read no memory
 * but the filter's, and end.
 */
#ifndef XDP_DEDUP_STATS_H
#define XDP_DEDUP_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "fill.h"
#include "open_filter.h"
#include "totals.h"

/* The layout's fill(): what the sampled blocks say about the ids. `hand` is dedup_state.hand. */
struct fill stats_fill_by(const struct dedup_config *cfg, const struct dedup_block *blocks,
			  uint64_t hand, struct sample sample);

/* The same of the whole memory. */
struct fill stats_fill(const struct dedup_config *cfg, const struct dedup_block *blocks,
		       uint64_t hand);

/* The same of an open filter: all of its memory, or a sample by this seed. */
struct fill stats_fill_of(const struct filter *f, bool exact, uint64_t seed);

/* The age in ns of the oldest id that may still be known, an upper bound: that of the ids at the
 * place that the hand passes next, which were learned since the hand passed it two turns ago
 * (countdown: one), or since the load. Right to one segment's share of a turn. now_ns is the
 * kernel's clock.
 */
uint64_t stats_oldest_ns(const struct dedup_config *cfg, const struct dedup_state *st,
			 uint64_t now_ns);

/* How fast ids come, and for how long they are remembered. */
struct stats_pace {
	uint64_t ids; /* learned since the guard (hand.h) of the place that the hand passes next */
	uint64_t age_ns; /* for so long: what is forgotten next is at least so old; about a window
			  * unless the hand goes faster by load, or by request
			  */
};
/* credit is of filter_counters(): ids that are only claimed do not count. */
struct stats_pace stats_pace(const struct dedup_config *cfg, struct dedup_state *st, int64_t credit,
			     uint64_t now_ns);

/* How long, at most, until a predecessor (include/predecessor.h) has forgotten every id, in ns; its
 * hand's lateness comes on top. 0: it has. While it is in charge: counted from now.
 */
uint64_t stats_forgets_in_ns(const struct dedup_config *cfg, struct dedup_state *st, uint64_t now_ns);

/* Is there a predecessor that packets ask? */
bool stats_asks_before(const struct filter *f);

/* The rate at which fresh ids are taken for known ones by either of two memories whose rates these
 * are.
 */
double stats_rate_of_both(double a, double b);

/* What came between two readings of a filter's counters. False if one has gone back: it is another
 * filter then.
 */
bool stats_came(const struct filter_counters *now, const struct filter_counters *before,
		struct filter_counters *out);

/* Fresh packets that sockets were to have: delivered, or not. */
double stats_deliveries(const struct filter_counters *c);

/* Has the hand stopped? Then every packet passes. now_ns is the kernel's clock (clock.h). */
bool stats_stopped(const struct dedup_config *cfg, const struct dedup_state *st, uint64_t now_ns);

#endif
