/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How old duplicates are: a histogram of times, in ns, of 32 steps for each doubling, so that what
 * is read from it is at most 1/32 too high.
 */
#ifndef XDP_DEDUP_AGES_H
#define XDP_DEDUP_AGES_H

#include <stdint.h>

#define AGES_BITS 5
#define AGES_CNT ((64 - AGES_BITS + 1) << AGES_BITS)

struct ages {
	uint64_t cnt, greatest;
	uint32_t in[AGES_CNT]; /* stays at its highest number */
};

void ages_add(struct ages *a, uint64_t ns);

/* The age that a part, 0 to 1, of all do not exceed: at most 1/32 too high, and never above the
 * greatest. 0 if there are none.
 */
uint64_t ages_part(const struct ages *a, double part);

/* How many of them are of at most this age: those that are nearer to it than 1/32 may be missing. */
uint64_t ages_within(const struct ages *a, uint64_t ns);

#endif
