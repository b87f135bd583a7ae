/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The occupancy of a filter's memory, from all its blocks or a sample: what the layouts' fill
 * functions have in common.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "memory.h"

struct fill {
	/* Bits set in the current and in the previous generation; countdown: cells above 0, and 0.
	 */
	uint64_t set_current, set_previous;
	double current, previous; /* as parts (0 to 1) of a generation's bits, or of all cells */
	double ids;		  /* estimate of the ids in both generations */
	double fpr;		  /* chance that a fresh id is now taken for a known one */
	double read_part; /* part (0 to 1) of the memory read; below 1 the above are estimates */
	double ids_error; /* about the standard error of `ids` by sampling; 0 if all was read */
};

/* Which blocks are read: one of each `stride` neighbours, drawn at random from the seed. */
struct sample {
	uint32_t stride;
	uint64_t seed;
};
#define FILL_ALL ((struct sample){ 1, 0 })

/* Returns a sample of 2 to 4 MB of a memory of more than FILL_BLOCKS_MAX blocks (4 MB): sums that
 * are estimated from it have no bias, whatever the memory holds. Smaller memories are read as a
 * whole.
 */
#define FILL_BLOCKS_MAX 65536
struct sample fill_sample(const struct dedup_config *cfg, uint64_t seed);

/* A walk over the blocks of a sample, from `next` up to, but not including, `end`. Starts with
 * `sample` and `end` set, and the rest 0.
 */
struct walk {
	struct sample sample;
	uint32_t next, end;
	uint32_t block;	 /* the block to read now */
	uint32_t weight; /* in sums: how many blocks it stands for, itself included */
	uint64_t read;	 /* blocks read so far, this one included */
};

/* Steps to the next block to read. Returns false at the end. */
bool walk_on(struct walk *w);

/* Sets f->read_part, and f->ids_error from f->ids. found: how many independent bits, cells or ids
 * the estimate of ids is based on. per_id: how many of those one id leaves.
 */
void fill_set_error(struct fill *f, double read_part, double found, double per_id);
