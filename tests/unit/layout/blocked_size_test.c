// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sizing: what rate_test.c simulates, checked here for its parameters; and the plan that follows. */
#include "unit.h"

#include "block.h"
#include "plan.h"
#include "sim.h"
#include "blocked_size.h"

#define S 1000000000ULL

static const double RATES[] = { 0.9, 0.5, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-9 };

/* The rate asked for is kept, and no memory is wasted: with a hundredth less memory it is not
 * kept.
 */
TEST(picks_keep_the_rate)
{
	for (size_t i = 0; i < ARRAY_SIZE(RATES); i++) {
		struct geometry g;

		assert_int_equal(size_pick(1e6, RATES[i], &g), 0);
		assert_true(size_fpr(&g, 1e6) <= RATES[i]);
		g.blocks -= g.blocks / 100;
		assert_true(size_fpr(&g, 1e6) > RATES[i]);
	}
}

#define EXACT 1.002

/* Returns the number of blocks that these parameters need, at most EXACT times too many; `most` if
 * it is `most` or more.
 */
static double blocks_needed(uint32_t words, uint32_t bits, double ids, double fpr, double most)
{
	double lo = most / 20, hi = most;

	while (hi / lo > EXACT) {
		struct geometry g = { sqrt(lo * hi), words, bits };

		if (size_fpr(&g, ids) <= fpr)
			hi = g.blocks;
		else
			lo = g.blocks;
	}
	return hi;
}

/* Fewer words would cost more memory than they are worth, and so would fewer bits; what is
 * taken does not.
 */
TEST(picks_have_few_words_and_bits)
{
	static const double SOME_RATES[] = { 0.1, 1e-2, 1e-4, 1e-6 };
	const double ids = 1e6;

	for (size_t i = 0; i < ARRAY_SIZE(SOME_RATES); i++) {
		double need[5][DEDUP_BITS_MAX + 1], least[5], smallest = INFINITY;
		struct geometry g;

		assert_int_equal(size_pick(ids, SOME_RATES[i], &g), 0);
		for (uint32_t words = 1; words <= 4; words *= 2) {
			least[words] = INFINITY;
			for (uint32_t bits = 1; bits <= DEDUP_BITS_MAX; bits++) {
				need[words][bits] = blocks_needed(words, bits, ids, SOME_RATES[i],
								  10.0 * g.blocks);
				least[words] = fmin(least[words], need[words][bits]);
			}
			smallest = fmin(smallest, least[words]);
		}
		assert_true(least[g.words] <= smallest * SIZE_PROBES_WORTH * EXACT);
		for (uint32_t words = 1; words < g.words; words *= 2)
			assert_true(least[words] * EXACT > smallest * SIZE_PROBES_WORTH);
		assert_true(g.blocks <= least[g.words] * SIZE_BITS_WORTH * EXACT);
		for (uint32_t bits = 1; bits < g.bits; bits++)
			assert_true(need[g.words][bits] * EXACT > least[g.words] * SIZE_BITS_WORTH);
	}
}

TEST(too_many_blocks_are_refused)
{
	struct geometry g = { 1, 2, 3 };

	assert_int_equal(size_pick(1e12, 1e-4, &g), -EOVERFLOW);
	assert_int_equal(size_pick(2e12, 0.9, &g), -EOVERFLOW);
	assert_int_equal(g.blocks, 1);
}

/* How many of the 2^32 hashes a block has: those from the first one on whose product with the
 * number of blocks reaches the block.
 */
static uint64_t hashes_of(uint64_t block, uint64_t blocks)
{
	uint64_t first = ((block << 32) + blocks - 1) / blocks;
	uint64_t end = (((block + 1) << 32) + blocks - 1) / blocks;

	assert_int_equal(dedup_probe_block(first << 32, blocks), block);
	assert_int_equal(dedup_probe_block((end << 32) - 1, blocks), block);
	return end - first;
}

/* Of many blocks some have one hash more than others, and so more ids: the mean of the rates of
 * blocks by themselves, each as often as an id meets it.
 */
TEST(uneven_blocks_count)
{
	static const struct {
		double ids, fpr;
	} ROWS[] = { { 1e10, 1e-4 }, { 2e10, 1e-4 }, { 4e10, 0.1 }, { 3e9, 1e-6 }, { 1e9, 1e-3 } };

	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		const int tries = 20000;
		double by_hashes[64] = { 0 }, sum = 0, hashes = 0;
		uint64_t seed = i;
		struct geometry g;

		assert_int_equal(size_pick(ROWS[i].ids, ROWS[i].fpr, &g), 0);
		for (int t = 0; t < tries; t++) {
			uint64_t n = hashes_of(random_next(&seed) % g.blocks, g.blocks);
			struct geometry one = { 1, g.words, g.bits };

			assert_in_range(n, 1, 63);
			if (by_hashes[n] <= 0)
				by_hashes[n] = size_fpr(&one, ROWS[i].ids * n / 0x1p32);
			sum += n * by_hashes[n];
			hashes += n;
		}
		assert_true(sum / hashes <= ROWS[i].fpr * 1.02); /* by chance */
		assert_true(sum / hashes >= ROWS[i].fpr * 0.95);
	}
}

/* One id in one block and one word of one bit: by hand. Each half holds it with Poisson
 * chance; a fresh id meets its word with 1/4 and its bit with 1/64.
 */
TEST(rate_is_right_where_it_is_easy)
{
	struct geometry g = { 1, 1, 1 };
	double ids = 1e-3, half = ids / 4 / 64;

	assert_true(fabs(size_fpr(&g, ids) / (2 * half) - 1) < 1e-3);
}

/* For a usual machine the slack costs little. */
TEST(slack_is_small)
{
	struct filter_spec spec = sim_spec(1000000, 1e-4, 600 * S);
	struct dedup_config c;

	assert_int_equal(plan_config(&spec, 16, 250, &c), 0);
	assert_true(plan_ids(&c, 16, 1e-4) <= 1.03 * spec.capacity);
}

UNIT_MAIN()
