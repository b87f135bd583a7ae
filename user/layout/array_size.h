/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layouts flat and countdown: how large an array of m bits, or cells, with k probes must be. Pure
 * arithmetic.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

#define TEZOS_BITS 256 /* a SHA-256 digest, which is cut into k indices */

/* Memory that is spent for speed: with fewer probes (blocked: fewer words) a filter may be this
 * many times as large as the smallest one that keeps the rate.
 */
#define SIZE_PROBES_WORTH 1.2

/* Computes the textbook's size of one generation of n ids at the rate p, rounded as in Colibri: m =
 * ceil(-n ln p / ln(2)^2) bits, k = m / n ln 2 to the nearest integer, halves up. n in (0, 1e15],
 * p in [1e-18, 1). m may be above UINT32_MAX; k may be above DEDUP_HASHES_MAX, or 0 for p near 1.
 */
void textbook_size(double n, double p, uint64_t *m, uint32_t *k);

/* A required rate: `arrays` (1 or 2) arrays of n ids each err (array_rate_of()) at most at the rate
 * p.
 */
struct array_goal {
	int arrays;
	enum dedup_hash_scheme hash;
	double n, p;
};

/* Picks the smallest m that keeps the rate with *k probes. If *k is 0, also picks k: the fewest
 * probes with which m is at most SIZE_PROBES_WORTH times the smallest m of any k. Returns 0;
 * -EOVERFLOW if m is above UINT32_MAX.
 */
int array_pick(const struct array_goal *w, uint32_t *m, uint32_t *k);

/* Picks *index_bits (1 to 24) and *k, unless they are given (not 0), so that m = 2^*index_bits
 * keeps the rate: the smallest m, and with it the fewest probes. k_bits: a bound on k * *index_bits
 * (tezos: TEZOS_BITS). Returns 0; -EOVERFLOW if no m keeps the rate.
 */
int array_pick_power(const struct array_goal *w, uint32_t k_bits, uint32_t *index_bits, uint32_t *k);

/* Returns the k with which arrays of a given m take the most ids at the rate p: the textbook's
 * log2(1 / p), with the share p / arrays for each array; at most what DEDUP_HASHES_MAX and, for
 * tezos, the digest allow. index_bits: log2 m, read for tezos only.
 */
uint32_t array_probes(int arrays, enum dedup_hash_scheme hash, uint32_t index_bits, double p);

/* Returns log2 m, the bits of an index of tezos; 0 if m is not one of 2^1 to 2^24. */
uint32_t array_index_bits(uint64_t m);

/* Returns NULL if a SHA-256 digest has enough bits for `probes` indices of index_bits bits each;
 * else a sentence for the user. If one of them is 0, that is not known yet, and accepted.
 */
const char *array_refuse_tezos(uint32_t index_bits, uint32_t probes);

/* Returns whether arrays can have this m and k, with this hash. */
bool array_is_sound(const struct dedup_memory *m);
