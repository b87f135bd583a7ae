/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a filter has counted (include/counters.h): its map `stats`, added up. Logs nothing. */
#ifndef XDP_DEDUP_TOTALS_H
#define XDP_DEDUP_TOTALS_H

#include "counters.h"
#include "open_filter.h"

/* The counters, summed over the CPUs. credit: ids that dedup_state.learned counts already, and that
 * the CPUs may still learn. dropped_bytes: of the packets that were dropped.
 */
struct filter_counters {
#define X(name, help) __u64 name;
	DEDUP_COUNTERS(X)
#undef X
	__s64 credit;
	__u64 dropped_bytes;
};
int filter_counters(const struct filter *f, struct filter_counters *sum);

/* The same of each possible CPU. 0, and the caller frees *each, which has *cpus; or -errno. */
int filter_cpu_counters(const struct filter *f, struct filter_counters **each, int *cpus);

/* When a filter's program is exchanged: makes what *old has counted, also in earlier programs, what
 * earlier programs of *f have, by stream. No program of *old runs any more. What was counted in
 * streams that there are no more is lost. 0 or -errno.
 */
int filter_keep_counters(const struct filter *old, const struct filter *f);

/* Those of stream n alone: without packets of no stream (`ignored`) and without what the hand did. */
int filter_stream_counters(const struct filter *f, uint32_t n, struct filter_counters *sum);

#endif
