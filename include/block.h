/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layout `blocked`: all bits of an id are in one block. This header decides which bits, tests them
 * and sets them. The packet program and user space both compile it, and may run it on one memory
 * concurrently.
 */
#pragma once

#include <linux/errno.h>

#include "hand.h"
#include "hash.h"
#include "memory.h"

#define DEDUP_BITS_MAX 5 /* bits in a word: 60 of a product's 64 bits number those in two words */

/* The positions of an id's bits, equal in both halves of its block: w words, with a mask for each.
 * For w = 4 all elements are used, for w = 2 or 1 the first two; for w = 1 the second mask is 0.
 */
struct dedup_probe {
	__u64 block; /* below config->blocks; a greater hash gives no lower block */
	__u64 offset[DEDUP_HALF_WORDS]; /* of a word in a half, in bytes; those used differ */
	__u64 mask[DEDUP_HALF_WORDS];	/* 1 to config->bits bits, as some may coincide */
};

/* Takes the low 6 bits off *entropy, as the number of a bit, and sets that bit in *mask, which
 * `first` empties before. In BPF shift counts are modulo 64 (RFC 9669), so nothing has to mask the
 * 6 bits.
 */
static __always_inline void dedup_mask_bit(__u64 *mask, __u64 *entropy, bool first)
{
#ifdef __bpf__
	__u64 bit;

	/* In assembly, as from C clang makes a copy of the first *entropy for each bit and shifts
	 * that by 6, 12, ...: one instruction more a bit.
	 */
	if (first)
		asm("%0 = 1; %0 <<= %1; %1 >>= 6" : "=&r"(*mask), "+r"(*entropy));
	else
		asm("%0 = 1; %0 <<= %2; %1 |= %0; %2 >>= 6"
		    : "=&r"(bit), "+r"(*mask), "+r"(*entropy));
#else
	if (first)
		*mask = 0;
	*mask |= 1ULL << (*entropy & 63);
	*entropy >>= 6;
#endif
}

/* The mask of a word: `bits` (at least 1) bit numbers of 6 bits each, taken off the low end of
 * *entropy.
 */
static __always_inline __u64 dedup_mask(__u64 *entropy, __u32 bits)
{
	__u64 mask;

	dedup_mask_bit(&mask, entropy, true);
	DEDUP_UNROLL
	for (__u32 j = 1; j < DEDUP_BITS_MAX; j++) {
		if (likely(j < bits)) {
			DEDUP_KEEP_BRANCH();
			dedup_mask_bit(&mask, entropy, false);
		} else {
			DEDUP_ELSE();
		}
	}
	return mask;
}

/* The block of a hash: its top 32 bits, scaled down to the number of blocks. So each block has a
 * range of hashes, in the order of the blocks. Some blocks have one of the 2^32 more than others,
 * and so more ids: sizes allow for that (size_fpr()).
 */
static __always_inline __u32 dedup_probe_block(__u64 hash, __u32 blocks)
{
	return ((hash >> 32) * blocks) >> 32;
}

/* Fills in all but p->block, for callers that look the block up first (dedup_probe_block()). */
static __always_inline void dedup_probe_masks(struct dedup_probe *p, __u64 hash, __u32 words,
					      __u32 bits)
{
	__u64 mix = hash ^ (hash >> 32);
	/* 60 bits: the lowest 4 of a product depend on few bits of mix, and are not taken. */
	__u64 entropy = mix * 0xd6e8feb86659fd93 >> 4;

	p->mask[0] = dedup_mask(&entropy, bits);
	if (unlikely(words == 4)) {
		p->mask[1] = dedup_mask(&entropy, bits);
		entropy = mix * 0xa0761d6478bd642f >> 4;
		p->mask[2] = dedup_mask(&entropy, bits);
		p->mask[3] = dedup_mask(&entropy, bits);
		DEDUP_UNROLL
		for (__u32 i = 0; i < DEDUP_HALF_WORDS; i++)
			p->offset[i] = 8 * i;
		return;
	}
	/* One of the 12 ordered pairs of different words: any word, and the one 1 to 3 words
	 * further, modulo 4. The masks leave multiples of 8 bytes, up to 24.
	 */
	p->offset[0] = hash;
	DEDUP_BOUND(p->offset[0], 24);
	p->offset[1] = p->offset[0] + 8 + ((hash & 0x7fffffff) * 24 >> 31);
	DEDUP_BOUND(p->offset[1], 24);
	p->mask[1] = 0;
	if (likely(words == 2)) {
		p->mask[1] = dedup_mask(&entropy, bits);
	} else {
		DEDUP_ELSE();
	}
}

/* Fills in the positions of the bits of an id with this hash (dedup_hash()). The block comes from
 * the hash's top 32 bits, the words from its low bits, the masks from products of the whole hash.
 * So ids of one block, whose hashes begin alike, have unlike words and masks.
 */
static __always_inline void dedup_probe(struct dedup_probe *p, __u64 hash, __u32 blocks,
					__u32 words, __u32 bits)
{
	p->block = dedup_probe_block(hash, blocks);
	dedup_probe_masks(p, hash, words, bits);
}

/* Returns half n, 0 or 1, of a block. */
static __always_inline __u64 *dedup_half(struct dedup_block *b, __u64 n)
{
	DEDUP_BOUND(n, 1);
	return b->half[n];
}

/* Ages this block, which the hand, still at or before it, is about to pass: clears its older half,
 * which becomes the current one when the hand has moved on. Returns 0; -ENOENT if the block does
 * not exist.
 */
static __always_inline int dedup_block_age(struct dedup_block *blocks, __u64 hand, __u32 block)
{
	struct dedup_block *b = dedup_block_at(blocks, block);

	if (!b)
		return -ENOENT;
	dedup_clear(dedup_half(b, dedup_hand_half(hand, block) ^ 1), DEDUP_HALF_WORDS);
	return 0;
}

/* Returns word i of the probe, in this half. */
static __always_inline __u64 *dedup_word(__u64 *half, const struct dedup_probe *p, __u32 i)
{
	return (__u64 *)((char *)half + p->offset[i]);
}

/* Returns the bits of the mask that are 0 in the word; 0 if all are set. It is mask & ~word,
 * computed so that the mask stays in its register; without the barrier the compiler turns it into
 * mask & ~word.
 */
static __always_inline __u64 dedup_lacks(__u64 word, __u64 mask)
{
	word &= mask;
	barrier_var(word);
	return word ^ mask;
}

/* Returns dedup_lacks() for the probe's word i in this half. */
static __always_inline __u64 dedup_missing(__u64 *half, const struct dedup_probe *p, __u32 i)
{
	return dedup_lacks(READ_ONCE(*dedup_word(half, p, i)), p->mask[i]);
}

/* Returns a word whose top bit is 1 if value is not 0, and 0 if it is. The other bits mean
 * nothing. The barrier keeps the compiler from turning this into a comparison, and the comparison
 * into a branch.
 */
static __always_inline __u64 dedup_top_bit_if_any(__u64 value)
{
	__u64 minus = -value;

	barrier_var(minus);
	return value | minus;
}

/* Is the id known, that is, does at least one half have all its bits? Tests all words of both
 * halves, which are in one cache line, and branches once, on a result that most packets share. A
 * branch for each half, or on which half is the current one, would be mispredicted half of the
 * time.
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
	/* Negative if bits are missing in both halves. */
	return (__s64)(dedup_top_bit_if_any(missing0) & dedup_top_bit_if_any(missing1)) >= 0;
}

static __always_inline void dedup_set(__u64 *half, const struct dedup_probe *p, __u32 i)
{
	__sync_fetch_and_or(dedup_word(half, p, i), p->mask[i]);
}

/* Sets the bits of the probe's words after word i (a constant to the compiler), then those of word
 * i, which lacks some. Returns true if this call has set a bit of word i.
 */
static __always_inline bool dedup_claim(__u64 *half, const struct dedup_probe *p, __u32 words, __u32 i)
{
	__u64 mask, *word;

	if (i < 1)
		dedup_set(half, p, 1);
	if (i < 2 && words > 2)
		dedup_set(half, p, 2);
	if (i < 3 && words > 2)
		dedup_set(half, p, 3);
	/* Without these barriers the compiler merges the ends of the four calls of this function
	 * into one with a variable i, for which the probe has to lie on the stack.
	 */
	mask = p->mask[i];
	word = dedup_word(half, p, i);
	barrier_var(mask);
	barrier_var(word);
	return mask & ~__sync_fetch_and_or(word, mask);
}

/* Learns the id in this half. Returns true if this call learned it: the id is new. Returns false
 * if the id was there, or if another CPU that was learning it was faster. Claim last: the first
 * word that lacks bits is set after all others, with a fetch-and-OR, whose result tells which CPU
 * set them. So of copies that are learned in this half at once exactly one is new.
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
