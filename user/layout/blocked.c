// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Layout blocked: both generations of an id in one cache line. */
#include <math.h>
#include <stdio.h>

#include "bits.h"
#include "blocked_size.h"
#include "hand.h"
#include "layout.h"
#include "open_filter.h"

static const char *blocked_refusal(const struct filter_spec *spec)
{
	if (spec->hash != DEDUP_FAST && spec->hash != DEDUP_SIPHASH)
		return "--hash colibri, fips, fnv1a and tezos need --layout flat or countdown";
	if (spec->bits)
		return "--bits is for --layout flat (countdown has --index-bits)";
	if (spec->hashes)
		return "--hashes is for --layout flat and countdown";
	if (spec->index_bits || spec->countdown_bits)
		return "--index-bits and --countdown-bits are for --layout countdown";
	return NULL;
}

static int blocked_size(const struct filter_spec *spec, double ids, double fpr,
			struct dedup_config *c)
{
	struct geometry g;
	int err = size_pick(ids, fpr, &g);

	(void)spec;
	if (err)
		return err;
	c->memory.blocks = c->memory.places = g.blocks;
	c->memory.segment_places = (g.blocks - 1) / DEDUP_MARKS + 1;
	c->memory.words = g.words;
	c->memory.bits = g.bits;
	c->memory.k = g.words * g.bits;
	return 0;
}

static double blocked_rate(const struct dedup_config *c, double ids)
{
	const struct geometry g = { c->memory.blocks, c->memory.words, c->memory.bits };

	return size_fpr(&g, ids);
}

#define HALF_BITS (DEDUP_HALF_WORDS * DEDUP_WORD_BITS)

/* Computes hit[n]: the chance that a word with n bits set has all `bits` bits of a random id. */
static void word_hits(double hit[DEDUP_WORD_BITS + 1], uint32_t bits)
{
	for (int n = 0; n <= DEDUP_WORD_BITS; n++)
		hit[n] = pow(n / (double)DEDUP_WORD_BITS, bits);
}

/* Returns the chance that this half seems to hold an id which it does not: the mean over the words
 * that the id may use, which are one of four, one of the six pairs, or all.
 */
static double half_hit(const __u64 *half, uint32_t words, const double *word_hit)
{
	double hit[DEDUP_HALF_WORDS], sum = 0;

	for (int i = 0; i < DEDUP_HALF_WORDS; i++)
		hit[i] = word_hit[__builtin_popcountll(half[i])];
	if (words == DEDUP_HALF_WORDS)
		return hit[0] * hit[1] * hit[2] * hit[3];
	for (int i = 0; i < DEDUP_HALF_WORDS; i++) {
		if (words == 1)
			sum += hit[i] / 4;
		for (int j = 0; words == 2 && j < i; j++)
			sum += hit[i] * hit[j] / 6;
	}
	return sum;
}

static int half_popcount(const __u64 *half)
{
	int sum = 0;

	for (int i = 0; i < DEDUP_HALF_WORDS; i++)
		sum += __builtin_popcountll(half[i]);
	return sum;
}

/* Estimates how many ids have set bits_set bits in this many halves: a bit is still clear if every
 * id has missed it. If all are set, takes half a bit as clear, so that the result is finite.
 */
static double estimate_ids(const struct dedup_config *cfg, uint64_t bits_set, uint64_t halves)
{
	double clear = 1 - bits_set / ((double)halves * HALF_BITS);
	double miss = cfg->memory.words / (double)DEDUP_HALF_WORDS *
		      (1 - pow(1 - 1.0 / DEDUP_WORD_BITS, cfg->memory.bits));
	double least = 0.5 / ((double)halves * HALF_BITS);

	return halves ? halves * -log(clear > least ? clear : least) / miss : 0;
}

/* A memory to read, with what that needs. */
struct block_reader {
	const struct dedup_config *cfg;
	const struct dedup_block *blocks;
	uint64_t hand;
	double hit[DEDUP_WORD_BITS + 1]; /* word_hits() */
};

/* Adds the fill of one segment: the blocks from w->next to w->end. */
static void add_segment(struct fill *f, const struct block_reader *r, struct walk *w)
{
	uint32_t words = r->cfg->memory.words;
	uint64_t bits[2] = { 0 }; /* set in the current halves, in the previous ones */
	uint32_t first = w->next;

	while (walk_on(w)) {
		uint32_t cur = dedup_hand_half(r->hand, w->block);
		struct dedup_block block = r->blocks[w->block];
		__u64 both[DEDUP_HALF_WORDS];

		for (int i = 0; i < DEDUP_HALF_WORDS; i++)
			both[i] = block.half[0][i] & block.half[1][i]; /* would count twice */
		f->fpr += w->weight *
			  (half_hit(block.half[0], words, r->hit) +
			   half_hit(block.half[1], words, r->hit) - half_hit(both, words, r->hit));
		bits[0] += (uint64_t)w->weight * half_popcount(block.half[cur]);
		bits[1] += (uint64_t)w->weight * half_popcount(block.half[cur ^ 1]);
	}
	f->ids += estimate_ids(r->cfg, bits[0], w->end - first) +
		  estimate_ids(r->cfg, bits[1], w->end - first);
	f->set_current += bits[0];
	f->set_previous += bits[1];
}

static struct fill blocked_fill(const struct dedup_config *cfg, const struct dedup_block *blocks,
				uint64_t hand, struct sample sample)
{
	struct block_reader r = { .cfg = cfg, .blocks = blocks, .hand = hand };
	struct walk w = { .sample = sample };
	struct fill f = { 0 };
	double part;

	word_hits(r.hit, cfg->memory.bits);
	/* Ids are estimated segment by segment: the current halves hold few ids where the hand has
	 * just passed, and many where it is about to pass, and the estimate is not linear.
	 */
	while (w.end < cfg->memory.blocks) {
		w.end += cfg->memory.segment_places;
		if (w.end > cfg->memory.blocks)
			w.end = cfg->memory.blocks;
		add_segment(&f, &r, &w);
	}
	f.fpr /= cfg->memory.blocks;
	f.current = f.set_current / ((double)cfg->memory.blocks * HALF_BITS);
	f.previous = f.set_previous / ((double)cfg->memory.blocks * HALF_BITS);
	part = (double)w.read / cfg->memory.blocks;
	fill_set_error(&f, part, f.ids * part, 1); /* all bits of an id are in one block */
	return f;
}

static void blocked_find(const struct dedup_config *c, const struct dedup_lookup_key *s,
			 struct id_lookup *p)
{
	dedup_probe(&p->probe, dedup_hash(s->id, s->words, c, s->realm_key), c->memory.blocks,
		    c->memory.words, c->memory.bits);
}

static void blocked_prefetch(const struct filter *f, const struct id_lookup *p)
{
	__builtin_prefetch(&f->blocks[p->probe.block]);
}

static bool blocked_is_known(const struct filter *f, const struct id_lookup *p)
{
	return dedup_block_holds(&f->blocks[p->probe.block], &p->probe, f->config->memory.words);
}

static int blocked_learn(struct filter *f, const struct id_lookup *p)
{
	uint32_t block = p->probe.block;

	return dedup_half_learn(dedup_half(&f->blocks[block], dedup_hand_half(p->hand, block)),
				&p->probe, f->config->memory.words);
}

static uint32_t blocked_generation(const struct dedup_config *c, const struct id_lookup *p)
{
	(void)c;
	return dedup_hand_epoch(p->hand) + (p->probe.block < dedup_hand_pos(p->hand));
}

static uint64_t blocked_total_bits(const struct dedup_config *c)
{
	return (uint64_t)c->memory.blocks * HALF_BITS;
}

static int blocked_facts(const struct filter_spec *spec, const struct dedup_config *c,
			 struct layout_fact *out)
{
	(void)spec;
	out[0] = (struct layout_fact){ "blocks", c->memory.blocks };
	out[1] = (struct layout_fact){ "words", c->memory.words };
	out[2] = (struct layout_fact){ "bits", c->memory.bits };
	out[3] = (struct layout_fact){ "hashes", c->memory.k };
	return 4;
}

static void blocked_describe(const struct dedup_config *c, char *text)
{
	snprintf(text, LAYOUT_TEXT_MAX, "%u blocks, k = %u (%u words x %u bits)", c->memory.blocks,
		 c->memory.k, c->memory.words, c->memory.bits);
}

static void blocked_text(const struct filter_spec *spec, const struct dedup_config *c, char *text)
{
	(void)spec;
	snprintf(text, LAYOUT_TEXT_MAX,
		 "blocks         %u of 64 bytes\n"
		 "k              %u (%u words x %u bits)\n",
		 c->memory.blocks, c->memory.k, c->memory.words, c->memory.bits);
}

static bool blocked_is_sound(const struct dedup_memory *m)
{
	return m->places == m->blocks && m->words <= DEDUP_HALF_WORDS &&
	       __builtin_popcount(m->words) == 1 && m->bits && m->bits <= DEDUP_BITS_MAX &&
	       m->k == m->words * m->bits && m->hash < DEDUP_COLIBRI;
}

const struct layout LAYOUT_BLOCKED = {
	.name = "blocked",
	.refusal = blocked_refusal,
	.size = blocked_size,
	.rate = blocked_rate,
	.turn_ids = layout_turn_ids,
	.fill = blocked_fill,
	.hand = layout_hand_passed,
	.find = blocked_find,
	.prefetch = blocked_prefetch,
	.is_known = blocked_is_known,
	.learn = blocked_learn,
	.generation = blocked_generation,
	.bits = blocked_total_bits,
	.facts = blocked_facts,
	.describe = blocked_describe,
	.explain = blocked_text,
	.has_generations = true,
	.is_sound = blocked_is_sound,
};
