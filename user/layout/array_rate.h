/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The false-positive rate of an array of m bits, or cells, with k probes (1 to
 * DEDUP_HASHES_MAX). It depends on the scheme that picks the positions. It holds for random ids;
 * a hash may map other ids less evenly. Pure arithmetic.
 *
 * The textbook's rate is fill^k, for k independent positions that are all equally likely. Two
 * things make the real one higher.
 *
 * Positions that are not equally likely. fast, siphash, colibri and fnv1a (from its second
 * position on) map a 32-bit number to one of m, so r = 2^32 mod m positions are more frequent than
 * the others. Let v be the relative variance of a position's chance, r/m (1 - r/m) (m / 2^32)^2.
 * The chance that a probed bit is set is then not `fill`, as for all bits, but
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
 *   common ones. If h of the k are common, k - h are set by chance. Compared to independent bits,
 *   that adds, per learned id and to first order in 1 / m^2, fill^(k - h) - fill^k (1 + h y), y =
 *   (1 - fill) / fill. The part that independent positions also have is subtracted: k (k - 1) k^2 /
 *   2 pairs (h = 2).
 * Both terms are exact if m divides 2^64. Else they are too high, as h1 + i h2 is taken modulo 2^64
 * first, and leaves its line where it wraps. Dillinger and Manolios (FMCAD 2004) found these terms;
 * the sums are this project's own.
 */
#pragma once

#include <stdint.h>

#include "config.h"

/* Returns the rate of an array that has learned n ids (>= 0): the mean over all arrays that n ids
 * may make. For independent positions it is exact up to k * n = 256, and then to second order in
 * 1 / m. For small m it is above the textbook's (1 - e^(-kn/m))^k (Bose et al., Inf. Proc. Letters
 * 108, 2008).
 */
double array_rate(enum dedup_hash_scheme hash, uint32_t m, uint32_t k, double n);

/* Returns the rate of a filter of `arrays` (1 or 2) such arrays with n ids each: the chance that at
 * least one array errs.
 */
double array_rate_of(int arrays, enum dedup_hash_scheme hash, uint32_t m, uint32_t k, double n);

/* Returns the rate of an array with the part `fill` (0 to 1) of its bits set. */
double array_rate_at(enum dedup_hash_scheme hash, uint32_t m, uint32_t k, double fill);

/* Estimates how many ids an array with `set` (0 to m) bits set has learned: -(m/k) ln(1 - set/m)
 * (Swamidass, Baldi, J. Chem. Inf. Model. 47, 2007). Returns INFINITY if all bits are set.
 */
double array_ids(uint32_t m, uint32_t k, double set);

/* Does what array_ids() does, but returns a finite number if all bits are set. */
double array_learned(uint32_t m, uint32_t k, uint64_t set);
