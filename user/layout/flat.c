// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Layout flat: two bit arrays as in textbooks. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "array_rate.h"
#include "array_size.h"
#include "fips_count.h"
#include "flat.h"
#include "layout.h"
#include "open_filter.h"
#include "plan.h"

#define FIPS_M 8192 /* FIPS v1: 1 KB, 5 hashes */
#define FIPS_K 5

static const char *flat_refusal(const struct filter_spec *spec)
{
	uint32_t index_bits = array_index_bits(spec->bits);

	if (spec->index_bits || spec->countdown_bits)
		return "--index-bits and --countdown-bits are for --layout countdown";
	if (spec->hash != DEDUP_TEZOS)
		return NULL;
	if (spec->bits && !index_bits)
		return "with --hash tezos --bits is a power of 2, from 2 to 16777216";
	return array_refuse_tezos(index_bits, spec->hashes);
}

/* Fills in *m and *k unless they are given (not 0): by the rules of the system that has this hash,
 * or so that the rate is kept.
 */
static int pick(const struct filter_spec *spec, double ids, double fpr, uint32_t *m, uint32_t *k)
{
	const struct array_goal goal = { .arrays = 2, .hash = spec->hash, .n = ids, .p = fpr };
	uint32_t index_bits = array_index_bits(*m), own_k;
	uint64_t own_m;
	int err = 0;

	if (spec->hash == DEDUP_COLIBRI && !(*m && *k)) {
		textbook_size(spec->capacity, spec_fpr(spec), &own_m, &own_k);
		if (own_m > UINT32_MAX)
			return -EOVERFLOW;
		*m = *m ? *m : own_m;
		*k = *k ? *k : own_k;
	} else if (spec->hash == DEDUP_FIPS) {
		*m = *m ? *m : FIPS_M;
		*k = *k ? *k : FIPS_K;
	} else if (spec->hash == DEDUP_FNV1A && !*k) {
		*k = 1; /* the seed system (include/README.md) has a single hash */
	}
	if (*m) {
		*k = *k ? *k : array_probes(2, spec->hash, index_bits, fpr);
	} else if (spec->hash == DEDUP_TEZOS) {
		err = array_pick_power(&goal, TEZOS_BITS, &index_bits, k);
		*m = 1U << index_bits;
	} else if (!err) {
		err = array_pick(&goal, m, k);
	}
	return !err && *k > DEDUP_HASHES_MAX ? -EDOM : err;
}

static int flat_size(const struct filter_spec *spec, double ids, double fpr, struct dedup_config *c)
{
	int err;

	c->memory.m = spec->bits;
	c->memory.k = spec->hashes;
	err = pick(spec, ids, fpr, &c->memory.m, &c->memory.k);
	if (err)
		return err;
	c->memory.places = c->memory.segment_places = dedup_flat_blocks(c->memory.m);
	c->memory.blocks = 2 * c->memory.places;
	return 0;
}

static double flat_rate(const struct dedup_config *c, double ids)
{
	return array_rate_of(2, c->memory.hash, c->memory.m, c->memory.k, ids);
}

/* Returns the rate of one of the two arrays. FIPS' bits are counted, as peers may send bits that
 * are not random.
 */
static double array_fpr(const struct dedup_config *cfg, const struct dedup_block *array, double fill)
{
	double excess = 0;

	if (cfg->memory.hash == DEDUP_FIPS && cfg->memory.m >= DEDUP_WORD_BITS &&
	    !(cfg->memory.m & (cfg->memory.m - 1)))
		excess = fips_excess(array->word, cfg->memory.m, cfg->memory.k, NULL);
	return array_rate_at(cfg->memory.hash, cfg->memory.m, cfg->memory.k, fill) + excess;
}

static uint32_t block_popcount(const struct dedup_block *b, const struct dedup_block *and)
{
	uint32_t sum = 0;

	for (int i = 0; i < DEDUP_BLOCK_WORDS; i++)
		sum += __builtin_popcountll(READ_ONCE(b->word[i]) & READ_ONCE(and->word[i]));
	return sum;
}

static struct fill flat_fill(const struct dedup_config *cfg, const struct dedup_block *blocks,
			     uint64_t hand, struct sample sample)
{
	const struct dedup_block *current = &blocks[dedup_flat_current(hand) * cfg->memory.places];
	const struct dedup_block *previous =
		&blocks[(dedup_flat_current(hand) ^ 1) * cfg->memory.places];
	struct walk w = { .sample = sample, .end = cfg->memory.places };
	bool has_previous = dedup_flat_has_previous(hand);
	uint64_t both = 0;
	struct fill f = { 0 };
	double part;

	while (walk_on(&w)) { /* no bit beyond m is ever set */
		const struct dedup_block *c = &current[w.block], *p = &previous[w.block];

		f.set_current += (uint64_t)w.weight * block_popcount(c, c);
		if (!has_previous)
			continue;
		f.set_previous += (uint64_t)w.weight * block_popcount(p, p);
		both += (uint64_t)w.weight * block_popcount(c, p);
	}
	f.current = (double)f.set_current / cfg->memory.m;
	f.previous = (double)f.set_previous / cfg->memory.m;
	f.ids = array_learned(cfg->memory.m, cfg->memory.k, f.set_current) +
		array_learned(cfg->memory.m, cfg->memory.k, f.set_previous);
	f.fpr = array_fpr(cfg, current, f.current);
	if (f.set_previous)
		f.fpr += array_fpr(cfg, previous, f.previous);
	/* An id that both arrays seem to hold was counted twice: about fill^k of common bits. */
	f.fpr -= pow((double)both / cfg->memory.m, cfg->memory.k);
	f.fpr = fmin(f.fpr, 1);
	part = (double)w.read / cfg->memory.places;
	fill_set_error(&f, part, (f.set_current + f.set_previous) * part, cfg->memory.k);
	return f;
}

/* The hand rests at place 0 for a window. While it clears the older array, this returns 1. */
static double flat_hand(const struct dedup_config *c, struct dedup_state *st, uint64_t now_ns)
{
	uint32_t pos = dedup_hand_pos(READ_ONCE(st->hand));
	uint64_t rested_ns = now_ns - READ_ONCE(dedup_hand_mark(st, c, 0)->at_ns);

	return pos || rested_ns > c->memory.window_ns ? 1 : (double)rested_ns / c->memory.window_ns;
}

static void flat_prefetch(const struct filter *f, const struct id_lookup *p)
{
	const struct dedup_config *c = f->config;
	uint32_t array = dedup_flat_current(p->hand);

	for (uint32_t i = 0; i < c->memory.k; i++) {
		uint32_t at = p->positions.index[i];

		__builtin_prefetch(dedup_flat_word(f->blocks, c->memory.places, array, at));
		__builtin_prefetch(dedup_flat_word(f->blocks, c->memory.places, array ^ 1, at));
	}
}

static bool flat_is_known(const struct filter *f, const struct id_lookup *p)
{
	return dedup_flat_known_until(f->blocks, f->config->memory.places, p->hand, &p->positions,
				      f->config->memory.k) > 0;
}

static int flat_learn(struct filter *f, const struct id_lookup *p)
{
	const struct dedup_claims claims = { f->state->ties, p->hand };

	return dedup_flat_learn(f->blocks, f->config->memory.places, &claims, &p->positions,
				f->config->memory.k);
}

static uint32_t flat_generation(const struct dedup_config *c, const struct id_lookup *p)
{
	(void)c;
	return dedup_hand_epoch(p->hand);
}

static uint64_t flat_total_bits(const struct dedup_config *c)
{
	return c->memory.m;
}

static int flat_facts(const struct filter_spec *spec, const struct dedup_config *c,
		      struct layout_fact *out)
{
	uint64_t m;
	uint32_t k;

	out[0] = (struct layout_fact){ "m", c->memory.m };
	out[1] = (struct layout_fact){ "k", c->memory.k };
	out[2] = (struct layout_fact){ "m_allocated", dedup_bits_capacity(c->memory.m) };
	if (!spec)
		return 3;
	textbook_size(spec->capacity, spec_fpr(spec), &m, &k);
	out[3] = (struct layout_fact){ "textbook_m", m };
	out[4] = (struct layout_fact){ "textbook_k", k };
	return 5;
}

static void flat_describe(const struct dedup_config *c, char *text)
{
	snprintf(text, LAYOUT_TEXT_MAX, "two arrays of m = %u bits, k = %u", c->memory.m,
		 c->memory.k);
}

static void flat_text(const struct filter_spec *spec, const struct dedup_config *c, char *text)
{
	int len = snprintf(text, LAYOUT_TEXT_MAX,
			   "m              %u bits, in each of two arrays of 64-bit words for %llu\n"
			   "k              %u\n",
			   c->memory.m, dedup_bits_capacity(c->memory.m), c->memory.k);
	uint64_t m;
	uint32_t k;

	textbook_size(spec->capacity, spec_fpr(spec), &m, &k);
	if (c->memory.hash > DEDUP_COLIBRI || m > UINT32_MAX ||
	    (m == c->memory.m && k == c->memory.k))
		return;
	snprintf(text + len, LAYOUT_TEXT_MAX - len,
		 "textbook       m = %u, k = %u, for one generation alone (--bits %u --hashes %u)\n",
		 (uint32_t)m, k, (uint32_t)m, k);
}

static bool flat_is_sound(const struct dedup_memory *m)
{
	return array_is_sound(m) && m->places == dedup_flat_blocks(m->m) &&
	       m->blocks == 2ULL * m->places && m->segment_places == m->places;
}

const struct layout LAYOUT_FLAT = {
	.name = "flat",
	.refusal = flat_refusal,
	.size = flat_size,
	.rate = flat_rate,
	.turn_ids = layout_turn_ids,
	.fill = flat_fill,
	.hand = flat_hand,
	.find = layout_find_positions,
	.prefetch = flat_prefetch,
	.is_known = flat_is_known,
	.learn = flat_learn,
	.generation = flat_generation,
	.bits = flat_total_bits,
	.facts = flat_facts,
	.describe = flat_describe,
	.explain = flat_text,
	.has_generations = true,
	.rests = true,
	.has_occupancy = true,
	.is_sound = flat_is_sound,
};
