/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Adds up a filter's counters (include/counters.h) from its map `stats`. Logs nothing. */
#pragma once

#include "counters.h"
#include "open_filter.h"

/* The counters, summed over the CPUs. credit: ids that dedup_state.learned counts already, but the
 * CPUs have not learned yet. dropped_bytes: the bytes of dropped packets.
 */
struct filter_counters {
#define X(name, help) __u64 name;
	DEDUP_COUNTERS(X)
#undef X
	__s64 credit;
	__u64 dropped_bytes;
};
int filter_counters(const struct filter *f, struct filter_counters *sum);

/* Returns how many rows the map `stats` has with this configuration (config.earlier_stats). */
static inline __u32 totals_rows(const struct dedup_config *c)
{
	return c->policy.streams_cnt * (c->earlier_stats ? 2 : 1) + (c->earlier_stats > 1);
}

/* Reads the counters of each possible CPU. Returns 0, and the caller frees *each, which has *cpus
 * elements; or -errno.
 */
int filter_cpu_counters(const struct filter *f, struct filter_counters **each, int *cpus);

/* Keeps the counters when a filter's program is exchanged: adds the counts of *old and its earlier
 * programs, by stream, to those of earlier programs of *f. No program of *old runs any more. Counts
 * of streams that do not exist any more stay in the filter's sums (filter_counters()). Returns 0,
 * or -errno.
 */
int filter_keep_counters(const struct filter *old, const struct filter *f);

/* Reads the counters of stream n, without those that belong to no stream: `ignored`, and the counts
 * of the hand. Returns 0, or -errno.
 */
int filter_stream_counters(const struct filter *f, uint32_t n, struct filter_counters *sum);
