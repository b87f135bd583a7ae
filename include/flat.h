/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layout `flat`: Bloom filters as in textbooks, arrays of m bits (bits.h). The memory holds two,
 * one behind the other, for two generations of ids: array 0 is the current one in even epochs of
 * the hand, array 1 in odd ones. The hand rests at place 0 for a window. Then it passes over the
 * previous array and clears it; once it has left place 0, that array is not looked at any more.
 * Behind the last place a new epoch begins: the cleared array is the current one.
 */
#pragma once

#include <linux/errno.h>

#include "bits.h"
#include "claim.h"
#include "hand.h"
#include "memory.h"
#include "positions.h"

/* Returns how many blocks an array of m bits takes. */
static __always_inline __u32 dedup_flat_blocks(__u32 m)
{
	return (m - 1) / DEDUP_BLOCK_BITS + 1;
}

/* Returns the array that ids are learned into, 0 or 1, with the hand at `hand`. */
static __always_inline __u32 dedup_flat_current(__u64 hand)
{
	return dedup_hand_epoch(hand) & 1;
}

/* True: the other array holds the ids of the previous generation. False: it is being cleared. */
static __always_inline bool dedup_flat_has_previous(__u64 hand)
{
	return dedup_hand_pos(hand) == 0;
}

/* Returns the word with this bit of array 0 or 1, of `places` blocks each; NULL if its block does
 * not exist.
 */
static __always_inline __u64 *dedup_flat_word(struct dedup_block *blocks, __u32 places, __u32 array,
					      __u32 bit)
{
	__u32 n = array * places + bit / DEDUP_BLOCK_BITS;
	struct dedup_block *b = dedup_block_at(blocks, n);
	__u64 word = bit / DEDUP_WORD_BITS;

	DEDUP_BOUND(word, DEDUP_BLOCK_WORDS - 1);
	return b ? &b->word[word] : NULL;
}

/* Are all k bits set in this array? Returns 1 or 0; -ENOENT if a block does not exist. */
static __always_inline int dedup_flat_holds(struct dedup_block *blocks, __u32 places, __u32 array,
					    const struct dedup_positions *p, __u32 k)
{
	__u64 missing = 0;

	for (__u64 i = 0; i < DEDUP_HASHES_MAX && i < k; i++) {
		__u64 *word = dedup_flat_word(blocks, places, array, p->index[i]);

		if (!word)
			return -ENOENT;
		missing |= dedup_bits_mask(p->index[i]) & ~READ_ONCE(*word);
	}
	return !missing;
}

/* Returns the era: a number that grows whenever the filter forgets ids, here when the hand begins
 * to clear the previous array. Odd while the hand clears, even while it rests.
 */
static __always_inline __u64 dedup_flat_era(__u64 hand)
{
	return 2ULL * dedup_hand_epoch(hand) + !dedup_flat_has_previous(hand);
}

/* Returns the era in which an id that is learned now is forgotten: in the next epoch, when its
 * array, which is then the previous one, begins to be cleared.
 */
static __always_inline __u64 dedup_flat_learned_until(__u64 hand)
{
	return 2ULL * dedup_hand_epoch(hand) + 3;
}

/* Returns the era in which this id is forgotten; 0 if it is not known; -ENOENT if a block does not
 * exist.
 */
static __always_inline __s64 dedup_flat_known_until(struct dedup_block *blocks, __u32 places,
						    __u64 hand, const struct dedup_positions *p,
						    __u32 k)
{
	__u32 current = dedup_flat_current(hand);
	int holds = dedup_flat_holds(blocks, places, current, p, k);

	if (holds)
		return holds < 0 ? holds : (__s64)dedup_flat_learned_until(hand);
	if (!dedup_flat_has_previous(hand))
		return 0;
	holds = dedup_flat_holds(blocks, places, current ^ 1, p, k);
	return holds <= 0 ? holds : 2LL * dedup_hand_epoch(hand) + 1;
}

/* Sets a bit. Returns 1 if this call did so; 0 if it was set; -ENOENT if its block does not exist. */
static __always_inline int dedup_flat_set(struct dedup_block *blocks, __u32 places, __u32 array,
					  __u32 bit)
{
	__u64 *word = dedup_flat_word(blocks, places, array, bit), mask = dedup_bits_mask(bit);

	if (!word)
		return -ENOENT;
	return !(__sync_fetch_and_or(word, mask) & mask);
}

/* Learns an id: sets its k bits in the current array. Returns 1 if the id is new (claim.h); 0 if
 * all bits were set, or if another CPU that was learning it was faster; -ENOENT if a block does not
 * exist.
 */
static __always_inline int dedup_flat_learn(struct dedup_block *blocks, __u32 places,
					    const struct dedup_claims *claims,
					    const struct dedup_positions *p, __u32 k)
{
	__u32 array = dedup_flat_current(claims->hand);
	struct dedup_claim c = DEDUP_NO_CLAIM;
	bool second;

	for (__u64 i = 0; i < DEDUP_HASHES_MAX && i < k; i++) {
		__u64 *word = dedup_flat_word(blocks, places, array, p->index[i]);
		__u64 mask = dedup_bits_mask(p->index[i]);

		if (!word)
			return -ENOENT;
		if (!(READ_ONCE(*word) & mask) && !dedup_claim_takes(&c, p->index[i]))
			__sync_fetch_and_or(word, mask);
	}
	if (c.first == DEDUP_NO_PLACE)
		return 0;
	second = c.second != DEDUP_NO_PLACE &&
		 dedup_flat_set(blocks, places, array, (__u32)c.second) > 0;
	return dedup_claim_wins(claims, p, k,
				dedup_flat_set(blocks, places, array, (__u32)c.first) > 0, second);
}

/* Ages this place: clears that block of the previous array. Returns 0; -ENOENT if the block does
 * not exist.
 */
static __always_inline int dedup_flat_age(struct dedup_block *blocks, __u32 places, __u64 hand,
					  __u32 place)
{
	__u32 n = (dedup_flat_current(hand) ^ 1) * places + place;
	struct dedup_block *b = dedup_block_at(blocks, n);

	if (!b)
		return -ENOENT;
	dedup_clear(b->word, DEDUP_BLOCK_WORDS);
	return 0;
}
