/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rates and estimates from a FIPS filter's fill, for reports and for choosing limits; in floating
 * point, unlike fips.h. m = FIPS_BITS(size_class) bits and k = hash_count hashes, both in the
 * ranges of fips.h; n items.
 */
#ifndef XDP_DEDUP_FIPS_RATE_H
#define XDP_DEDUP_FIPS_RATE_H

#include "fips.h"

/* The share of bits that are set, in [0, 1]. */
double fips_fill(const struct fips_filter *f);

/* The filter's false-positive rate, from how many bits are set: array_rate_at(), which is above
 * fill^k as the hashes are not independent.
 */
double fips_fpr(const struct fips_filter *f);

/* An estimate of how many different items are in the filter: array_ids(). 0 if it is empty;
 * INFINITY if all bits are set.
 */
double fips_estimate(const struct fips_filter *f);

/* What FIPS' own tables say of a filter of n (>= 0) items: the fill 1 - e^(-kn/m), and the rate
 * fill^k. That rate is for independent positions, and so lower than fips_fpr().
 */
double fips_expected_fill(double n, uint32_t size_class, uint32_t hash_count);
double fips_expected_fpr(double n, uint32_t size_class, uint32_t hash_count);

/* The k (not rounded) that makes the rate at n (> 0) items smallest: (m/n) ln 2. */
double fips_best_hashes(double n, uint32_t size_class);

/* How many items bring fips_expected_fpr() to fpr (in [0, 1]); INFINITY for 1. */
double fips_items_at(double fpr, uint32_t size_class, uint32_t hash_count);

/* The largest number of set bits with which a filter's fips_fpr() is at most fpr; exact to the bit.
 * m if fpr is 1 or more; 0 if it is 0 or less, or NAN.
 */
uint32_t fips_cap_bits(double fpr, uint32_t size_class, uint32_t hash_count);

#endif
