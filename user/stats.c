// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stats.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "array_rate.h"
#include "block.h"
#include "countdown.h"
#include "fips_count.h"
#include "flat.h"
#include "hand.h"

#define HALF_BITS (DEDUP_HALF_WORDS * DEDUP_WORD_BITS)

/* hit[n]: the chance that an id's bits in a word all meet the n that are set in it. */
static void word_hits(double hit[DEDUP_WORD_BITS + 1], uint32_t bits)
{
	for (int n = 0; n <= DEDUP_WORD_BITS; n++)
		hit[n] = pow(n / (double)DEDUP_WORD_BITS, bits);
}

/* The chance that an id which is not in this half seems to be: over the words that
 * it may use, one of four, one of the six pairs, or all.
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

/* How many ids set so many bits in as many halves: a bit stays clear with the chance
 * that every id misses it. A half of a block is as good as never full.
 */
static double ids_of(const struct dedup_config *cfg, uint64_t bits_set, uint64_t halves)
{
	double clear = 1 - bits_set / ((double)halves * HALF_BITS);
	double miss = cfg->words / (double)DEDUP_HALF_WORDS *
		      (1 - pow(1 - 1.0 / DEDUP_WORD_BITS, cfg->bits));
	double least = 0.5 / ((double)halves * HALF_BITS);

	return halves ? halves * -log(clear > least ? clear : least) / miss : 0;
}

struct sample stats_sample(const struct dedup_config *cfg, uint64_t seed)
{
	return (struct sample){ (cfg->blocks - 1) / STATS_BLOCKS_MAX + 1, seed };
}

/* Where a walk over the blocks from `first` up to `end` is. */
struct walk {
	struct sample sample;
	uint32_t next, end;
	uint32_t block;	 /* that is read */
	uint32_t stands; /* for so many, itself included */
	uint64_t read;	 /* so far */
};

/* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t draw(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static bool walk_on(struct walk *w)
{
	if (w->next >= w->end)
		return false;
	w->stands = w->end - w->next;
	if (w->stands > w->sample.stride)
		w->stands = w->sample.stride;
	w->block = w->next;
	if (w->stands > 1) /* drawn, as what is in the memory may come back every so many blocks */
		w->block += draw(&w->sample.seed) % w->stands;
	w->next += w->stands;
	w->read++;
	return true;
}

/* `seen`: of independent things that the sample has, of which `an_id` belong to an id. */
static void set_error(struct fill *f, double read_part, double seen, double an_id)
{
	f->read_part = read_part;
	f->ids_error = sqrt((1 - read_part) / (seen + 1)) * (f->ids + 1 / (read_part * an_id));
}

/* Up to w->end, which is a segment. */
static void add_segment(struct fill *f, const struct dedup_config *cfg,
			const struct dedup_block *blocks, uint64_t hand, const double *hit,
			struct walk *w)
{
	uint64_t bits[2] = { 0 };
	uint32_t first = w->next;

	while (walk_on(w)) {
		uint32_t cur = dedup_hand_half(hand, w->block);
		struct dedup_block block = blocks[w->block];
		__u64 both[DEDUP_HALF_WORDS];

		for (int i = 0; i < DEDUP_HALF_WORDS; i++)
			both[i] = block.half[0][i] & block.half[1][i];
		f->fpr += w->stands * (half_hit(block.half[0], cfg->words, hit) +
				       half_hit(block.half[1], cfg->words, hit) -
				       half_hit(both, cfg->words, hit));
		bits[0] += (uint64_t)w->stands * half_popcount(block.half[cur]);
		bits[1] += (uint64_t)w->stands * half_popcount(block.half[cur ^ 1]);
	}
	f->ids += ids_of(cfg, bits[0], w->end - first) + ids_of(cfg, bits[1], w->end - first);
	f->set_current += bits[0];
	f->set_previous += bits[1];
}

static struct fill blocked_fill(const struct dedup_config *cfg, const struct dedup_block *blocks,
				uint64_t hand, struct sample sample)
{
	struct walk w = { .sample = sample };
	double hit[DEDUP_WORD_BITS + 1], part;
	struct fill f = { 0 };

	word_hits(hit, cfg->bits);
	/* The current halves of blocks that the hand has just passed hold little, of
	 * those before it much: each segment is estimated by itself.
	 */
	while (w.end < cfg->blocks) {
		w.end += cfg->segment_places;
		if (w.end > cfg->blocks)
			w.end = cfg->blocks;
		add_segment(&f, cfg, blocks, hand, hit, &w);
	}
	f.fpr /= cfg->blocks;
	f.current = f.set_current / ((double)cfg->blocks * HALF_BITS);
	f.previous = f.set_previous / ((double)cfg->blocks * HALF_BITS);
	part = (double)w.read / cfg->blocks;
	set_error(&f, part, f.ids * part, 1); /* all bits of an id are in one block */
	return f;
}

/* An array is as good as never full. */
static double learned_ids(const struct dedup_config *cfg, uint64_t set)
{
	return array_ids(cfg->m, cfg->k, set < cfg->m ? set : cfg->m - 0.5);
}

static double rate_at(const struct dedup_config *cfg, double fill)
{
	return array_rate_at(cfg->hash, cfg->m, cfg->k, fill);
}

/* Of one of flat's arrays. What FIPS' peers have put there is not random. */
static double array_fpr(const struct dedup_config *cfg, const struct dedup_block *array, double fill)
{
	double excess = 0;

	if (cfg->hash == DEDUP_FIPS && cfg->m >= DEDUP_WORD_BITS && !(cfg->m & (cfg->m - 1)))
		excess = fips_excess(array->word, cfg->m, cfg->k, NULL);
	return rate_at(cfg, fill) + excess;
}

static uint32_t block_popcount(const struct dedup_block *b, const struct dedup_block *and)
{
	uint32_t sum = 0;

	for (int i = 0; i < DEDUP_BLOCK_WORDS; i++)
		sum += __builtin_popcountll(dedup_read(&b->word[i]) & dedup_read(&and->word[i]));
	return sum;
}

static struct fill flat_fill(const struct dedup_config *cfg, const struct dedup_block *blocks,
			     uint64_t hand, struct sample sample)
{
	const struct dedup_block *current = &blocks[dedup_flat_current(hand) * cfg->places];
	const struct dedup_block *previous = &blocks[(dedup_flat_current(hand) ^ 1) * cfg->places];
	struct walk w = { .sample = sample, .end = cfg->places };
	bool has_previous = dedup_flat_has_previous(hand);
	uint64_t both = 0;
	struct fill f = { 0 };
	double part;

	while (walk_on(&w)) { /* no bit beyond m is ever set */
		const struct dedup_block *c = &current[w.block], *p = &previous[w.block];

		f.set_current += (uint64_t)w.stands * block_popcount(c, c);
		if (!has_previous)
			continue;
		f.set_previous += (uint64_t)w.stands * block_popcount(p, p);
		both += (uint64_t)w.stands * block_popcount(c, p);
	}
	f.current = (double)f.set_current / cfg->m;
	f.previous = (double)f.set_previous / cfg->m;
	f.ids = learned_ids(cfg, f.set_current) + learned_ids(cfg, f.set_previous);
	f.fpr = array_fpr(cfg, current, f.current);
	if (f.set_previous)
		f.fpr += array_fpr(cfg, previous, f.previous);
	/* An id that both arrays seem to hold counts once; some such are left in. */
	f.fpr -= pow((double)both / cfg->m, cfg->k);
	f.fpr = fmin(f.fpr, 1);
	part = (double)w.read / cfg->places;
	set_error(&f, part, (f.set_current + f.set_previous) * part, cfg->k);
	return f;
}

/* Of what is left of cells, how many have none, 1, ... config->places countdowns to go; more than
 * `most` as if so many. Returns the part of the cells that was read.
 */
static double count_cells(const struct dedup_config *cfg, const struct dedup_block *blocks,
			  uint64_t hand, struct sample sample, uint32_t most, uint64_t *cells)
{
	uint32_t now = dedup_countdowns(hand, cfg->places);
	uint32_t in_block = cfg->m < DEDUP_BLOCK_CELLS ? cfg->m : DEDUP_BLOCK_CELLS;
	struct walk w = { .sample = sample, .end = cfg->blocks };

	while (walk_on(&w)) {
		for (uint32_t i = 0; i < in_block; i++) {
			const __u32 *cell = &blocks[w.block].cell[i];
			uint32_t left = dedup_cell_left(dedup_read32(cell), now, cfg->places);

			cells[left < most ? left : most] += w.stands;
		}
	}
	return (double)w.read / cfg->blocks;
}

static struct fill countdown_fill(const struct dedup_config *cfg, const struct dedup_block *blocks,
				  uint64_t hand, struct sample sample)
{
	uint64_t cells[2] = { 0 };
	double part = count_cells(cfg, blocks, hand, sample, 1, cells);
	struct fill f = { .set_current = cells[1] };

	f.current = (double)f.set_current / cfg->m;
	f.ids = learned_ids(cfg, f.set_current);
	f.fpr = rate_at(cfg, f.current);
	set_error(&f, part, f.set_current * part, cfg->k);
	return f;
}

struct fill stats_fill_by(const struct dedup_config *cfg, const struct dedup_block *blocks,
			  uint64_t hand, struct sample sample)
{
	if (cfg->layout == DEDUP_FLAT)
		return flat_fill(cfg, blocks, hand, sample);
	if (cfg->layout == DEDUP_COUNTDOWN)
		return countdown_fill(cfg, blocks, hand, sample);
	return blocked_fill(cfg, blocks, hand, sample);
}

struct fill stats_fill(const struct dedup_config *cfg, const struct dedup_block *blocks, uint64_t hand)
{
	return stats_fill_by(cfg, blocks, hand, STATS_ALL);
}

void stats_histogram(const struct dedup_config *cfg, const struct dedup_block *blocks,
		     uint64_t hand, struct sample sample, uint64_t *cells)
{
	memset(cells, 0, (cfg->places + 1ULL) * sizeof(*cells));
	count_cells(cfg, blocks, hand, sample, cfg->places, cells);
}

uint64_t stats_approx_count(const struct dedup_config *cfg, struct dedup_state *st, int64_t credit)
{
	uint64_t load = dedup_hand_load(st, cfg);

	return load > (uint64_t)credit ? load - credit : 0;
}

uint64_t stats_oldest_ns(const struct dedup_config *cfg, const struct dedup_state *st, uint64_t now_ns)
{
	uint64_t hand = dedup_read(&st->hand), at;
	uint32_t epoch = dedup_hand_epoch(hand);
	/* The next segment to be entered: its mark of two turns ago still stands. Countdown:
	 * the mark of one turn ago of the one that the hand is in.
	 */
	uint32_t seg = (dedup_hand_pos(hand) + cfg->segment_places - 1) / cfg->segment_places;

	if (cfg->layout == DEDUP_COUNTDOWN) {
		seg = dedup_hand_pos(hand) / cfg->segment_places;
		epoch--;
	} else if (seg * (uint64_t)cfg->segment_places >= cfg->places) {
		seg = 0;
		epoch++;
	}
	at = dedup_read(&st->marks[(epoch & 1) * DEDUP_MARKS + seg].at_ns);
	/* Before the first turn's end marks are of before the start. */
	if (!at || (int64_t)(at - st->started_ns) < 0)
		at = st->started_ns;
	return now_ns > at ? now_ns - at : 0;
}

double stats_hand(const struct dedup_config *cfg, struct dedup_state *st, uint64_t now_ns)
{
	uint32_t pos = dedup_hand_pos(dedup_read(&st->hand));
	uint64_t rested_ns = now_ns - dedup_read(&dedup_hand_mark(st, cfg, 0)->at_ns);

	if (cfg->layout != DEDUP_FLAT)
		return (double)pos / cfg->places;
	return pos || rested_ns > cfg->window_ns ? 1 : (double)rested_ns / cfg->window_ns;
}

bool stats_stopped(const struct dedup_config *cfg, const struct dedup_state *st, uint64_t now_ns)
{
	uint64_t last_ns = dedup_read(&st->last_ns);

	/* It may have stepped since the caller looked at the clock. */
	return now_ns > last_ns && now_ns - last_ns > cfg->stale_ns;
}
