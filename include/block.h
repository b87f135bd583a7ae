/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layout `blocked`: which bits of its one block an id has, test and learn. The kernel
 * program and user space compile this same code and may run it on the same memory
 * at the same time.
 */
#ifndef XDP_DEDUP_BLOCK_H
#define XDP_DEDUP_BLOCK_H

#include "hash.h"
#include "memory.h"

#define DEDUP_BITS_MAX 5 /* two words' positions come from one 64-bit product */

/* Where an id is looked for. */
struct dedup_probe {
	__u32 block;		      /* grows with the hash, below config->blocks */
	__u32 word[DEDUP_HALF_WORDS]; /* the first `words` are used, all different */
	__u64 mask[DEDUP_HALF_WORDS]; /* 1 to `bits` bits each */
};

/* Bit n modulo 64: BPF's shifts take so much of it (RFC 9669), C's must be told. */
static __always_inline __u64 dedup_bit(__u64 n)
{
#ifdef __bpf__
	__u64 bit = 1;

	asm("%0 <<= %1" : "+r"(bit) : "r"(n));
	return bit;
#else
	return 1ULL << (n & 63);
#endif
}

/* `bits` positions of 6 bits from the top of g. */
static __always_inline __u64 dedup_mask(__u64 g, __u32 bits)
{
	__u64 mask = dedup_bit(g >> 58);

	DEDUP_UNROLL
	for (__u32 j = 1; j < DEDUP_BITS_MAX; j++) {
		if (j < bits) {
			DEDUP_KEEP_BRANCH();
			mask |= dedup_bit(g >> (58 - 6 * j));
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

/* Fills in what the id with this hash (of dedup_hash) sets and tests: words and
 * masks from products of the whole hash, so that they are free within a block.
 */
static __always_inline void dedup_probe(struct dedup_probe *p, __u64 hash, __u32 blocks,
					__u32 words, __u32 bits)
{
	__u64 mix = hash ^ (hash >> 32);
	__u64 g = mix * 0xd6e8feb86659fd93;

	p->block = dedup_probe_block(hash, blocks);
	p->mask[0] = dedup_mask(g, bits);
	if (words == 1) {
		p->word[0] = hash & 3;
		return;
	}
	p->mask[1] = dedup_mask(g << 30, bits);
	if (words == 2) {
		/* One of the 12 ordered pairs: a word, and one of its 3 neighbours. */
		p->word[0] = hash & 3;
		p->word[1] = p->word[0] ^ (1 + (((hash >> 2 & 0xffff) * 3) >> 16));
		return;
	}
	g = mix * 0xa0761d6478bd642f;
	p->mask[2] = dedup_mask(g, bits);
	p->mask[3] = dedup_mask(g << 30, bits);
	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_HALF_WORDS; i++)
		p->word[i] = i;
}

/* The half `cur` (0 or 1) of a block. */
static __always_inline __u64 *dedup_half(struct dedup_block *b, __u64 cur)
{
	DEDUP_BOUND(cur, 1);
	return b->half[cur];
}

static __always_inline __u64 *dedup_word(__u64 *half, const struct dedup_probe *p, __u32 i)
{
	__u64 word = p->word[i];

	DEDUP_BOUND(word, 3);
	return &half[word];
}

static __always_inline __u64 dedup_missing(__u64 *half, const struct dedup_probe *p, __u32 i)
{
	return p->mask[i] & ~dedup_read(dedup_word(half, p, i));
}

/* Top bit: is something of the id missing in this half? */
static __always_inline __u64 dedup_half_lacks(__u64 *half, const struct dedup_probe *p, __u32 words)
{
	__u64 missing = 0, minus;

	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_HALF_WORDS; i++)
		if (i < words)
			missing |= dedup_missing(half, p, i);
	minus = -missing;
	DEDUP_KEEP(minus);
	return missing | minus;
}

/* Does either half hold the id? With one branch, which tells duplicates: one for each half
 * would be missed half the time, as would one on where the hand is. So both are looked at
 * whole; they are one line.
 */
static __always_inline bool dedup_block_holds(struct dedup_block *b, const struct dedup_probe *p,
					      __u32 words)
{
	__u64 lacks = dedup_half_lacks(b->half[0], p, words) & dedup_half_lacks(b->half[1], p, words);

	return (__s64)lacks >= 0;
}

static __always_inline void dedup_set(__u64 *half, const struct dedup_probe *p, __u32 i)
{
	__sync_fetch_and_or(dedup_word(half, p, i), p->mask[i]);
}

/* Sets the words above word i (a constant for the compiler), then claims word i. */
static __always_inline bool dedup_claim(__u64 *half, const struct dedup_probe *p, __u32 words, __u32 i)
{
	if (i < 1 && words > 1)
		dedup_set(half, p, 1);
	if (i < 2 && words > 2)
		dedup_set(half, p, 2);
	if (i < 3 && words > 2)
		dedup_set(half, p, 3);
	return p->mask[i] & ~__sync_fetch_and_or(dedup_word(half, p, i), p->mask[i]);
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
	if (words > 1 && dedup_missing(half, p, 1))
		return dedup_claim(half, p, words, 1);
	if (words > 2 && dedup_missing(half, p, 2))
		return dedup_claim(half, p, words, 2);
	if (words > 2 && dedup_missing(half, p, 3))
		return dedup_claim(half, p, words, 3);
	return false;
}

#endif
