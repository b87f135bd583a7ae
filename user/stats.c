// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stats.h"

#include <math.h>

#include "block.h"
#include "countdown.h"
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

static struct fill blocked_fill(const struct dedup_config *cfg, const struct dedup_block *blocks,
				uint64_t hand)
{
	uint64_t bits[2] = { 0 };
	double hit[DEDUP_WORD_BITS + 1];
	uint32_t segment = 0;
	struct fill f = { 0 };

	word_hits(hit, cfg->bits);
	/* The current halves of blocks that the hand has just passed hold little, of
	 * those before it much: each segment is estimated by itself.
	 */
	for (uint32_t b = 0; b < cfg->blocks; b++) {
		uint32_t cur = dedup_hand_half(hand, b);
		struct dedup_block block = blocks[b];
		__u64 both[DEDUP_HALF_WORDS];

		for (int i = 0; i < DEDUP_HALF_WORDS; i++)
			both[i] = block.half[0][i] & block.half[1][i];
		f.fpr += half_hit(block.half[0], cfg->words, hit) +
			 half_hit(block.half[1], cfg->words, hit) - half_hit(both, cfg->words, hit);
		bits[0] += half_popcount(block.half[cur]);
		bits[1] += half_popcount(block.half[cur ^ 1]);
		if (++segment < cfg->segment_places && b + 1 < cfg->blocks)
			continue;
		f.ids += ids_of(cfg, bits[0], segment) + ids_of(cfg, bits[1], segment);
		f.set_current += bits[0];
		f.set_previous += bits[1];
		bits[0] = bits[1] = segment = 0;
	}
	f.fpr /= cfg->blocks;
	f.current = f.set_current / ((double)cfg->blocks * HALF_BITS);
	f.previous = f.set_previous / ((double)cfg->blocks * HALF_BITS);
	return f;
}

/* Swamidass, Baldi, J. Chem. Inf. Model. 47, 2007; an array is as good as never full. */
static double array_ids(const struct dedup_config *cfg, uint64_t set)
{
	double clear = set < cfg->m ? cfg->m - set : 0.5;

	return set ? -log(clear / cfg->m) * cfg->m / cfg->k : 0;
}

static struct fill flat_fill(const struct dedup_config *cfg, const struct dedup_block *blocks,
			     uint64_t hand)
{
	const __u64 *current = blocks[dedup_flat_current(hand) * cfg->places].word;
	const __u64 *previous = blocks[(dedup_flat_current(hand) ^ 1) * cfg->places].word;
	uint64_t both = 0;
	struct fill f = { 0 };

	f.set_current = dedup_bits_count(current, cfg->m);
	if (dedup_flat_has_previous(hand)) {
		f.set_previous = dedup_bits_count(previous, cfg->m);
		for (uint64_t w = 0; w < dedup_bits_capacity(cfg->m) / DEDUP_WORD_BITS; w++)
			both += __builtin_popcountll(dedup_read(&current[w]) &
						     dedup_read(&previous[w]));
	}
	f.current = (double)f.set_current / cfg->m;
	f.previous = (double)f.set_previous / cfg->m;
	f.ids = array_ids(cfg, f.set_current) + array_ids(cfg, f.set_previous);
	f.fpr = pow(f.current, cfg->k) + pow(f.previous, cfg->k) - pow((double)both / cfg->m, cfg->k);
	return f;
}

static uint32_t cell_left(const struct dedup_config *cfg, const struct dedup_block *blocks,
			  uint64_t hand, uint32_t cell)
{
	const __u32 *at = &blocks[cell / DEDUP_BLOCK_CELLS].cell[cell % DEDUP_BLOCK_CELLS];

	return dedup_cell_left(dedup_read32(at), dedup_countdowns(hand, cfg->places), cfg->places);
}

static struct fill countdown_fill(const struct dedup_config *cfg, const struct dedup_block *blocks,
				  uint64_t hand)
{
	struct fill f = { 0 };

	for (uint32_t i = 0; i < cfg->m; i++)
		f.set_current += cell_left(cfg, blocks, hand, i) > 0;
	f.current = (double)f.set_current / cfg->m;
	f.ids = array_ids(cfg, f.set_current);
	f.fpr = pow(f.current, cfg->k);
	return f;
}

struct fill stats_fill(const struct dedup_config *cfg, const struct dedup_block *blocks, uint64_t hand)
{
	if (cfg->layout == DEDUP_FLAT)
		return flat_fill(cfg, blocks, hand);
	if (cfg->layout == DEDUP_COUNTDOWN)
		return countdown_fill(cfg, blocks, hand);
	return blocked_fill(cfg, blocks, hand);
}

void stats_histogram(const struct dedup_config *cfg, const struct dedup_block *blocks,
		     uint64_t hand, uint64_t *cells)
{
	for (uint32_t left = 0; left <= cfg->places; left++)
		cells[left] = 0;
	for (uint32_t i = 0; i < cfg->m; i++)
		cells[cell_left(cfg, blocks, hand, i)]++;
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
