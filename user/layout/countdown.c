// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Layout countdown: cells that count down to 0. */
#include "countdown.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "array_rate.h"
#include "array_size.h"
#include "hand.h"
#include "layout.h"
#include "open_filter.h"

/* Returns how many countdowns an id lasts. The hand's circle has a place for each. */
static uint32_t countdowns(const struct filter_spec *spec)
{
	return (1U << (spec->countdown_bits ? spec->countdown_bits : COUNTDOWN_BITS_DEFAULT)) - 1;
}

static const char *countdown_refusal(const struct filter_spec *spec)
{
	if (spec->bits)
		return "--bits is for --layout flat (countdown has --index-bits)";
	return spec->hash == DEDUP_TEZOS ? array_refuse_tezos(spec->index_bits, spec->hashes) : NULL;
}

static int countdown_size(const struct filter_spec *spec, double ids, double fpr,
			  struct dedup_config *c)
{
	const struct array_goal goal = { .arrays = 1, .hash = spec->hash, .n = ids, .p = fpr };
	uint32_t index_bits = spec->index_bits, k = spec->hashes;
	uint32_t k_bits = spec->hash == DEDUP_TEZOS ? TEZOS_BITS : UINT32_MAX;

	if ((!index_bits || !k) && array_pick_power(&goal, k_bits, &index_bits, &k)) {
		if (!spec->index_bits)
			return -EOVERFLOW;
		k = array_probes(1, spec->hash, index_bits, fpr);
	}
	c->memory.m = 1U << index_bits;
	c->memory.k = k;
	c->memory.blocks = (c->memory.m - 1) / DEDUP_BLOCK_CELLS + 1;
	c->memory.places = countdowns(spec);
	c->memory.segment_places = (c->memory.places - 1) / DEDUP_MARKS + 1;
	return 0;
}

static const char *countdown_note(const struct dedup_config *c)
{
	if (c->memory.places > 1)
		return NULL;
	return "with --countdown-bits 1 the next countdown takes every id, however new: ids are remembered for at most a window";
}

static double countdown_rate(const struct dedup_config *c, double ids)
{
	return array_rate_of(1, c->memory.hash, c->memory.m, c->memory.k, ids);
}

/* An id lives for a window and one countdown (a window has places - 1), and a mark is exact only
 * for the first place of its segment. In that time, less than two windows, the ids of two windows
 * may arrive: one burst at its start, and another a window later.
 */
static double countdown_turn_ids(const struct dedup_config *c, double ids, double longer)
{
	return c->memory.places > 1 ? 2 * ids : layout_turn_ids(c, ids, longer);
}

/* cnt[n]: how many cells have n countdowns to go, n from 0 to `most`, which also counts more. */
struct cells {
	uint64_t *cnt;
	uint32_t most;
};

/* Adds the memory's cells to *cells. Returns the part (0 to 1) of the memory that was read. */
static double count_cells(const struct dedup_config *cfg, const struct dedup_block *blocks,
			  uint64_t hand, struct sample sample, const struct cells *cells)
{
	uint32_t elapsed = dedup_countdowns(hand, cfg->memory.places);
	uint32_t in_block = cfg->memory.m < DEDUP_BLOCK_CELLS ? cfg->memory.m : DEDUP_BLOCK_CELLS;
	struct walk w = { .sample = sample, .end = cfg->memory.blocks };

	while (walk_on(&w)) {
		for (uint32_t i = 0; i < in_block; i++) {
			const __u32 *cell = &blocks[w.block].cell[i];
			uint32_t left =
				dedup_cell_left(READ_ONCE(*cell), elapsed, cfg->memory.places);

			cells->cnt[left < cells->most ? left : cells->most] += w.weight;
		}
	}
	return (double)w.read / cfg->memory.blocks;
}

static struct fill countdown_fill(const struct dedup_config *cfg, const struct dedup_block *blocks,
				  uint64_t hand, struct sample sample)
{
	uint64_t cells[2] = { 0 }; /* at 0, and above 0 */
	double part = count_cells(cfg, blocks, hand, sample, &(struct cells){ cells, 1 });
	struct fill f = { .set_current = cells[1] };

	f.current = (double)f.set_current / cfg->memory.m;
	f.ids = array_learned(cfg->memory.m, cfg->memory.k, f.set_current);
	f.fpr = array_rate_at(cfg->memory.hash, cfg->memory.m, cfg->memory.k, f.current);
	fill_set_error(&f, part, f.set_current * part, cfg->memory.k);
	return f;
}

static void countdown_histogram(const struct dedup_config *cfg, const struct dedup_block *blocks,
				uint64_t hand, struct sample sample, uint64_t *cells)
{
	memset(cells, 0, (cfg->memory.places + 1ULL) * sizeof(*cells));
	count_cells(cfg, blocks, hand, sample, &(struct cells){ cells, cfg->memory.places });
}

static uint64_t countdown_approx_count(const struct dedup_config *cfg, struct dedup_state *st,
				       int64_t credit)
{
	uint64_t load = dedup_hand_load(st, cfg);

	return load > (uint64_t)credit ? load - credit : 0;
}

static void countdown_prefetch(const struct filter *f, const struct id_lookup *p)
{
	for (uint32_t i = 0; i < f->config->memory.k; i++)
		__builtin_prefetch(dedup_cell(f->blocks, p->positions.index[i]));
}

static uint32_t countdown_generation(const struct dedup_config *c, const struct id_lookup *p)
{
	return dedup_countdowns(p->hand, c->memory.places);
}

static bool countdown_is_known(const struct filter *f, const struct id_lookup *p)
{
	const struct dedup_config *c = f->config;

	return dedup_countdown_left(f->blocks, countdown_generation(c, p), c->memory.places,
				    &p->positions, c->memory.k);
}

static int countdown_learn(struct filter *f, const struct id_lookup *p)
{
	const struct dedup_claims claims = { f->state->ties, p->hand };
	const struct dedup_memory *m = &f->config->memory;

	return dedup_countdown_learn(f->blocks, m->places, &claims, &p->positions, m->k, true);
}

static void countdown_renew(struct filter *f, const struct id_lookup *p)
{
	const struct dedup_memory *m = &f->config->memory;

	dedup_countdown_renew(f->blocks, countdown_generation(f->config, p), m->places,
			      &p->positions, m->k);
}

/* Not named `remove`, as stdio.h has that. */
static void countdown_remove(struct filter *f, const struct id_lookup *p)
{
	dedup_countdown_remove(f->blocks, countdown_generation(f->config, p), &p->positions,
			       f->config->memory.k);
	dedup_ties_clear(f->state->ties);
}

static uint64_t countdown_total_bits(const struct dedup_config *c)
{
	return c->memory.m;
}

static int countdown_facts(const struct filter_spec *spec, const struct dedup_config *c,
			   struct layout_fact *out)
{
	(void)spec;
	out[0] = (struct layout_fact){ "m", c->memory.m };
	out[1] = (struct layout_fact){ "k", c->memory.k };
	out[2] = (struct layout_fact){ "index_bits", __builtin_ctz(c->memory.m) };
	out[3] = (struct layout_fact){ "countdowns", c->memory.places };
	return 4;
}

static void countdown_describe(const struct dedup_config *c, char *text)
{
	snprintf(text, LAYOUT_TEXT_MAX, "m = %u cells, k = %u, %u countdowns", c->memory.m,
		 c->memory.k, c->memory.places);
}

static void countdown_text(const struct filter_spec *spec, const struct dedup_config *c, char *text)
{
	(void)spec;
	snprintf(text, LAYOUT_TEXT_MAX,
		 "m              %u cells of 32 bits (--index-bits %d)\n"
		 "k              %u\n"
		 "countdowns     %u\n",
		 c->memory.m, __builtin_ctz(c->memory.m), c->memory.k, c->memory.places);
}

static bool countdown_is_sound(const struct dedup_memory *m)
{
	return array_is_sound(m) && array_index_bits(m->m) &&
	       m->blocks == (m->m - 1) / DEDUP_BLOCK_CELLS + 1 &&
	       m->places < 1U << SPEC_COUNTDOWN_BITS_MAX;
}

static void countdown_rewind(const struct dedup_config *c, uint64_t then, uint64_t now,
			     struct dedup_block *blocks, size_t cnt)
{
	uint32_t max = c->memory.places;
	uint32_t before = dedup_countdowns(then, max), elapsed = dedup_countdowns(now, max);

	for (size_t i = 0; i < cnt * DEDUP_BLOCK_CELLS; i++) {
		__u32 *cell = &blocks[i / DEDUP_BLOCK_CELLS].cell[i % DEDUP_BLOCK_CELLS];

		if (!dedup_cell_left(*cell, elapsed, max))
			*cell = before;
		else
			*cell = before + dedup_cell_left(*cell, before, max);
	}
}

const struct layout LAYOUT_COUNTDOWN = {
	.name = "countdown",
	.too_large = ": it has 2^24 cells at most",
	.refusal = countdown_refusal,
	.size = countdown_size,
	.note = countdown_note,
	.rate = countdown_rate,
	.turn_ids = countdown_turn_ids,
	.fill = countdown_fill,
	.hand = layout_hand_passed,
	.find = layout_find_positions,
	.prefetch = countdown_prefetch,
	.is_known = countdown_is_known,
	.learn = countdown_learn,
	.renew = countdown_renew,
	.generation = countdown_generation,
	.remove = countdown_remove,
	.bits = countdown_total_bits,
	.facts = countdown_facts,
	.describe = countdown_describe,
	.explain = countdown_text,
	.approx_count = countdown_approx_count,
	.histogram = countdown_histogram,
	.has_generations = false,
	.is_sound = countdown_is_sound,
	.rewind = countdown_rewind,
};
