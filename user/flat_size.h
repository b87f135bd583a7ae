/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How large an array of m bits, or cells, with k probes must be. Pure arithmetic. */
#ifndef XDP_DEDUP_FLAT_SIZE_H
#define XDP_DEDUP_FLAT_SIZE_H

#include <stdint.h>

#include "config.h"

/* The textbook's size of one generation, as Colibri has it: m = ceil(-n ln p / ln(2)^2),
 * k = m / n ln 2, halves rounded up. n > 0, p in (0, 1). k may come out as 0, for p near
 * 1. -EOVERFLOW if m is above UINT32_MAX.
 */
int textbook_size(double n, double p, uint32_t *m, uint32_t *k);

/* The smallest m whose rate (array_rate_of) is at most p, for *k probes; if *k is 0 it is the fewest with
 * which m is at most SIZE_WORDS_WORTH (size.h) times that of the best. -EOVERFLOW as above.
 */
int flat_pick(int arrays, enum dedup_hash_scheme hash, double n, double p, uint32_t *m, uint32_t *k);

/* The same for m = 2^n, n from 1 to 24 (not given: *index_bits is 0), and the fewest
 * probes (not given: *k is 0), at most k_bits / n of them.
 */
int flat_pick_power(int arrays, enum dedup_hash_scheme hash, double n, double p, uint32_t k_bits,
		    uint32_t *index_bits, uint32_t *k);

#endif
