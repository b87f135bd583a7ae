/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layout blocked: how large a filter must be. Pure arithmetic. */
#ifndef XDP_DEDUP_BLOCKED_SIZE_H
#define XDP_DEDUP_BLOCKED_SIZE_H

#include <stdint.h>

#include "array_size.h" /* SIZE_PROBES_WORTH */

struct geometry {
	uint32_t blocks; /* of 64 bytes */
	uint32_t words;	 /* w of a half's four words: 1, 2 or 4 */
	uint32_t bits;	 /* b in each; k = w * b */
};

/* The real false-positive rate of this layout, in (0, 1), over all secrets, while both halves
 * of every block hold the ids of a whole turn that teaches `ids` ids: more is never there
 * (hand.h). Ids spread over blocks, and in a block over words, by chance (Poisson).
 */
double size_fpr(const struct geometry *g, double ids);

/* The geometry whose size_fpr at `ids` (> 0) is at most fpr (in (0, 1)). Memory is given
 * for speed: of the shapes that fit it takes the one with the fewest words, a word being
 * an atomic operation, whose smallest filter needs at most SIZE_PROBES_WORTH times the
 * memory of the smallest of all; with that many words, the one with the fewest bits, a bit
 * being four instructions, that needs at most SIZE_BITS_WORTH times the memory of the best.
 * -EOVERFLOW if the memory could be more than UINT32_MAX blocks.
 */
int size_pick(double ids, double fpr, struct geometry *out);

#define SIZE_BITS_WORTH 1.06

#endif
