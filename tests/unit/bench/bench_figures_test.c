// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The bench's figures: what its table makes of what the rounds measured. And its streams: how many
 * ids are fresh, which ones come again, and whether two ran at once.
 */
#include "unit.h"

#include "bench.h"
#include "bench_setup.h"

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

#define IDS 100000
#define FIRST 5000000 /* of the fresh ones */
#define KNOWN 1000

/* Says which row of a table it was. */
#define assert_row(name, condition)                                   \
	do {                                                          \
		if (!(condition))                                     \
			fail_msg("%s: not so: %s", name, #condition); \
	} while (0)

static bool about(uint64_t cnt, uint64_t expected)
{
	return cnt + 100 >= expected * 95 / 100 && cnt <= expected * 105 / 100 + 100;
}

/* What each traffic of the bench must send, of IDS packets. */
static const struct sent {
	const char *name;
	enum bench_traffic traffic;
	uint64_t fresh, copies_soon, known, known_spread;
} SENT[] = {
	{ "new", BENCH_NEW, IDS, 0, 0, 0 },
	{ "90 % duplicates", BENCH_DUP90, IDS / 10, 0, IDS * 9 / 10, IDS },
	{ "gossip", BENCH_GOSSIP, IDS / 10, IDS * 9 / 10, 0, 0 }, /* few before the first new one */
	{ "cold duplicates", BENCH_COLD, 0, 0, IDS, IDS },
	{ "hot duplicates", BENCH_HOT, 0, 0, IDS, 64 },
};

/* Streams as long as the ids that are known, so that a spread of all of them shows. */
TEST(traffics_are_what_their_names_say)
{
	uint64_t all_fresh = 0;
	const struct bench b = { .setting = { .ids = 2 * IDS, .warm = BENCH_WARM_AUTO },
				 .cpus = { 5, 7 } };
	const struct bench_subject subject = { .next = FIRST, .known = KNOWN, .salt = 3 };

	for (size_t i = 0; i < ARRAY_SIZE(SENT); i++) {
		const struct sent *sent = &SENT[i];
		struct bench_stream s = bench_traffic_stream(
			&b, &subject, &(struct bench_load){ sent->traffic, 1, IDS }, 0);
		uint64_t soon = 0, known = 0, farthest = 0;

		assert_row(sent->name, s.other == BENCH_ALONE && s.packets == IDS);
		for (int n = 0; n < IDS; n++) {
			uint64_t next = s.next, id = bench_next_id(&s, true);

			if (s.next != next)
				continue;
			if (id >= KNOWN && id < KNOWN + IDS)
				known++;
			if (id < next && id + 1000 >= next)
				soon++;
			if (id >= KNOWN && id < KNOWN + IDS && id - KNOWN > farthest)
				farthest = id - KNOWN;
		}
		assert_row(sent->name, about(s.next - FIRST, sent->fresh));
		assert_row(sent->name, about(soon, sent->copies_soon));
		assert_row(sent->name, about(known, sent->known));
		if (sent->known)
			assert_row(sent->name, farthest < sent->known_spread &&
						       farthest >= sent->known_spread * 95 / 100);
		all_fresh += sent->fresh;
	}
	assert_true(about(bench_traffic_fresh() * IDS, all_fresh));
}

TEST(streams_of_one_time_ran_at_once)
{
	static const struct {
		const char *name;
		uint64_t begin[2], end[2];
		bool at_once;
	} PAIRS[] = {
		{ "half of both", { 100, 150 }, { 200, 250 }, true },
		{ "less than half of both", { 100, 151 }, { 200, 251 }, false },
		{ "half of the shorter one", { 100, 950 }, { 1000, 1050 }, true },
		{ "less than half of the shorter one", { 100, 951 }, { 1000, 1051 }, false },
		{ "one after the other", { 100, 200 }, { 200, 300 }, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(PAIRS); i++) {
		const struct bench_stream a = { .begin_ns = PAIRS[i].begin[0],
						.end_ns = PAIRS[i].end[0] };
		const struct bench_stream b = { .begin_ns = PAIRS[i].begin[1],
						.end_ns = PAIRS[i].end[1] };

		assert_row(PAIRS[i].name, bench_ran_at_once(&a, &b) == PAIRS[i].at_once);
		assert_row(PAIRS[i].name, bench_ran_at_once(&b, &a) == PAIRS[i].at_once);
	}
}

UNIT_MAIN()
