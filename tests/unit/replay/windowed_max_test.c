// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The most ids in a window, beside a count of every window that ends with an id. */
#include "unit.h"

#include "windowed_max.h"

#define MS UINT64_C(1000000)
#define DAY (86400000 * MS)
#define CNT 3000

static uint64_t times[CNT];

/* In any window of this length. */
static uint64_t most_in(uint32_t cnt, uint64_t window)
{
	uint64_t most = 0;

	for (uint32_t first = 0, i = 0; i < cnt; i++) {
		while (times[i] - times[first] >= window)
			first++;
		if (i - first + 1 > most)
			most = i - first + 1;
	}
	return most;
}

/* gap: between two ids, at most; every `burst`th one is as long, those between are short. */
static const struct row {
	const char *name;
	uint64_t gap;
	uint32_t cnt, burst;
} ROWS[] = {
	{ "none", 0, 0, 1 },
	{ "one", 0, 1, 1 },
	{ "at-once", 0, CNT, 1 },
	{ "every-ms", 2 * MS, CNT, 1 },
	{ "every-minute", 120000 * MS, CNT, 1 },
	{ "every-day", 2 * DAY, 100, 1 },
	{ "bursts-of-seconds", 5000 * MS, CNT, 20 },
	{ "bursts-of-days", DAY, CNT, 200 },
	{ "after-years", 4000 * DAY, 20, 1 },
};

TEST_ROWS(most_of_any_window, ROWS)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		uint64_t random = seed, now = random_next(&random) >> (seed % 2 ? 4 : 40);
		struct windowed_max p = { 0 };

		for (uint32_t i = 0; i < row->cnt; i++) {
			uint64_t gap = i % row->burst ? row->gap / 1000 : row->gap;

			now += gap ? random_next(&random) % gap : 0;
			times[i] = now;
			windowed_max_add(&p, now);
		}
		windowed_max_end(&p);
		for (uint32_t i = 0; i < WINDOWED_MAX_WINDOWS; i++) {
			uint64_t window = WINDOWED_MAX_WINDOW_NS[i];

			assert_true(windowed_max_most(&p, i) >= most_in(row->cnt, window));
			assert_true(windowed_max_most(&p, i) <=
				    most_in(row->cnt, window + window / 2));
		}
	}
}

TEST(windows_by_length)
{
	for (uint32_t i = 0; i < WINDOWED_MAX_WINDOWS; i++) {
		uint64_t window = WINDOWED_MAX_WINDOW_NS[i];

		assert_true(!i || (window > WINDOWED_MAX_WINDOW_NS[i - 1] &&
				   !(window % WINDOWED_MAX_WINDOW_NS[i - 1])));
		assert_int_equal(windowed_max_window_from(window), i);
		assert_int_equal(windowed_max_window_to(window), i);
		assert_int_equal(windowed_max_window_from(window - 1), i);
		assert_int_equal(windowed_max_window_to(window + 1), i);
		assert_int_equal(windowed_max_window_to(window - 1), i ? i - 1 : 0);
		assert_int_equal(windowed_max_window_from(window + 1),
				 i + 1 < WINDOWED_MAX_WINDOWS ? i + 1 : WINDOWED_MAX_WINDOWS - 1);
	}
	assert_int_equal(WINDOWED_MAX_WINDOW_NS[0], 10 * MS);
	assert_int_equal(WINDOWED_MAX_WINDOW_NS[WINDOWED_MAX_WINDOWS - 1], 30 * DAY);
}

UNIT_MAIN()
