// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "blocked_size.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "block.h"

#define WORD_BITS 64
#define BLOCK_IDS_MAX 1024	 /* ids in one block: the sums end here */
#define HASH_VALUES (1ULL << 32) /* they are scaled down to the number of a block */
#define TAIL 1e-18		 /* Poisson terms with a smaller probability are left out */

/* hit[j]: the chance that all bits of another id are set in a word that holds j ids. */
struct word_model {
	bool made;
	double hit[BLOCK_IDS_MAX + 1];
};

/* Returns the chance that another id finds all its bits set: (c / 64)^bits if c bits are set. */
static double word_hit(const double cells[WORD_BITS + 1], const double finds[WORD_BITS + 1])
{
	double hit = 0;

	for (int c = 0; c <= WORD_BITS; c++)
		hit += cells[c] * finds[c];
	return hit;
}

/* Returns whether all bits are set, except for a chance below TAIL. */
static bool is_full(const double cells[WORD_BITS + 1])
{
	return cells[WORD_BITS] > 0.5 && cells[WORD_BITS - 1] < TAIL;
}

/* Returns the model of words in which an id has so many bits; each thread makes it once.
 * cells[c]: the probability that c of the word's 64 bits are set, updated for each random bit,
 * until the word is full.
 */
static const struct word_model *word_model(uint32_t bits)
{
	static _Thread_local struct word_model models[DEDUP_BITS_MAX + 1];
	double cells[WORD_BITS + 1] = { 1 }, stay[WORD_BITS + 1], enter[WORD_BITS + 1],
				 finds[WORD_BITS + 1];
	struct word_model *m = &models[bits];

	if (m->made)
		return m;
	m->made = true;
	for (int c = 0; c <= WORD_BITS; c++) {
		stay[c] = c / (double)WORD_BITS;
		enter[c] = (WORD_BITS - c + 1) / (double)WORD_BITS;
		finds[c] = pow(stay[c], bits);
	}
	for (int j = 0; j <= BLOCK_IDS_MAX; j++)
		m->hit[j] = 1;
	for (uint32_t t = 0; t <= bits * BLOCK_IDS_MAX && !is_full(cells); t++) {
		if (t % bits == 0)
			m->hit[t / bits] = word_hit(cells, finds);
		for (int c = WORD_BITS; c > 0; c--)
			cells[c] = cells[c] * stay[c] + cells[c - 1] * enter[c];
		cells[0] = 0;
	}
	return m;
}

/* Returns whether a Poisson sum can end before its term n, of probability p. Beyond the mean, terms
 * only shrink.
 */
static bool is_tail(double mean, int n, double p)
{
	return n > mean && p < TAIL;
}

/* Returns the mean of hit[offset + n]^power, where n has a Poisson distribution of this mean. */
static double mean_hit(const struct word_model *m, double mean, int offset, int power)
{
	double p = exp(-mean), sum = 0;

	for (int n = 0; offset + n <= BLOCK_IDS_MAX && !is_tail(mean, n, p); n++) {
		double hit = m->hit[offset + n];

		sum += p * (power == 4 ? hit * hit * hit * hit : hit);
		p *= mean / (n + 1);
	}
	return sum;
}

/* Returns the rate of one half with `ids` ids a block on average. */
static double half_fpr(const struct word_model *m, uint32_t words, double ids)
{
	double p = exp(-ids / 6), sum = 0;

	/* w = 4: each id of the block is in all its words. w = 1: in one of four. */
	if (words == 4)
		return mean_hit(m, ids, 0, 4);
	if (words == 1)
		return mean_hit(m, ids / 4, 0, 1);
	/* w = 2: each id is in one of six pairs of words. The pair that is looked up is one of
	 * them, and each of its two words is in two others. So there are three independent Poisson
	 * counts: ids in both words (mean ids / 6), and in either word alone (ids / 3 each).
	 */
	for (int both = 0; both <= BLOCK_IDS_MAX && !is_tail(ids / 6, both, p); both++) {
		double one = mean_hit(m, ids / 3, both, 1);

		sum += p * one * one;
		p *= ids / 6 / (both + 1);
	}
	return sum;
}

/* Returns the rate of a block: the chance that at least one of its halves errs; 1 if it has too
 * many ids for the sums.
 */
static double block_fpr(const struct word_model *m, uint32_t words, double ids)
{
	double half = ids <= BLOCK_IDS_MAX / 2.0 ? half_fpr(m, words, ids) : 1;

	return half + half - half * half;
}

/* Returns the rate of this many blocks. Each has n = 2^32 / blocks, rounded down, of the 2^32
 * hashes, or one more (dedup_probe_block()). Lookups hit a block in proportion to its hashes.
 */
static double model_fpr(const struct word_model *m, uint32_t words, uint32_t blocks, double ids)
{
	uint64_t n = HASH_VALUES / blocks, larger = HASH_VALUES % blocks; /* these have one more */
	double part = (double)larger * (n + 1) / HASH_VALUES;

	return (1 - part) * block_fpr(m, words, ids * n / HASH_VALUES) +
	       part * block_fpr(m, words, ids * (n + 1) / HASH_VALUES);
}

double size_fpr(const struct geometry *g, double ids)
{
	return model_fpr(word_model(g->bits), g->words, g->blocks, ids);
}

/* Returns the fewest blocks whose rate is at most fpr; INFINITY if UINT32_MAX are not enough. More
 * blocks never have a higher rate.
 */
static double least_blocks(const struct word_model *m, uint32_t words, double ids, double fpr)
{
	uint64_t lo = 1, hi = UINT32_MAX;

	if (model_fpr(m, words, hi, ids) > fpr)
		return INFINITY;
	while (lo < hi) {
		uint64_t mid = (lo + hi) / 2;

		if (model_fpr(m, words, mid, ids) <= fpr)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

int size_pick(double ids, double fpr, struct geometry *out)
{
	static const uint32_t WORDS[] = { 1, 2, 4 };
	double blocks[3][DEDUP_BITS_MAX + 1], least[3] = { INFINITY, INFINITY, INFINITY };
	double smallest;
	int w = 0, bits = 1;

	for (int b = 1; b <= DEDUP_BITS_MAX; b++)
		for (int i = 0; i < 3; i++) {
			blocks[i][b] = least_blocks(word_model(b), WORDS[i], ids, fpr);
			least[i] = fmin(least[i], blocks[i][b]);
		}
	smallest = fmin(least[0], fmin(least[1], least[2]));
	if (!(smallest <= UINT32_MAX))
		return -EOVERFLOW;
	while (least[w] > smallest * SIZE_PROBES_WORTH)
		w++;
	while (blocks[w][bits] > least[w] * SIZE_BITS_WORTH)
		bits++;
	*out = (struct geometry){ .blocks = blocks[w][bits], .words = WORDS[w], .bits = bits };
	return 0;
}
