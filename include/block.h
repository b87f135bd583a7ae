/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layout `blocked`: which bits of its one block an id has, test and learn. The kernel
 * program and user space compile this same code and may run it on the same memory
 * at the same time.
 */
#ifndef XDP_DEDUP_BLOCK_H
#define XDP_DEDUP_BLOCK_H

#include <linux/errno.h>

#include "hand.h"
#include "hash.h"
#include "memory.h"

#define DEDUP_BITS_MAX 5 /* two words' positions come from one 64-bit product */

/* What an id sets and tests in its block: a mask each of the half's 4 words; of 2 where w is at
 * most 2, the second one empty where w is 1.
 */
struct dedup_probe {
	__u64 block;			/* grows with the hash, below config->blocks */
	__u64 offset[DEDUP_HALF_WORDS]; /* byte offsets in a half, all different */
	__u64 mask[DEDUP_HALF_WORDS];	/* 1 to `bits` bits each */
};

/* Takes a bit number off the low end of *g, 6 bits, and sets that bit in *mask; `first` empties *mask
 * before. BPF takes shift counts modulo 64 (RFC 9669), so that no instruction masks them there.
 */
static __always_inline void dedup_mask_bit(__u64 *mask, __u64 *g, bool first)
{
#ifdef __bpf__
	__u64 bit;

	/* In C the compiler shifts a copy of the first *g each time, by 6, 12, ... */
	if (first)
		asm("%0 = 1; %0 <<= %1; %1 >>= 6" : "=&r"(*mask), "+r"(*g));
	else
		asm("%0 = 1; %0 <<= %2; %1 |= %0; %2 >>= 6" : "=&r"(bit), "+r"(*mask), "+r"(*g));
#else
	if (first)
		*mask = 0;
	*mask |= 1ULL << (*g & 63);
	*g >>= 6;
#endif
}

/* `bits` positions of 6 bits, at least one, taken off the low end of *g. */
static __always_inline __u64 dedup_mask(__u64 *g, __u32 bits)
{
	__u64 mask;

	dedup_mask_bit(&mask, g, true);
	DEDUP_UNROLL
	for (__u32 j = 1; j < DEDUP_BITS_MAX; j++) {
		if (likely(j < bits)) {
			DEDUP_KEEP_BRANCH();
			dedup_mask_bit(&mask, g, false);
		} else {
			DEDUP_ELSE();
		}
	}
	return mask;
}

/* The block of a hash: its top 32 bits scaled to the number of blocks, so that a
 * block covers a range of hashes and block numbers grow with the hash.
 */
static __always_inline __u32 dedup_probe_block(__u64 hash, __u32 blocks)
{
	return ((hash >> 32) * blocks) >> 32;
}

/* Fills in all but `block`, for those who look the block up before. */
static __always_inline void dedup_probe_masks(struct dedup_probe *p, __u64 hash, __u32 words,
					      __u32 bits)
{
	__u64 mix = hash ^ (hash >> 32);
	__u64 g = mix * 0xd6e8feb86659fd93 >> 4; /* the lowest 4 depend on few bits of mix */

	p->mask[0] = dedup_mask(&g, bits);
	if (unlikely(words == 4)) {
		p->mask[1] = dedup_mask(&g, bits);
		g = mix * 0xa0761d6478bd642f >> 4;
		p->mask[2] = dedup_mask(&g, bits);
		p->mask[3] = dedup_mask(&g, bits);
		DEDUP_UNROLL
		for (__u32 i = 0; i < DEDUP_HALF_WORDS; i++)
			p->offset[i] = 8 * i;
		return;
	}
	/* One of the 12 ordered pairs of words: any word, then the one 1 to 3 words on, modulo 4. */
	p->offset[0] = hash;
	DEDUP_BOUND(p->offset[0], 24);
	p->offset[1] = p->offset[0] + 8 + ((hash & 0x7fffffff) * 24 >> 31);
	DEDUP_BOUND(p->offset[1], 24);
	p->mask[1] = 0;
	if (likely(words == 2)) {
		p->mask[1] = dedup_mask(&g, bits);
	} else {
		DEDUP_ELSE();
	}
}

/* Fills in what the id with this hash (of dedup_hash) sets and tests: words and
 * masks from products of the whole hash, so that they are free within a block.
 */
static __always_inline void dedup_probe(struct dedup_probe *p, __u64 hash, __u32 blocks,
					__u32 words, __u32 bits)
{
	p->block = dedup_probe_block(hash, blocks);
	dedup_probe_masks(p, hash, words, bits);
}

/* The half `cur` (0 or 1) of a block. */
static __always_inline __u64 *dedup_half(struct dedup_block *b, __u64 cur)
{
	DEDUP_BOUND(cur, 1);
	return b->half[cur];
}

/* The hand, at `hand`, passes this block: its older half is cleared, and is the current one as soon
 * as the hand is beyond. 0, or -ENOENT if there is no such block.
 */
static __always_inline int dedup_block_age(struct dedup_block *blocks, __u64 hand, __u32 block)
{
	struct dedup_block *b = dedup_block_at(blocks, block);

	if (!b)
		return -ENOENT;
	dedup_clear(dedup_half(b, dedup_hand_half(hand, block) ^ 1), DEDUP_HALF_WORDS);
	return 0;
}

/* The probe's word i in a half. */
static __always_inline __u64 *dedup_word(__u64 *half, const struct dedup_probe *p, __u32 i)
{
	return (__u64 *)((char *)half + p->offset[i]);
}

/* The mask's bits that a word lacks: mask & ~word, by operations that keep the mask in its register. */
static __always_inline __u64 dedup_lacks(__u64 word, __u64 mask)
{
	word &= mask;
	barrier_var(word);
	return word ^ mask;
}

static __always_inline __u64 dedup_missing(__u64 *half, const struct dedup_probe *p, __u32 i)
{
	return dedup_lacks(READ_ONCE(*dedup_word(half, p, i)), p->mask[i]);
}

/* The top bit is set if value is not 0; the others mean nothing. */
static __always_inline __u64 dedup_is_some(__u64 value)
{
	__u64 minus = -value;

	barrier_var(minus);
	return value | minus;
}

/* Does either half hold the id? Tests all words of both halves and branches once, on the result,
 * which is the same for most packets. A branch for each half, or on which half is the current one,
 * would be mispredicted half of the time; and both halves are in one cache line.
 */
static __always_inline bool dedup_block_holds(struct dedup_block *b, const struct dedup_probe *p,
					      __u32 words)
{
	__u64 missing0 = 0, missing1 = 0;

	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_HALF_WORDS; i++) {
		if (i < 2 || words == 4) {
			__u64 *word = dedup_word(b->word, p, i);

			missing0 |= dedup_lacks(READ_ONCE(*word), p->mask[i]);
			missing1 |= dedup_lacks(READ_ONCE(*(word + DEDUP_HALF_WORDS)), p->mask[i]);
		} else {
			DEDUP_ELSE();
		}
	}
	return (__s64)(dedup_is_some(missing0) & dedup_is_some(missing1)) >= 0;
}

static __always_inline void dedup_set(__u64 *half, const struct dedup_probe *p, __u32 i)
{
	__sync_fetch_and_or(dedup_word(half, p, i), p->mask[i]);
}

/* Sets the words above word i (a constant for the compiler), then claims word i. */
static __always_inline bool dedup_claim(__u64 *half, const struct dedup_probe *p, __u32 words, __u32 i)
{
	__u64 mask, *word;

	if (i < 1)
		dedup_set(half, p, 1);
	if (i < 2 && words > 2)
		dedup_set(half, p, 2);
	if (i < 3 && words > 2)
		dedup_set(half, p, 3);
	/* Else the compiler merges the ends of all four cases into one, which indexes the probe in
	 * memory.
	 */
	mask = p->mask[i];
	word = dedup_word(half, p, i);
	barrier_var(mask);
	barrier_var(word);
	return mask & ~__sync_fetch_and_or(word, mask);
}

/* Puts the id into this half. True if this call did it, false if the id was there
 * or another call won. Claim last: every word but the lowest missing one is set
 * first, then that one with fetch-and-OR. Whoever changed it owns the id, so of
 * copies that are learned at the same instant exactly one is called new.
 */
static __always_inline bool dedup_half_learn(__u64 *half, const struct dedup_probe *p, __u32 words)
{
	if (dedup_missing(half, p, 0))
		return dedup_claim(half, p, words, 0);
	if (dedup_missing(half, p, 1))
		return dedup_claim(half, p, words, 1);
	if (words > 2 && dedup_missing(half, p, 2))
		return dedup_claim(half, p, words, 2);
	if (words > 2 && dedup_missing(half, p, 3))
		return dedup_claim(half, p, words, 3);
	return false;
}

#endif
