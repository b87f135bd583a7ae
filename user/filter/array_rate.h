/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The false-positive rate of an array of m bits, or cells, with k probes (1 to
 * DEDUP_HASHES_MAX): it is a matter of the scheme that picks the positions. Pure arithmetic.
 *
 * Most schemes draw k positions independently. Two things make a difference.
 *
 * 32 bits do not divide by m. Of fast, siphash, colibri and fnv1a's later positions r =
 * 2^32 mod m are drawn more often than the rest. With v the relative variance of a
 * position's chance, r/m (1 - r/m) (m / 2^32)^2, the bits that are looked at are set more
 * often than all bits are, fill: by v (1 - fill) -ln(1 - fill), to first order in v, which
 * counts from m = 2^26 on.
 *
 * Double hashing (fips) draws a start and a step s, so an id is an arithmetic progression.
 * - With a chance of phi(d) / m, for d < k that divides m, s has the order d modulo m, and
 *   all k probes are d bits only: with 1 / m it is one.
 * - Ids that are on one line with the probe, s' Q = s P for small P, Q, meet it at every
 *   P-th of its positions. Per pair of strides there are 2 phi(g) such lines if g = gcd(P, Q)
 *   divides m (else none), and on each as many ids meet in at least h positions as (k - (h
 *   - 1) P)(k - (h - 1) Q) says. An id of which h are met leaves k - h to chance. What that
 *   adds to independent bits is, per id and to first order in 1 / m^2, fill^(k - h) - fill^k
 *   (1 + h y), y = (1 - fill) / fill; pairs (h = 2) occur among independent positions too,
 *   k (k - 1) k^2 / 2 of them.
 * Both are exact where m divides 2^64, else too high, as h1 + i h2 goes round 2^64 and leaves
 * its line there. Dillinger and Manolios (FMCAD 2004) found these terms; the sums are our own.
 */
#ifndef XDP_DEDUP_ARRAY_RATE_H
#define XDP_DEDUP_ARRAY_RATE_H

#include <stdint.h>

#include "config.h"

/* The rate of an array that n ids (>= 0) have been learned into: the mean over what they may
 * have set. Exact for independent positions that are few, else to second order in 1 / m,
 * which is more than the textbook's (1 - e^(-kn/m))^k where m is small (Bose et al., Inf.
 * Proc. Letters 108, 2008).
 */
double array_rate(enum dedup_hash_scheme hash, uint32_t m, uint32_t k, double n);

/* The same of `arrays` (1 or 2) of them: either may err. */
double array_rate_of(int arrays, enum dedup_hash_scheme hash, uint32_t m, uint32_t k, double n);

/* The rate of an array of which a part, `fill` (0 to 1), is known to be set. */
double array_rate_at(enum dedup_hash_scheme hash, uint32_t m, uint32_t k, double fill);

/* How many ids set so many (at most m) bits, on average: -(m/k) ln(1 - set/m) (Swamidass,
 * Baldi, J. Chem. Inf. Model. 47, 2007). INFINITY for all of them.
 */
double array_ids(uint32_t m, uint32_t k, double set);

/* The same of what a filter holds: it is as good as never full. */
double array_learned(uint32_t m, uint32_t k, uint64_t set);

#endif
