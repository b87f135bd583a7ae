/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How the packet program ages its blocks in user space: as in the kernel, but without those that no
 * packet has come to since they were cleared. A capture of a day is replayed in a minute, and most
 * turns of the hand have nothing to forget. Included by program.c alone.
 */
#ifndef XDP_DEDUP_PROGRAM_AGEING_H
#define XDP_DEDUP_PROGRAM_AGEING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "age.h"

#define CHUNK_BLOCKS 64
#define GROUP_CHUNKS 64
#define GROUP_BLOCKS (CHUNK_BLOCKS * GROUP_CHUNKS)

/* After so many passes of the hand behind the last packet a chunk is zero: that in which the packet
 * came, perhaps behind the hand, and one for each generation.
 */
#define CHUNK_PASSES 3

/* By chunk of a generation's blocks, in `flat` array 1 behind array 0: passes until it is zero; by
 * group of chunks, how many are not.
 */
static struct {
	uint8_t *passes, *live;
	uint32_t blocks;	 /* that the hand ages; those behind are the table of sources */
	uint32_t places;	 /* of a generation */
	uint32_t chunks, groups; /* of them */
	bool is_flat;		 /* the blocks are two arrays */
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
	touched.is_flat = !dedup_one_by_one(cfg) && touched.blocks > cfg->memory.places;
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

/* A packet has come to this block. */
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

/* Ages so many places from the hand on, of layout blocked or flat, as dedup_age() would. */
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

#endif
