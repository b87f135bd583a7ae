// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Figures of a capture. The histogram of ages, beside a sorted list of them; the most ids in a
 * window, beside a count of every window that ends with an id; and the bins of its time, which
 * become wider as it goes on.
 */
#include "unit.h"

#include "histogram.h"
#include "timeline.h"
#include "windowed_max.h"

#define MS UINT64_C(1000000)
#define DAY (86400000 * MS)
#define CNT 20000
#define TIMES 3000

static struct histogram ages;
static uint64_t list[CNT];

static int by_age(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Ages of up to `bits` bits, of all magnitudes. */
static void fill(uint32_t cnt, uint32_t bits, uint64_t seed)
{
	memset(&ages, 0, sizeof(ages));
	for (uint32_t i = 0; i < cnt; i++) {
		list[i] = random_next(&seed) >> (64 - bits + random_next(&seed) % bits);
		histogram_add(&ages, list[i]);
	}
	qsort(list, cnt, sizeof(*list), by_age);
}

static const struct ages_row {
	const char *name;
	uint32_t cnt, bits;
} AGES[] = {
	{ "one", 1, 64 },     { "two", 2, 30 },	  { "a-hundred", 100, 40 }, { "small", CNT, 10 },
	{ "usual", CNT, 44 }, { "all", CNT, 64 }, { "three", 3, 5 },	    { "exact", 1000, 6 },
};

static uint32_t cnt_within(uint32_t cnt, uint64_t ns)
{
	uint32_t within = 0;

	while (within < cnt && list[within] <= ns)
		within++;
	return within;
}

TEST_ROWS(agrees_with_the_list, AGES)
{
	static const double PARTS[] = { 0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1 };

	for (uint64_t seed = 1; seed <= 20; seed++) {
		uint64_t random = seed;

		fill(row->cnt, row->bits, seed);
		assert_int_equal(ages.cnt, row->cnt);
		assert_int_equal(ages.greatest, list[row->cnt - 1]);
		for (size_t i = 0; i < ARRAY_SIZE(PARTS); i++) {
			uint64_t need = (uint64_t)ceil(PARTS[i] * row->cnt);
			uint64_t real = list[need ? need - 1 : 0],
				 is = histogram_part(&ages, PARTS[i]);

			assert_true(is >= real && is - real <= real / 32 && is <= ages.greatest);
		}
		assert_int_equal(histogram_part(&ages, 1), ages.greatest);
		for (int i = 0; i < 200; i++) {
			uint64_t ns = random_next(&random) >> random_next(&random) % 64;
			uint64_t is = histogram_within(&ages, ns);

			assert_true(is <= cnt_within(row->cnt, ns));
			assert_true(is >= cnt_within(row->cnt, ns - ns / 32));
		}
		assert_int_equal(histogram_within(&ages, ages.greatest), row->cnt);
		assert_int_equal(histogram_within(&ages, UINT64_MAX), row->cnt);
	}
}

TEST(no_ages)
{
	memset(&ages, 0, sizeof(ages));
	assert_int_equal(histogram_part(&ages, 0.5), 0);
	assert_int_equal(histogram_within(&ages, UINT64_MAX), 0);
	histogram_add(&ages, 0);
	assert_int_equal(histogram_part(&ages, 1), 0);
	assert_int_equal(histogram_within(&ages, 0), 1);
}

/* A step that is full stays so, instead of beginning anew. */
TEST(steps_that_are_full)
{
	memset(&ages, 0, sizeof(ages));
	histogram_add(&ages, 7);
	ages.in[7] = UINT32_MAX;
	ages.cnt = UINT32_MAX;
	histogram_add(&ages, 7);
	histogram_add(&ages, 9);
	assert_int_equal(histogram_part(&ages, 0.5), 7);
	assert_int_equal(ages.cnt, (uint64_t)UINT32_MAX + 2);
	assert_int_equal(histogram_part(&ages, 1), 9);
}

/* In any window of this length. */
static uint64_t most_in(uint32_t cnt, uint64_t window)
{
	uint64_t most = 0;

	for (uint32_t first = 0, i = 0; i < cnt; i++) {
		while (list[i] - list[first] >= window)
			first++;
		if (i - first + 1 > most)
			most = i - first + 1;
	}
	return most;
}

/* gap: between two ids, at most; every `burst`th one is as long, those between are short. */
static const struct windows_row {
	const char *name;
	uint64_t gap;
	uint32_t cnt, burst;
} WINDOWS[] = {
	{ "none", 0, 0, 1 },
	{ "one", 0, 1, 1 },
	{ "at-once", 0, TIMES, 1 },
	{ "every-ms", 2 * MS, TIMES, 1 },
	{ "every-minute", 120000 * MS, TIMES, 1 },
	{ "every-day", 2 * DAY, 100, 1 },
	{ "bursts-of-seconds", 5000 * MS, TIMES, 20 },
	{ "bursts-of-days", DAY, TIMES, 200 },
	{ "after-years", 4000 * DAY, 20, 1 },
};

TEST_ROWS(most_of_any_window, WINDOWS)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		uint64_t random = seed, now = random_next(&random) >> (seed % 2 ? 4 : 40);
		struct windowed_max p = { 0 };

		for (uint32_t i = 0; i < row->cnt; i++) {
			uint64_t gap = i % row->burst ? row->gap / 1000 : row->gap;

			now += gap ? random_next(&random) % gap : 0;
			list[i] = now;
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

/* Packets at these times, and the bins that they make. */
static const struct bins_row {
	const char *name;
	uint64_t at_ms[4];
	uint64_t width_ms;
	uint32_t cnt, last; /* bins; packets in the last one */
} BINS[] = {
	{ "at-once", { 5, 5, 5, 5 }, 1, 1, 4 },
	{ "in-two-bins", { 5, 5, 6, 6 }, 1, 2, 2 },
	{ "in-the-last-bin", { 0, 0, 0, 239 }, 1, 240, 1 },
	{ "one-too-late", { 0, 0, 0, 240 }, 2, 121, 1 },
	{ "far-too-late", { 0, 1, 2, 240 * 64 }, 128, 121, 1 },
	{ "before-the-first", { 9, 1, 2, 10 }, 1, 2, 1 },
};

TEST_ROWS(bins_are_as_wide_as_needed, BINS)
{
	static struct timeline t;
	uint64_t sum = 0;

	memset(&t, 0, sizeof(t));
	for (int i = 0; i < 4; i++)
		timeline_note(&t, row->at_ms[i] * MS, false);
	assert_int_equal(t.width_ns, row->width_ms * MS);
	assert_int_equal(t.cnt, row->cnt);
	assert_int_equal(t.bins[t.cnt - 1].packets, row->last);
	for (int i = 0; i < TIMELINE_BINS; i++)
		sum += t.bins[i].packets;
	assert_int_equal(sum, 4);
}

/* Each packet is in the bin of its time, however wide the bins became behind it. */
TEST(widening_loses_no_packet)
{
	static struct timeline t;
	static struct timeline_bin expected[TIMELINE_BINS];
	uint64_t ns = 77 * MS;

	for (int i = 0; i < 2000; i++) {
		ns += (uint64_t)rand() % (i < 1000 ? 10000 : 100 * MS);
		list[i] = ns;
		timeline_note(&t, ns, i % 3 == 0);
	}
	for (int i = 0; i < 2000; i++) {
		struct timeline_bin *bin = &expected[(list[i] - list[0]) / t.width_ns];

		bin->packets++;
		bin->duplicates += i % 3 == 0;
	}
	assert_memory_equal(t.bins, expected, sizeof(expected));
}

UNIT_MAIN()
