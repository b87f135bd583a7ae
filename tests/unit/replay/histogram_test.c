// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The histogram of ages, beside a sorted list of them. */
#include "unit.h"

#include "histogram.h"

#define CNT 20000

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

static const struct row {
	const char *name;
	uint32_t cnt, bits;
} ROWS[] = {
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

TEST_ROWS(agrees_with_the_list, ROWS)
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

TEST(none)
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

UNIT_MAIN()
