/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A histogram of duplicates' ages in ns, with 32 steps for each doubling, so a time that is read
 * from it is at most 1/32 too high.
 */
#pragma once

#include <stdint.h>

#define HISTOGRAM_BITS 5
#define HISTOGRAM_CNT ((64 - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS)

struct histogram {
	uint64_t cnt, greatest;
	uint32_t in[HISTOGRAM_CNT]; /* saturates */
};

void histogram_add(struct histogram *a, uint64_t ns);

/* Returns the age that this part (0 to 1) of all ages does not exceed: at most 1/32 too high, and
 * never above the greatest age. 0 if the histogram is empty.
 */
uint64_t histogram_part(const struct histogram *a, double part);

/* Returns how many ages are at most `ns`; those within 1/32 of it may be missing. */
uint64_t histogram_within(const struct histogram *a, uint64_t ns);
