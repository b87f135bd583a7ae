/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the hand does at a place, by layout. */
#ifndef XDP_DEDUP_AGE_H
#define XDP_DEDUP_AGE_H

#include "block.h"
#include "countdown.h"
#include "flat.h"

static __always_inline void dedup_clear(__u64 *word, int words)
{
	for (int w = 0; w < words; w++)
		word[w] = 0;
}

/* Ages the i-th place from the hand on, within its segment; the caller then moves the hand
 * by dedup_hand_pass(). 0, or -ENOENT if there is no such block.
 */
static __always_inline int dedup_age(struct dedup_block *blocks,
				     const volatile struct dedup_config *cfg, __u64 hand, __u32 i)
{
	__u32 place = dedup_hand_pos(hand) + i, now;
	struct dedup_block *b;

	if (cfg->layout == DEDUP_BLOCKED) {
		b = dedup_block_at(blocks, place);
		if (b)
			dedup_clear(dedup_half(b, dedup_hand_half(hand, place) ^ 1),
				    DEDUP_HALF_WORDS);
	} else if (cfg->layout == DEDUP_FLAT) {
		b = dedup_block_at(blocks, (dedup_flat_current(hand) ^ 1) * cfg->places + place);
		if (b)
			dedup_clear(b->word, DEDUP_BLOCK_WORDS);
	} else {
		now = dedup_countdowns(hand, cfg->places);
		b = dedup_block_at(blocks, (now + i) % cfg->blocks);
		if (b)
			dedup_countdown_sweep(b, now, cfg->places);
	}
	return b ? 0 : -ENOENT;
}

#endif
