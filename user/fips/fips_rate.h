/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a FIPS filter's fill says, for reports and for choosing limits: the only part of
 * it that needs floating point. m bits, k hashes; m = FIPS_BITS(size_class), size_class
 * and hash_count in the ranges of fips.h.
 */
#ifndef XDP_DEDUP_FIPS_RATE_H
#define XDP_DEDUP_FIPS_RATE_H

#include "fips.h"

/* The share of bits that are set, in [0, 1]. */
double fips_fill(const struct fips_filter *f);

/* The chance that an item that was not inserted is found, of a filter with so many bits set:
 * more than fill^k, for double hashing's sake (array_rate_at).
 */
double fips_fpr(const struct fips_filter *f);

/* How many different items are in it: -(m/k) ln(1 - fill) (Swamidass, Baldi, 2007). 0 for
 * an empty filter; INFINITY for one whose bits are all set, which has no upper bound.
 */
double fips_estimate(const struct fips_filter *f);

/* Of a filter of n (>= 0) items what FIPS' own tables say: 1 - e^(-kn/m), and its k-th power,
 * which is the rate of independent positions, and too low for these.
 */
double fips_expected_fill(double n, uint32_t size_class, uint32_t hash_count);
double fips_expected_fpr(double n, uint32_t size_class, uint32_t hash_count);

/* The k (not rounded) that makes the rate at n (> 0) items smallest: (m/n) ln 2. */
double fips_best_hashes(double n, uint32_t size_class);

/* How many items bring that rate to fpr (in [0, 1]); INFINITY for 1. */
double fips_items_at(double fpr, uint32_t size_class, uint32_t hash_count);

/* The most bits that may be set in a filter whose rate is to be fpr or less: exactly, to
 * the bit. All m for an fpr of 1 or more, 0 for one of 0 or less, or no number.
 */
uint32_t fips_cap_bits(double fpr, uint32_t size_class, uint32_t hash_count);

#endif
