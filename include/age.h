/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ageing: what the hand (hand.h) does at a place of its circle, by layout. */
#pragma once

#include "block.h"
#include "countdown.h"
#include "flat.h"

/* Ages the place that is i places after the hand's, in the hand's segment. The caller ages all
 * places that the hand is to pass, and then moves the hand over them by dedup_hand_pass(). Returns
 * 0; -ENOENT if the block does not exist.
 */
static __always_inline int dedup_age(struct dedup_block *blocks,
				     const volatile struct dedup_config *cfg, __u64 hand, __u32 i)
{
	if (cfg->memory.layout == DEDUP_BLOCKED)
		return dedup_block_age(blocks, hand, dedup_hand_pos(hand) + i);
	if (cfg->memory.layout == DEDUP_FLAT)
		return dedup_flat_age(blocks, cfg->memory.places, hand, dedup_hand_pos(hand) + i);
	return dedup_countdown_age(blocks, cfg->memory.blocks, cfg->memory.places, hand, i);
}
