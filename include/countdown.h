/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layout `countdown`: the generational filter. An id sets its k cells to `max`, each
 * countdown takes one off every cell above 0, and an id is known while all its cells are
 * above 0.
 *
 * No countdown touches the cells. They hold when they reach 0, as the number of the
 * countdown that will take them there: what is left is that less the number of countdowns
 * so far, which is all that a countdown changes. Numbers have 32 bits and go round, so a
 * cell must not stay behind by 2^31 countdowns, or it would seem to be far ahead: each
 * countdown sweeps one block of 16 cells, that is all of them in 2^20 countdowns at most,
 * and sets those that are at 0 to the present number.
 */
#ifndef XDP_DEDUP_COUNTDOWN_H
#define XDP_DEDUP_COUNTDOWN_H

#include <linux/errno.h>

#include "hand.h"
#include "memory.h"
#include "positions.h"

/* The number of countdowns so far, modulo 2^32. */
static __always_inline __u32 dedup_countdowns(__u64 hand, __u32 max)
{
	return dedup_hand_epoch(hand) * max + dedup_hand_pos(hand);
}

/* The same, without end: a number that grows whenever ids are forgotten. */
static __always_inline __u64 dedup_countdown_era(__u64 hand, __u32 max)
{
	return (__u64)dedup_hand_epoch(hand) * max + dedup_hand_pos(hand);
}

/* How many countdowns a cell has to go, 0 to max. Another processor may have written it with a
 * later `elapsed`: that is max, too.
 */
static __always_inline __u32 dedup_cell_left(__u32 cell, __u32 elapsed, __u32 max)
{
	__s32 left = cell - elapsed;

	return left <= 0 ? 0 : (__u32)left > max ? max : (__u32)left;
}

static __always_inline __u32 *dedup_cell(struct dedup_block *blocks, __u32 n)
{
	__u32 at = n / DEDUP_BLOCK_CELLS;
	struct dedup_block *b = dedup_block_at(blocks, at);
	__u64 cell = n;

	DEDUP_BOUND(cell, DEDUP_BLOCK_CELLS - 1);
	return b ? &b->cell[cell] : NULL;
}

/* How many more countdowns the id is known for, 0 to max; -ENOENT if there is no such
 * block.
 */
static __always_inline int dedup_countdown_left(struct dedup_block *blocks, __u32 elapsed,
						__u32 max, const struct dedup_positions *p, __u32 k)
{
	__u32 least = max;

	for (__u64 i = 0; i < DEDUP_HASHES_MAX && i < k; i++) {
		__u32 *cell = dedup_cell(blocks, p->index[i]);
		__u32 left;

		if (!cell)
			return -ENOENT;
		left = dedup_cell_left(READ_ONCE(*cell), elapsed, max);
		if (left < least)
			least = left;
	}
	return least;
}

/* Sets the k cells to max. 1 if the id was not known and this call made it so, 0 if it
 * was or another call won, -ENOENT as above. Claim last, as in block.h: of the cells at 0
 * the first one is set after all others.
 */
static __always_inline int dedup_countdown_learn(struct dedup_block *blocks, __u32 elapsed,
						 __u32 max, const struct dedup_positions *p, __u32 k)
{
	__u32 *claim = NULL;
	__u32 claimed = 0;

	for (__u64 i = 0; i < DEDUP_HASHES_MAX && i < k; i++) {
		__u32 *cell = dedup_cell(blocks, p->index[i]);

		if (!cell)
			return -ENOENT;
		if (!claim && !dedup_cell_left(READ_ONCE(*cell), elapsed, max)) {
			claim = cell;
			claimed = p->index[i];
		} else if (!claim || p->index[i] != claimed) {
			WRITE_ONCE(*cell, elapsed + max);
		}
	}
	if (!claim)
		return 0;
	return !dedup_cell_left(__sync_lock_test_and_set(claim, elapsed + max), elapsed, max);
}

/* Sets the k cells to 0. */
static __always_inline void dedup_countdown_remove(struct dedup_block *blocks, __u32 elapsed,
						   const struct dedup_positions *p, __u32 k)
{
	for (__u64 i = 0; i < DEDUP_HASHES_MAX && i < k; i++) {
		__u32 *cell = dedup_cell(blocks, p->index[i]);

		if (cell)
			WRITE_ONCE(*cell, elapsed);
	}
}

/* Sets the cells of a block that are at 0 to the present number. */
static __always_inline void dedup_countdown_sweep(struct dedup_block *b, __u32 elapsed, __u32 max)
{
	DEDUP_UNROLL
	for (int i = 0; i < DEDUP_BLOCK_CELLS; i++) {
		__u32 cell = READ_ONCE(b->cell[i]);

		/* Whoever sets it meanwhile is not overwritten. */
		if (cell != elapsed && !dedup_cell_left(cell, elapsed, max))
			__sync_val_compare_and_swap(&b->cell[i], cell, elapsed);
	}
}

/* The i-th countdown from `hand` on, of `max` in a turn: one block of `cnt` is swept. 0, or -ENOENT
 * if there is no such block.
 */
static __always_inline int dedup_countdown_age(struct dedup_block *blocks, __u32 cnt, __u32 max,
					       __u64 hand, __u32 i)
{
	__u32 elapsed = dedup_countdowns(hand, max);
	struct dedup_block *b = dedup_block_at(blocks, (elapsed + i) % cnt);

	if (!b)
		return -ENOENT;
	dedup_countdown_sweep(b, elapsed, max);
	return 0;
}

#endif
