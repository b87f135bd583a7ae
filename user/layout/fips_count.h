/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The false-positive rate of a given FIPS array, counted over all starts and steps that an item may
 * have. array_rate.h assumes the bits of random items, but a peer may choose what it sends. If
 * every 4th bit is set, for example, one item in 16 is found with k = 5; if a quarter of the bits
 * is set at random, it is one in 1,000.
 */
#pragma once

#include <stdint.h>

#include "compiler.h"

#define FIPS_COUNT_BITS 8192 /* the largest m to count, which takes 0.6 ms with k = 5 */

/* Returns the chance that an item with random h1 and h2 is found. m: a power of 2 from 64 to
 * FIPS_COUNT_BITS.
 */
double fips_counted_rate(const __u64 *bits, uint32_t m, uint32_t k);

/* Returns how far the rate of this array (m bits, a power of 2 from 64 on) is above
 * array_rate_at(), which assumes random bits; 0 if it is not above. more: bits that also count as
 * set, the first min(m, FIPS_COUNT_BITS) of a v1 filter; NULL: none.
 *
 * An array that is larger than a v1 filter repeats an absorbed v1 filter all over, and double
 * hashing finds items there as often as in the small filter. So the bits that all repetitions have
 * in common are counted as an array of v1's size; a few bits are common by chance.
 */
double fips_excess(const __u64 *array, uint32_t m, uint32_t k, const __u64 *more);
