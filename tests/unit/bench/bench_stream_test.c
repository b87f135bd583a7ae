// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The bench's streams: how many ids are fresh, which ones come again, and whether two ran at once. */
#include "unit.h"

#include "bench_setup.h"

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
