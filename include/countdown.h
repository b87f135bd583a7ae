/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layout `countdown`: the generational filter. Learning an id sets its k cells to `max`, each
 * countdown takes 1 off every cell above 0, and an id is known while all its cells are above 0.
 *
 * A cell does not store that value, but the number of the countdown at which it reaches 0. So a
 * countdown changes no cell: only `elapsed`, the number of countdowns so far, grows. The cell's
 * value is the difference. Both numbers have 32 bits and wrap around. A cell at 0 that fell 2^31
 * countdowns behind would seem to be ahead. So each countdown sweeps one block of 16 cells, and
 * sets those that are at 0 to `elapsed`; at most 2^20 countdowns sweep all blocks.
 */
#pragma once

#include <linux/errno.h>

#include "claim.h"
#include "hand.h"
#include "memory.h"
#include "positions.h"

/* Returns `elapsed`: the number of countdowns so far, modulo 2^32. */
static __always_inline __u32 dedup_countdowns(__u64 hand, __u32 max)
{
	return dedup_hand_epoch(hand) * max + dedup_hand_pos(hand);
}

/* Returns the era: a number that grows whenever the filter forgets ids, here with each countdown.
 * It is `elapsed`, but with 64 bits: it starts again only when the epoch does.
 */
static __always_inline __u64 dedup_countdown_era(__u64 hand, __u32 max)
{
	return (__u64)dedup_hand_epoch(hand) * max + dedup_hand_pos(hand);
}

/* Returns how many countdowns a cell has left, 0 to max. If another CPU has just set the cell for
 * a later `elapsed`, it may be more than max ahead: that counts as max.
 */
static __always_inline __u32 dedup_cell_left(__u32 cell, __u32 elapsed, __u32 max)
{
	__s32 left = cell - elapsed;

	return left <= 0 ? 0 : (__u32)left > max ? max : (__u32)left;
}

/* Returns cell n; NULL if its block does not exist. */
static __always_inline __u32 *dedup_cell(struct dedup_block *blocks, __u32 n)
{
	struct dedup_block *b = dedup_block_at(blocks, n / DEDUP_BLOCK_CELLS);
	__u64 cell = n;

	DEDUP_BOUND(cell, DEDUP_BLOCK_CELLS - 1);
	return b ? &b->cell[cell] : NULL;
}

/* Returns for how many more countdowns the id is known, 1 to max; 0 if it is not known; -ENOENT if
 * a block does not exist.
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

/* Sets a cell to max if it is at 0. Returns 1 if this call did so; 0 if not; -ENOENT if its block
 * does not exist. A full barrier if it is set.
 */
static __always_inline int dedup_countdown_set(struct dedup_block *blocks, __u32 elapsed, __u32 max,
					       __u32 n)
{
	__u32 *cell = dedup_cell(blocks, n), is;

	if (!cell)
		return -ENOENT;
	is = READ_ONCE(*cell);
	for (int i = 0; i < 2 && !dedup_cell_left(is, elapsed, max); i++) { /* it may be swept */
		__u32 was = __sync_val_compare_and_swap(cell, is, elapsed + max);

		if (was == is)
			return 1;
		is = was;
	}
	return 0;
}

/* Sets those of an id's k cells that are below max to max. */
static __always_inline void dedup_countdown_renew(struct dedup_block *blocks, __u32 elapsed,
						  __u32 max, const struct dedup_positions *p, __u32 k)
{
	for (__u64 i = 0; i < DEDUP_HASHES_MAX && i < k; i++) {
		__u32 *cell = dedup_cell(blocks, p->index[i]);

		if (cell && dedup_cell_left(READ_ONCE(*cell), elapsed, max) < max)
			WRITE_ONCE(*cell, elapsed + max);
	}
}

/* Learns an id: sets its k cells to max. Returns 1 if the id was not known and is new (claim.h); 0
 * if it was known, or if another CPU that was learning it was faster; -ENOENT if a block does not
 * exist.
 *
 * Cells above 0 are set only if the id is new, and last. Another CPU, one countdown ahead, may
 * claim such a cell for its copy, and must not lose it to a copy that is not new.
 *
 * may_stop: a thread, which may stand still for long between reading a cell and setting it. Then it
 * leaves alone what another one has set meanwhile, for later.
 */
static __always_inline int dedup_countdown_learn(struct dedup_block *blocks, __u32 max,
						 const struct dedup_claims *claims,
						 const struct dedup_positions *p, __u32 k,
						 bool may_stop)
{
	__u32 elapsed = dedup_countdowns(claims->hand, max);
	struct dedup_claim c = DEDUP_NO_CLAIM;
	bool first, second;

	for (__u64 i = 0; i < DEDUP_HASHES_MAX && i < k; i++) {
		__u32 *cell = dedup_cell(blocks, p->index[i]), is;

		if (!cell)
			return -ENOENT;
		is = READ_ONCE(*cell);
		if (dedup_cell_left(is, elapsed, max) || dedup_claim_takes(&c, p->index[i]))
			continue;
		if (may_stop)
			__sync_val_compare_and_swap(cell, is, elapsed + max);
		else
			WRITE_ONCE(*cell, elapsed + max);
	}
	if (c.first == DEDUP_NO_PLACE)
		return 0;
	second = c.second != DEDUP_NO_PLACE &&
		 dedup_countdown_set(blocks, elapsed, max, (__u32)c.second) > 0;
	first = dedup_countdown_set(blocks, elapsed, max, (__u32)c.first) > 0;
	if (!dedup_claim_wins(claims, p, k, first, second))
		return 0;
	dedup_countdown_renew(blocks, elapsed, max, p, k);
	return 1;
}

/* Removes an id: sets its k cells to 0. Other ids that share one of these are forgotten, too. */
static __always_inline void dedup_countdown_remove(struct dedup_block *blocks, __u32 elapsed,
						   const struct dedup_positions *p, __u32 k)
{
	for (__u64 i = 0; i < DEDUP_HASHES_MAX && i < k; i++) {
		__u32 *cell = dedup_cell(blocks, p->index[i]);

		if (cell)
			WRITE_ONCE(*cell, elapsed);
	}
}

/* Sets the cells of a block that are at 0 to `elapsed`, which keeps them at 0. */
static __always_inline void dedup_countdown_sweep(struct dedup_block *b, __u32 elapsed, __u32 max)
{
	DEDUP_UNROLL
	for (int i = 0; i < DEDUP_BLOCK_CELLS; i++) {
		__u32 cell = READ_ONCE(b->cell[i]);

		/* A cell that another CPU sets meanwhile is left as that CPU sets it. */
		if (cell != elapsed && !dedup_cell_left(cell, elapsed, max))
			__sync_val_compare_and_swap(&b->cell[i], cell, elapsed);
	}
}

/* Ages the place that is i places after the hand's: sweeps the one block, of blocks_cnt, whose
 * turn it is. The countdown itself is the move of the hand. Returns 0; -ENOENT if the block does
 * not exist.
 */
static __always_inline int dedup_countdown_age(struct dedup_block *blocks, __u32 blocks_cnt,
					       __u32 max, __u64 hand, __u32 i)
{
	__u32 elapsed = dedup_countdowns(hand, max);
	struct dedup_block *b = dedup_block_at(blocks, (elapsed + i) % blocks_cnt);

	if (!b)
		return -ENOENT;
	dedup_countdown_sweep(b, elapsed, max);
	return 0;
}
