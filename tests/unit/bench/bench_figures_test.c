// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The bench's figures: what its table makes of what the rounds measured. */
#include "unit.h"

#include "bench.h"

#define ROUNDS 3
#define AT BENCH_GOSSIP

static bool same(double a, double b)
{
	return a == b || fabs(a - b) <= 1e-9 || (isnan(a) && isnan(b));
}

static void assert_figure(const char *name, struct bench_figure is, struct bench_figure should_be)
{
	if (!same(is.low, should_be.low) || !same(is.median, should_be.median) ||
	    !same(is.high, should_be.high))
		fail_msg("%s: %g (%g to %g), not %g (%g to %g)", name, is.median, is.low, is.high,
			 should_be.median, should_be.low, should_be.high);
}

TEST(quartiles_are_of_what_was_measured)
{
	struct {
		const char *name;
		int cnt;
		double values[5];
		struct bench_figure figure;
	} table[] = {
		{ "one", 1, { 7 }, { .low = 7, .median = 7, .high = 7 } },
		{ "two", 2, { 2, 1 }, { .low = 1.25, .median = 1.5, .high = 1.75 } },
		{ "far ones", 5, { 1000, 2, 3, 4, -1000 }, { .low = 2, .median = 3, .high = 4 } },
		{ "one left out", 4, { NAN, 3, 1, 2 }, { .low = 1.5, .median = 2, .high = 2.5 } },
		{ "none left", 2, { NAN, NAN }, { .low = NAN, .median = NAN, .high = NAN } },
		{ "nothing measured", 0, { 7 }, { .low = NAN, .median = NAN, .high = NAN } },
		{ "beyond all", 3, { INFINITY, 1, 2 }, { .low = 1.5, .median = 2, .high = INFINITY } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		assert_figure(table[i].name, bench_quartiles(table[i].values, table[i].cnt),
			      table[i].figure);
}

/* In the second round others had the machine; in the third, two CPUs did not run at once. */
static struct bench_result result(void)
{
	return (struct bench_result){
		.setting = { .rounds = ROUNDS },
		.ns = {
			{
				[BENCH_FLOOR][AT] = { 20, 200, 22 },
				[BENCH_LINE][AT] = { 30, 400, 66 },
				[BENCH_SHIPPED][AT] = { 60, 400, 33 },
				[BENCH_BLOOM][AT] = { 100, 1000, 132 },
			},
			{
				[BENCH_SHIPPED][AT] = { 50, 400, NAN },
				[BENCH_BLOOM][AT] = { NAN, NAN, NAN },
			},
		},
	};
}

/* Here a ratio of medians is another one. */
TEST(ratios_are_within_a_round)
{
	const struct bench_result r = result();

	assert_figure("of floor", bench_figure(&r, BENCH_OF_FLOOR, BENCH_SHIPPED, AT),
		      (struct bench_figure){ .low = 1.75, .median = 2, .high = 2.5 });
	assert_figure("of line", bench_figure(&r, BENCH_OF_LINE, BENCH_SHIPPED, AT),
		      (struct bench_figure){ .low = 0.75, .median = 1, .high = 1.5 });
	assert_figure("part", bench_figure(&r, BENCH_SHIPPED_PART, BENCH_BLOOM, AT),
		      (struct bench_figure){ .low = 0.175, .median = 0.25, .high = 0.375 });
	assert_figure("part of line", bench_figure(&r, BENCH_SHIPPED_PART, BENCH_LINE, AT),
		      (struct bench_figure){ .low = 0.625, .median = 1, .high = 2.5 });
	assert_figure("ns", bench_figure(&r, BENCH_NS, BENCH_SHIPPED, AT),
		      (struct bench_figure){ .low = 46.5, .median = 60, .high = 230 });
	assert_figure("added", bench_figure(&r, BENCH_ADDED, BENCH_SHIPPED, AT),
		      (struct bench_figure){ .low = 25.5, .median = 40, .high = 120 });
}

TEST(what_did_not_run_at_once_is_left_out)
{
	const struct bench_result r = result();
	const struct bench_figure none = { NAN, NAN, NAN };

	assert_int_equal(bench_apart(&r), 4);
	assert_figure("ns", bench_figure(&r, BENCH_NS_TWO_CPUS, BENCH_SHIPPED, AT),
		      (struct bench_figure){ .low = 137.5, .median = 225, .high = 312.5 });
	assert_figure("scaling", bench_figure(&r, BENCH_SCALING, BENCH_SHIPPED, AT),
		      (struct bench_figure){ .low = 2.1, .median = 2.2, .high = 2.3 });
	assert_figure("no ns", bench_figure(&r, BENCH_NS_TWO_CPUS, BENCH_BLOOM, AT), none);
	assert_figure("no scaling", bench_figure(&r, BENCH_SCALING, BENCH_BLOOM, AT), none);
}

UNIT_MAIN()
