// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How large arrays of bits must be, and which rate they have: against rates that are
 * counted or tried, and against all other sizes.
 */
#include "unit.h"
#include "fips_fixture.h"

#include "array_rate.h"
#include "array_size.h"

#define BITS_MAX 2048

static void assert_between(double is, double least, double most)
{
	if (!(is >= least && is <= most))
		fail_msg("%.10g is not in [%.10g, %.10g]", is, least, most);
}

TEST(textbook_sizes_are_the_vectors)
{
	json_object *all = json_object_from_file("tests/vectors/colibri.json"), *rows;

	assert_non_null(all);
	rows = member(all, "size");
	assert_int_equal(json_object_array_length(rows), 12);
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		json_object *row = json_object_array_get_idx(rows, i);
		double n = json_object_get_double(member(row, "n"));
		double p = json_object_get_double(member(row, "p"));
		uint64_t m;
		uint32_t k;

		textbook_size(n, p, &m, &k);
		assert_int_equal(m, vector_number(row, "m"));
		assert_int_equal(k, vector_number(row, "k"));
	}
	json_object_put(all);
}

/* The rate itself: chance[j], that j of m bits are set after so many throws, one by one. */
static double exact_rate(uint32_t m, uint32_t k, uint32_t n)
{
	static double chance[BITS_MAX + 1];
	double rate = 0;

	assert_true(m <= BITS_MAX);
	memset(chance, 0, sizeof(chance));
	chance[0] = 1;
	for (uint32_t i = 0; i < n * k; i++)
		for (uint32_t j = (i + 1 < m ? i + 1 : m) + 1; j-- > 0;)
			chance[j] = chance[j] * j / m + (j ? chance[j - 1] * (m - j + 1) / m : 0);
	for (uint32_t j = 0; j <= m; j++)
		rate += chance[j] * pow((double)j / m, k);
	return rate;
}

/* All small filters at all fills that somebody might want: a few percent too high where to
 * second order is not enough, and as good as never too low.
 */
TEST(rate_is_right_or_too_high)
{
	static const uint32_t BITS[] = { 8, 16, 33, 64, 100, 256, 1000, 2000 };

	for (size_t i = 0; i < ARRAY_SIZE(BITS); i++) {
		for (uint32_t k = 1; k <= 12 && 4 * k <= BITS[i]; k++) {
			uint32_t n_max = BITS[i] / k;
			uint32_t step = n_max / 3 + 1;

			for (uint32_t n = 1; n <= n_max; n += step) {
				double exact = exact_rate(BITS[i], k, n);
				double rate = array_rate(DEDUP_FAST, BITS[i], k, n);

				if (!(rate >= (k <= 6 ? 0.999 : 0.97) * exact && rate <= 1.09 * exact))
					fail_msg("m %u k %u n %u: %g, exactly %g", BITS[i], k, n,
						 rate, exact);
			}
		}
	}
}

TEST(rate_at_its_ends)
{
	for (uint32_t k = 1; k <= DEDUP_HASHES_MAX; k++) {
		assert_true(array_rate(DEDUP_FAST, 1, k, 0) == 0 &&
			    array_rate(DEDUP_FAST, 1, k, 1) == 1);
		assert_true(array_rate(DEDUP_FAST, 1000, k, 0) == 0);
		assert_true(array_rate(DEDUP_FAST, 1000, k, 1e9) == 1);
		assert_true(array_rate(DEDUP_FAST, UINT32_MAX, k, 1) > 0);
	}
	for (uint32_t m = 1; m < 40; m++)
		for (uint32_t k = 1; k <= DEDUP_HASHES_MAX; k++)
			for (uint32_t n = 1; n < 40; n++)
				assert_between(array_rate(DEDUP_FAST, m, k, n), 1e-60, 1);
	/* One bit of m is set, one is looked at. */
	assert_between(array_rate(DEDUP_FAST, 1000, 1, 1), 0.999e-3, 1.001e-3);
	/* More ids or fewer bits: a higher rate. */
	for (double n = 1; n < 1e6; n *= 3) {
		assert_true(array_rate(DEDUP_FAST, 100000, 5, n) <
			    array_rate(DEDUP_FAST, 100000, 5, 3 * n));
		assert_true(array_rate(DEDUP_FAST, 100000, 5, n) <
			    array_rate(DEDUP_FAST, 50000, 5, n));
	}
}

static const double RATES[] = { 0.9, 0.5, 0.1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-9 };
static const double IDS[] = { 1, 2, 10, 129, 10000, 1e6 };

static bool keeps(const struct array_goal *goal, uint32_t m, uint32_t k)
{
	return array_rate_of(goal->arrays, DEDUP_FAST, m, k, goal->n) <= goal->p;
}

static void check_pick(const struct array_goal *goal, uint32_t probes)
{
	uint32_t m = 5, k = probes;
	int err = array_pick(goal, &m, &k);

	assert_int_equal(k, probes);
	if (err) {
		assert_int_equal(err, -EOVERFLOW);
		assert_int_equal(m, 5);
		m = UINT32_MAX;
	} else {
		assert_true(keeps(goal, m, k));
		m--;
	}
	assert_true(!m || !keeps(goal, m, k));
}

static void check_power(const struct array_goal *goal, uint32_t k_bits)
{
	uint32_t bits = 0, k = 0, fewer;

	if (array_pick_power(goal, k_bits, &bits, &k)) {
		assert_true(!bits && !k);
		assert_false(keeps(goal, 1 << 24, 10));
		return;
	}
	assert_in_range(bits, 1, 24);
	assert_true(k * bits <= k_bits);
	assert_true(keeps(goal, 1 << bits, k));
	for (fewer = 1; fewer < k; fewer++)
		assert_false(keeps(goal, 1 << bits, fewer));
	for (fewer = 1; fewer <= 32 && bits > 1; fewer++)
		assert_true(fewer * (bits - 1) > k_bits || !keeps(goal, 1 << (bits - 1), fewer));
}

TEST(picks_and_powers_are_the_smallest)
{
	static const uint32_t PROBES[] = { 1, 2, 3, 7, 13, 32 };

	for (size_t i = 0; i < 2 * ARRAY_SIZE(RATES) * ARRAY_SIZE(IDS); i++) {
		const struct array_goal goal = { 1 + i % 2, DEDUP_FAST, IDS[i / 2 % ARRAY_SIZE(IDS)],
						 RATES[i / 2 / ARRAY_SIZE(IDS)] };

		for (size_t j = 0; j < ARRAY_SIZE(PROBES); j++)
			check_pick(&goal, PROBES[j]);
		check_power(&goal, 256);
		check_power(&goal, UINT32_MAX);
	}
}

UNIT_MAIN()
