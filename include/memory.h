/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The filter's memory: blocks of one cache line, which each layout uses in its own way. To user
 * space they are an array, the mapped map `filter`; BPF programs look each block up in that map.
 */
#pragma once

#include "config.h"

#define DEDUP_HALF_WORDS 4
#define DEDUP_BLOCK_WORDS 8
#define DEDUP_BLOCK_BITS 512
#define DEDUP_BLOCK_CELLS 16

struct dedup_block {
	union {
		/* blocked: the bits of two generations of ids, one in each half;
		 * dedup_hand_half() says which half is the current one
		 */
		__u64 half[2][DEDUP_HALF_WORDS];
		__u64 word[DEDUP_BLOCK_WORDS]; /* flat */
		__u32 cell[DEDUP_BLOCK_CELLS]; /* countdown */
	};
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct dedup_block) == 64, "one cache line");

/* Returns block n. In the packet program (maps.bpf.h) this is a map lookup: `blocks` is not used,
 * and NULL is returned if there is no block n. Elsewhere n must be below the number of blocks.
 */
#ifdef DEDUP_PACKET_PROGRAM
static __always_inline struct dedup_block *dedup_block_at(struct dedup_block *blocks, __u32 n);
#else
static inline struct dedup_block *dedup_block_at(struct dedup_block *blocks, __u32 n)
{
	return &blocks[n];
}
#endif

/* All blocks of a filter: its layout's, and behind them the table of sources (source_table.h). */
static __always_inline __u64 dedup_blocks(const struct dedup_config *c)
{
	return c->memory.blocks + dedup_sources_blocks(&c->sources);
}

static __always_inline void dedup_clear(__u64 *word, int words)
{
	for (int w = 0; w < words; w++)
		word[w] = 0;
}
