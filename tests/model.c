// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "support.h"

#include "model.h"

#include <stdlib.h>
#include <string.h>

void model_start(struct model *m, const struct dedup_config *cfg)
{
	*m = (struct model){ .cfg = cfg };
	m->blocks = aligned_alloc(sizeof(*m->blocks), cfg->blocks * sizeof(*m->blocks));
	assert_non_null(m->blocks);
	model_clear(m);
}

void model_clear(struct model *m)
{
	memset(m->blocks, 0, m->cfg->blocks * sizeof(*m->blocks));
}

void model_stop(struct model *m)
{
	free(m->blocks);
}

static bool half_has(const __u64 *half, const struct dedup_probe *p, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
		if ((half[p->at[i] / 8] & p->mask[i]) != p->mask[i])
			return false;
	return true;
}

/* Is the id known? If not, and if that is wanted, it is from now on. */
static bool model_knows(struct model *m, const struct id *id, bool learn)
{
	const struct dedup_config *c = m->cfg;
	struct dedup_block *block;
	struct dedup_probe p = { 0 };
	struct dedup_id key = id_key(id);
	int current;

	dedup_probe(&p, dedup_hash(&key, GSP_ID_WORDS, c), c->blocks, c->words, c->bits);
	block = &m->blocks[p.block];
	if (half_has(block->half[0], &p, c->words) || half_has(block->half[1], &p, c->words))
		return true;
	/* Blocks that the hand has passed are an epoch ahead. */
	current = ((m->hand >> 32) + (p.block < (uint32_t)m->hand)) & 1;
	for (uint32_t i = 0; learn && i < c->words; i++)
		block->half[current][p.at[i] / 8] |= p.mask[i];
	return false;
}

enum dedup_reason model_judge(struct model *m, enum gsp_type type, const struct id *ids, int count)
{
	if (type == GSP_IWANT)
		return DEDUP_exempt;
	for (int i = 0; i < count; i++) {
		if (!memcmp(&ids[i], &NO_ID, sizeof(NO_ID)))
			return DEDUP_no_id;
		if (!model_knows(m, &ids[i], type == GSP_EVENT))
			return type == GSP_EVENT ? DEDUP_new : DEDUP_ihave_new;
	}
	return type == GSP_EVENT ? DEDUP_duplicate : DEDUP_ihave_duplicate;
}
