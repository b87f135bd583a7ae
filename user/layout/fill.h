/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a filter's memory says about the ids in it, read as a whole or as a sample of its blocks.
 * The parts that the layouts' own fill functions have in common.
 */
#ifndef XDP_DEDUP_FILL_H
#define XDP_DEDUP_FILL_H

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
	double read_part; /* part (0 to 1) of the memory read; below 1 all above are estimates */
	double ids_error; /* about the standard error of `ids` by that; 0 if all was read */
};

/* Which blocks are read: one of each `stride` neighbours, drawn at random from the seed. */
struct sample {
	uint32_t stride;
	uint64_t seed;
};
#define FILL_ALL ((struct sample){ 1, 0 })

/* A sample of 2 to 4 MB of a memory of more than FILL_BLOCKS_MAX blocks (4 MB): sums estimated from
 * it have no bias, whatever the memory holds. All of a smaller one.
 */
#define FILL_BLOCKS_MAX 65536
struct sample fill_sample(const struct dedup_config *cfg, uint64_t seed);

/* A walk over the blocks of a sample, from `next` up to, not including, `end`. Starts with `sample`
 * and `end` set and the rest 0.
 */
struct walk {
	struct sample sample;
	uint32_t next, end;
	uint32_t block;	 /* the one to read now */
	uint32_t weight; /* in sums: how many blocks it stands for, itself included */
	uint64_t read;	 /* blocks read so far, this one included */
};

/* Goes on to the next block to read; false at the end. */
bool walk_on(struct walk *w);

/* Sets f->read_part and f->ids_error, from f->ids. `found`: how many independent things (bits,
 * cells or ids) the estimate of ids came from; `per_id`: how many of those one id leaves.
 */
void fill_set_error(struct fill *f, double read_part, double found, double per_id);

#endif
