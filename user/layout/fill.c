// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fill.h"

#include <math.h>

struct sample fill_sample(const struct dedup_config *cfg, uint64_t seed)
{
	return (struct sample){ (cfg->memory.blocks - 1) / FILL_BLOCKS_MAX + 1, seed };
}

/* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t draw_splitmix(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

bool walk_on(struct walk *w)
{
	if (w->next >= w->end)
		return false;
	w->weight = w->end - w->next;
	if (w->weight > w->sample.stride)
		w->weight = w->sample.stride;
	w->block = w->next;
	if (w->weight > 1) /* at random, as the contents may be periodic */
		w->block += draw_splitmix(&w->sample.seed) % w->weight;
	w->next += w->weight;
	w->read++;
	return true;
}

/* The relative error is 1 / sqrt(found), and less if more was read. Counts one more than was found,
 * and the ids for that, so that the error is not 0 if the sample found nothing.
 */
void fill_set_error(struct fill *f, double read_part, double found, double per_id)
{
	f->read_part = read_part;
	f->ids_error = sqrt((1 - read_part) / (found + 1)) * (f->ids + 1 / (read_part * per_id));
}
