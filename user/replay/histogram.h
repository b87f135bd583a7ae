/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How old duplicates are: a histogram of times in ns, with 32 steps for each doubling. So a time
 * that is read from it is at most 1/32 too high.
 */
#ifndef XDP_DEDUP_HISTOGRAM_H
#define XDP_DEDUP_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_BITS 5
#define HISTOGRAM_CNT ((64 - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS)

struct histogram {
	uint64_t cnt, greatest;
	uint32_t in[HISTOGRAM_CNT]; /* stays at its highest number */
};

void histogram_add(struct histogram *a, uint64_t ns);

/* Returns the age that this part (0 to 1) of all do not exceed: at most 1/32 too high, and never
 * above the greatest. 0 if the histogram is empty.
 */
uint64_t histogram_part(const struct histogram *a, double part);

/* Returns how many are at most this old; those within 1/32 of the limit may be missing. */
uint64_t histogram_within(const struct histogram *a, uint64_t ns);

#endif
