/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layouts flat and countdown: how large an array of m bits, or cells, with k probes must be. Pure
 * arithmetic.
 */
#ifndef XDP_DEDUP_ARRAY_SIZE_H
#define XDP_DEDUP_ARRAY_SIZE_H

#include <stdint.h>

#include "config.h"

#define TEZOS_BITS 256 /* of SHA-256, for k indices */

/* Memory that is given for speed: of what is larger by no more than that, the one with fewer words,
 * or probes.
 */
#define SIZE_PROBES_WORTH 1.2

/* The textbook's size of one generation, as Colibri has it: m = ceil(-n ln p / ln(2)^2),
 * k = m / n ln 2, halves rounded up. n > 0, p in (0, 1). k may come out as 0, for p near
 * 1. -EOVERFLOW if m is above UINT32_MAX.
 */
int textbook_size(double n, double p, uint32_t *m, uint32_t *k);

/* The smallest m whose rate (array_rate_of) is at most p, for *k probes; if *k is 0 it is the
 * fewest with which m is at most SIZE_PROBES_WORTH times that of the best. -EOVERFLOW as above.
 */
int array_pick(int arrays, enum dedup_hash_scheme hash, double n, double p, uint32_t *m, uint32_t *k);

/* The same for m = 2^n, n from 1 to 24 (not given: *index_bits is 0), and the fewest
 * probes (not given: *k is 0), at most k_bits / n of them.
 */
int array_pick_power(int arrays, enum dedup_hash_scheme hash, double n, double p, uint32_t k_bits,
		     uint32_t *index_bits, uint32_t *k);

/* The k that goes furthest with a given m: the textbook's log2(1 / p) of each array, as many as
 * the scheme has. index_bits: of tezos' m.
 */
uint32_t array_probes(int arrays, enum dedup_hash_scheme hash, uint32_t index_bits, double p);

/* What tezos' indices have of m, or 0 if m is not 2^1 to 2^24. */
uint32_t array_index_bits(uint64_t m);

/* Has SHA-256 so many indices of so many bits? NULL, or a sentence for the user. */
const char *array_refuse_tezos(uint32_t index_bits, uint32_t probes);

#endif
