/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layout blocked: how large a filter must be. Pure arithmetic. */
#pragma once

#include <stdint.h>

#include "array_size.h" /* SIZE_PROBES_WORTH */

struct geometry {
	uint32_t blocks; /* of 64 bytes */
	uint32_t words;	 /* w of a half's four words: 1, 2 or 4 */
	uint32_t bits;	 /* b in each; k = w * b */
};

/* Returns the false-positive rate of this layout, in (0, 1), averaged over all secrets, while both
 * halves of every block hold the ids of a whole turn of the hand, `ids` each: they never hold more
 * (hand.h). It takes into account that ids spread over blocks, and over a block's words, by chance
 * (Poisson), and that some blocks have more of the 2^32 hashes than others: of 10^9 blocks three in
 * ten have five, and the others four.
 */
double size_fpr(const struct geometry *g, double ids);

/* Picks the geometry whose size_fpr at `ids` (> 0) is at most fpr (in (0, 1)). Memory is spent for
 * speed, in two steps:
 * - w: the fewest words whose smallest filter takes at most SIZE_PROBES_WORTH times the memory of
 *   the smallest of any w. Each word costs an atomic operation.
 * - b: with that w, the fewest bits that take at most SIZE_BITS_WORTH times the memory of the best
 *   b. Each bit costs four instructions.
 * Returns 0; -EOVERFLOW if that takes more than UINT32_MAX blocks.
 */
int size_pick(double ids, double fpr, struct geometry *out);

#define SIZE_BITS_WORTH 1.06
