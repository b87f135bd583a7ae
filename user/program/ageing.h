/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ages the blocks of the packet program in user space: with the kernel's result, but it skips
 * blocks that no packet has touched since they were cleared. A replay runs a day of packets in a
 * minute, and most turns of the hand have nothing to forget. Only program.c includes this file.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "age.h"

#define CHUNK_BLOCKS 64
#define GROUP_CHUNKS 64
#define GROUP_BLOCKS (CHUNK_BLOCKS * GROUP_CHUNKS)

/* Passes of the hand after the last packet until a chunk is zero: the pass during which the packet
 * touched it, perhaps behind the hand, and one for each generation.
 */
#define CHUNK_PASSES 3

/* passes: for each chunk of a generation's blocks, the passes until it is zero. live: for each
 * group of chunks, how many are not zero. In layout `flat`, array 1 follows array 0.
 */
static struct {
	uint8_t *passes, *live;
	uint32_t blocks;	 /* blocks that the hand ages; the table of sources follows them */
	uint32_t places;	 /* places of a generation */
	uint32_t chunks, groups; /* of a generation's places */
	bool is_flat;		 /* layout `flat`: two arrays of blocks */
} touched;

static void touched_close(void)
{
	free(touched.passes);
	free(touched.live);
	touched.passes = touched.live = NULL;
}

static bool touched_open(const struct dedup_config *cfg)
{
	touched.blocks = cfg->memory.blocks;
	touched.is_flat = cfg->memory.layout == DEDUP_FLAT;
	touched.places = touched.is_flat ? cfg->memory.places : touched.blocks;
	touched.groups = touched.places / GROUP_BLOCKS + 1;
	touched.chunks = touched.groups * GROUP_CHUNKS;
	touched.passes = calloc(2, touched.chunks);
	touched.live = calloc(2, touched.groups);
	if (touched.passes && touched.live)
		return true;
	touched_close();
	return false;
}

/* Notes that a packet has touched block n. */
static void touched_note(uint32_t n)
{
	uint32_t array = n >= touched.places, chunk;

	if (!touched.passes || n >= touched.blocks)
		return;
	chunk = array * touched.chunks + (n - array * touched.places) / CHUNK_BLOCKS;
	touched.live[chunk / GROUP_CHUNKS] += !touched.passes[chunk];
	touched.passes[chunk] = CHUNK_PASSES;
}

/* Ages the i-th place of the hand's generation; in `flat` array 1 begins at `first`. */
static void age_block(struct dedup_block *blocks, uint32_t first, uint64_t hand, uint32_t i)
{
	if (touched.is_flat)
		dedup_clear(blocks[first + i].word, DEDUP_BLOCK_WORDS);
	else
		dedup_clear(dedup_half(&blocks[i], dedup_hand_half(hand, i) ^ 1), DEDUP_HALF_WORDS);
}

/* Does what dedup_age() does for `cnt` places from the hand on, of layout blocked or flat. */
static void age_touched(struct dedup_block *blocks, uint64_t hand, uint32_t cnt)
{
	uint32_t array = touched.is_flat ? dedup_flat_current(hand) ^ 1 : 0;
	uint32_t from = dedup_hand_pos(hand), to = from + cnt;
	uint8_t *passes = touched.passes + array * touched.chunks;
	uint8_t *live = touched.live + array * touched.groups;

	while (from < to) {
		uint32_t chunk = from / CHUNK_BLOCKS, end = (chunk + 1) * CHUNK_BLOCKS;

		if (!live[chunk / GROUP_CHUNKS]) {
			from = (from / GROUP_BLOCKS + 1) * GROUP_BLOCKS;
			continue;
		}
		if (end > to)
			end = to;
		for (; passes[chunk] && from < end; from++)
			age_block(blocks, array * touched.places, hand, from);
		from = end;
		if (passes[chunk] && (end % CHUNK_BLOCKS == 0 || end == touched.places))
			live[chunk / GROUP_CHUNKS] -= !--passes[chunk];
	}
}
