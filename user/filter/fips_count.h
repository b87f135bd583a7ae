/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rate of the very bits that a FIPS array has, counted over all starts and steps of an
 * item: array_rate.h takes bits for those of random items, but what comes from a peer may be
 * chosen. Every 4th bit is a quarter of them; of k = 5 one item in 16 is in such an array,
 * where of random bits it is one in 1,000.
 */
#ifndef XDP_DEDUP_FIPS_COUNT_H
#define XDP_DEDUP_FIPS_COUNT_H

#include <stdint.h>

#include "compiler.h"

#define FIPS_COUNT_BITS 8192 /* at most: takes 1 to 7 ms there, k being 5 */

/* The chance that an item is found whose h1 and h2 are any. m is a power of 2 from 64 to
 * FIPS_COUNT_BITS.
 */
double fips_counted_rate(const __u64 *bits, uint32_t m, uint32_t k);

/* What is to be added to array_rate_at() of this array, of m bits (a power of 2 from 64 on)
 * with `more` set (so many of v1's bits as fit, from the first on; NULL: none). In a larger
 * array than v1's filter one that was absorbed is there over and over; to double hashing that
 * part is as small as the filter was. It is counted as such, with the few bits that are set
 * in all repetitions by chance.
 */
double fips_excess(const __u64 *array, uint32_t m, uint32_t k, const __u64 *more);

#endif
