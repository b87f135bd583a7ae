/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The false-positive rate of an array of m bits, or cells, with k probes (1 to
 * DEDUP_HASHES_MAX). It depends on the scheme that picks the positions. For random ids:
 * what a hash makes of others is not in it. Pure arithmetic.
 *
 * The textbook's rate is fill^k, for k independent positions that are all equally likely. Two
 * things make the real one higher.
 *
 * Positions that are not equally likely. fast, siphash, colibri and fnv1a (from its second
 * position on) take a 32-bit number to one of m, so that r = 2^32 mod m positions come more often
 * than the others. Let v be the relative variance of a position's chance, r/m (1 - r/m)
 * (m / 2^32)^2. A bit that is probed is then set not with the chance `fill` of all bits, but with
 * fill + v (1 - fill) -ln(1 - fill), to first order in v. It matters from m = 2^26 on.
 *
 * Double hashing (fips): an id's positions are an arithmetic progression from a start by a step s,
 * modulo m.
 * - A step of order d modulo m, for d < k, probes only d different bits. For each d that divides m
 *   that has the chance phi(d) / m; for d = 1 it is one bit, with the chance 1 / m.
 * - A learned id, of step s', is "on one line" with the id that is looked up, of step s, if s' Q =
 *   s P for small P and Q: then they may have many positions in common, every P-th of the one and
 *   every Q-th of the other. For each P and Q there are 2 phi(g) such lines if g = gcd(P, Q)
 *   divides m, else none; and on a line (k - (h - 1) P)(k - (h - 1) Q) pairs of positions begin h
 *   common ones. Where h of the k are common, k - h are left to chance. Over independent bits that
 *   adds, per learned id and to first order in 1 / m^2, fill^(k - h) - fill^k (1 + h y), y =
 *   (1 - fill) / fill. The part that independent positions also have is subtracted: k (k - 1) k^2 /
 *   2 pairs (h = 2).
 * Both terms are exact where m divides 2^64. Else they are too high, as h1 + i h2 is taken modulo
 * 2^64 first and leaves its line where it wraps. Dillinger and Manolios (FMCAD 2004) found these
 * terms; the sums are our own.
 */
#ifndef XDP_DEDUP_ARRAY_RATE_H
#define XDP_DEDUP_ARRAY_RATE_H

#include <stdint.h>

#include "config.h"

/* The rate of an array into which n ids (>= 0) have been learned: the mean over all arrays that
 * n ids may leave. For independent positions exact up to k * n = 256, beyond that to second order
 * in 1 / m: where m is small it is above the textbook's (1 - e^(-kn/m))^k (Bose et al., Inf. Proc.
 * Letters 108, 2008).
 */
double array_rate(enum dedup_hash_scheme hash, uint32_t m, uint32_t k, double n);

/* Returns the rate of a filter of `arrays` (1 or 2) such arrays, n ids in each: the chance that at
 * least one array errs.
 */
double array_rate_of(int arrays, enum dedup_hash_scheme hash, uint32_t m, uint32_t k, double n);

/* The rate of an array of whose bits the part `fill` (0 to 1) has been counted to be set. */
double array_rate_at(enum dedup_hash_scheme hash, uint32_t m, uint32_t k, double fill);

/* An estimate of how many ids an array holds of which `set` (0 to m) bits are set: -(m/k) ln(1 -
 * set/m) (Swamidass, Baldi, J. Chem. Inf. Model. 47, 2007). INFINITY if all are set.
 */
double array_ids(uint32_t m, uint32_t k, double set);

/* array_ids(), finite also if all bits are set: as if the last one were half set. */
double array_learned(uint32_t m, uint32_t k, uint64_t set);

#endif
