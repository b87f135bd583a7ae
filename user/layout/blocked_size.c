// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "blocked_size.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "block.h"

#define WORD_BITS 64
#define BLOCK_IDS_MAX 1024	 /* ids in one block: the sums end here */
#define HASH_VALUES (1ULL << 32) /* that are scaled down to the number of a block */
#define TAIL 1e-18		 /* Poisson terms with a smaller probability are left out */

/* hit[j]: in a word that holds j ids, the chance that all bits of a further id are set already. */
struct word_model {
	double hit[BLOCK_IDS_MAX + 1];
};

/* The chance that a further id finds all its bits set: (c / 64)^bits, if c bits of the word are. */
static double word_hit(const double cells[WORD_BITS + 1], const double finds[WORD_BITS + 1])
{
	double hit = 0;

	for (int c = 0; c <= WORD_BITS; c++)
		hit += cells[c] * finds[c];
	return hit;
}

/* Are all bits set, but for a chance of TAIL? */
static bool is_full(const double cells[WORD_BITS + 1])
{
	return cells[WORD_BITS] > 0.5 && cells[WORD_BITS - 1] < TAIL;
}

/* Makes models of words in which an id has `from` to `to` bits: models[bits]. cells[c]: the
 * probability that c of the word's 64 bits are set, carried on from each random bit to the next,
 * until the word is full. All models share these steps, as a word that holds j ids of b bits has
 * got j * b bits.
 */
static void word_models_init(struct word_model *models, uint32_t from, uint32_t to)
{
	double cells[WORD_BITS + 1] = { 1 }, stays[WORD_BITS + 1], comes[WORD_BITS + 1],
				 finds[DEDUP_BITS_MAX + 1][WORD_BITS + 1];

	for (int c = 0; c <= WORD_BITS; c++) {
		stays[c] = c / (double)WORD_BITS;
		comes[c] = (WORD_BITS - c + 1) / (double)WORD_BITS;
		for (uint32_t b = from; b <= to; b++)
			finds[b][c] = pow(stays[c], b);
	}
	for (uint32_t b = from; b <= to; b++)
		for (int j = 0; j <= BLOCK_IDS_MAX; j++)
			models[b].hit[j] = 1;
	for (uint32_t t = 0; t <= to * BLOCK_IDS_MAX && !is_full(cells); t++) {
		for (uint32_t b = from; b <= to; b++)
			if (t % b == 0 && t / b <= BLOCK_IDS_MAX)
				models[b].hit[t / b] = word_hit(cells, finds[b]);
		for (int c = WORD_BITS; c > 0; c--)
			cells[c] = cells[c] * stays[c] + cells[c - 1] * comes[c];
		cells[0] = 0;
	}
}

/* Can a Poisson sum end before its term n, of probability p? Terms only shrink beyond the mean. */
static bool is_tail(double mean, int n, double p)
{
	return n > mean && p < TAIL;
}

/* The mean of hit[offset + n]^power, where n has a Poisson distribution of this mean. */
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

/* The rate of one half with `ids` ids a block on average. */
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

/* The rate of a block: the chance that at least one of its halves errs. 1 if it has so many ids
 * that the sums would end too early.
 */
static double block_fpr(const struct word_model *m, uint32_t words, double ids)
{
	double half = ids <= BLOCK_IDS_MAX / 2.0 ? half_fpr(m, words, ids) : 1;

	return half + half - half * half;
}

/* The rate of so many blocks. Each has n = 2^32 / blocks, rounded down, of the 2^32 hashes, or one
 * more (dedup_probe_block()). An id that is looked up meets a block as often as that has hashes.
 */
static double model_fpr(const struct word_model *m, uint32_t words, uint32_t blocks, double ids)
{
	uint64_t n = HASH_VALUES / blocks, larger = HASH_VALUES % blocks; /* so many have one more */
	double part = (double)larger * (n + 1) / HASH_VALUES;

	return (1 - part) * block_fpr(m, words, ids * n / HASH_VALUES) +
	       part * block_fpr(m, words, ids * (n + 1) / HASH_VALUES);
}

double size_fpr(const struct geometry *g, double ids)
{
	struct word_model models[DEDUP_BITS_MAX + 1];

	word_models_init(models, g->bits, g->bits);
	return model_fpr(&models[g->bits], g->words, g->blocks, ids);
}

/* The fewest blocks whose rate is at most fpr; INFINITY if none up to UINT32_MAX are enough. More
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
	struct word_model models[DEDUP_BITS_MAX + 1];
	double smallest;
	int w = 0, bits = 1;

	word_models_init(models, 1, DEDUP_BITS_MAX);
	for (int b = 1; b <= DEDUP_BITS_MAX; b++)
		for (int i = 0; i < 3; i++) {
			blocks[i][b] = least_blocks(&models[b], WORDS[i], ids, fpr);
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
