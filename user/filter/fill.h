/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the bits of a memory say, all of them or those of a sample: what the layouts' own fill
 * functions have in common.
 */
#ifndef XDP_DEDUP_FILL_H
#define XDP_DEDUP_FILL_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "memory.h"

struct fill {
	uint64_t set_current, set_previous; /* bits; countdown: cells above 0, and 0 */
	double current, previous;	    /* the part that these are of all there are */
	double ids;			    /* estimated, both generations */
	double fpr;			    /* of a fresh id now */
	double read_part;		    /* of the memory; below 1 all of these are estimates */
	double ids_error; /* standard error of `ids` from reading only a part, about; 0: all was read */
};

/* What is read of a memory: of each `stride` blocks one, which the seed draws. */
struct sample {
	uint32_t stride;
	uint64_t seed;
};
#define FILL_ALL ((struct sample){ 1, 0 })

/* Of a memory of more than FILL_BLOCKS_MAX blocks (4 MB), 2 to 4 MB: the sum over it has no bias,
 * whatever it holds. Of a smaller one, all.
 */
#define FILL_BLOCKS_MAX 65536
struct sample fill_sample(const struct dedup_config *cfg, uint64_t seed);

/* Where a walk over the blocks from `next` up to `end` is. Start with sample and end set. */
struct walk {
	struct sample sample;
	uint32_t next, end;
	uint32_t block;	 /* that is read */
	uint32_t stands; /* for so many, itself included */
	uint64_t read;	 /* so far */
};

/* On to the next block that is read; false at the end. */
bool walk_on(struct walk *w);

/* How far f->ids, which is there, may be off. `seen`: of independent things that the sample has,
 * of which `an_id` belong to an id.
 */
void fill_set_error(struct fill *f, double read_part, double seen, double an_id);

#endif
