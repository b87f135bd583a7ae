// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The survey's table of destinations, when there are more than it has room for. */
#include "unit.h"

#include "survey_state.h"

#define ALL SURVEY_DESTINATIONS_MAX
#define PAIRS_MOST (SURVEY_PAIRS_MAX / 4 * 3)

static struct survey_table *table;

static int begin(void **state)
{
	(void)state;
	table = calloc(1, sizeof(*table));
	table->destinations = calloc(ALL, sizeof(*table->destinations));
	return !table->destinations;
}

static int end(void **state)
{
	(void)state;
	survey_table_free(table);
	free(table);
	return 0;
}

/* Every second one is a group's, on one port. */
static struct flow flow(uint32_t n)
{
	struct flow f = { .kind = SURVEY_UDP, .number = 5000, .ipv4 = true };

	if (n % 2) {
		f.multicast = true;
		memcpy(f.to, &n, sizeof(n));
	} else {
		f.number = (uint16_t)(10000 + n);
	}
	return f;
}

static struct destination *destination(uint32_t n)
{
	struct flow f = flow(n);

	return &table->destinations[survey_find_destination(table, &f)];
}

/* With so many packets of 100 bytes, of which some are identical to earlier ones. */
static void fill(uint32_t n, uint64_t packets, uint64_t identical)
{
	struct survey_destination *d = &destination(n)->d;

	d->packets += packets;
	d->bytes += 100 * packets;
	d->identical.packets += identical;
	d->identical.bytes += 100 * identical;
}

static uint64_t packets_of(uint32_t n)
{
	return destination(n)->d.packets;
}

/* Half of them go, those that are worth less: few packets, none identical. */
TEST(gives_up_half)
{
	struct flow f = flow(ALL);

	for (uint32_t n = 0; n < ALL; n++)
		fill(n, n % 4 == 3 ? 2 : n % 4 == 2 ? 20 : 10, n % 4 == 3);
	assert_int_equal(table->used, ALL);
	assert_int_equal(table->others_cnt, 0);
	survey_find_destination(table, &f);
	assert_int_equal(table->used, ALL / 2 + 1);
	assert_int_equal(table->others_cnt, ALL / 2);
	assert_int_equal(table->others.packets, ALL / 2 * 10);
	assert_int_equal(table->others.bytes, ALL / 2 * 10 * 100);
	assert_int_equal(table->others.identical.packets, 0);
	for (uint32_t n = 0; n < ALL; n++)
		if (n % 4 >= 2)
			assert_int_equal(packets_of(n), n % 4 == 3 ? 2 : 20);
	assert_int_equal(table->used, ALL / 2 + 1);
}

/* All have equal worth: half of them still go, and no more. */
TEST(gives_up_half_of_equals)
{
	struct flow f = flow(ALL);
	uint32_t left = 0;

	for (uint32_t n = 0; n < ALL; n++)
		fill(n, 3, 1);
	survey_find_destination(table, &f);
	assert_int_equal(table->used, ALL / 2 + 1);
	assert_int_equal(table->others.packets, 3 * (ALL / 2));
	assert_int_equal(table->others.identical.packets, ALL / 2);
	assert_int_equal(table->others.identical.bytes, 100 * (ALL / 2));
	for (uint32_t i = 0; i < ALL; i++)
		left += table->destinations[i].used;
	assert_int_equal(left, ALL / 2 + 1);
}

static uint64_t pair(uint32_t stream, uint32_t a, uint32_t b)
{
	uint64_t cnt = 0;

	for (uint32_t i = 0; i < SURVEY_PAIRS_MAX; i++) {
		const struct destination_pair *p = &table->pairs[i];

		if (p->cnt && p->stream == stream && p->a == a && p->b == b)
			cnt += p->cnt;
	}
	return cnt;
}

/* Too many are not noted; those of destinations that go, go. */
TEST(pairs)
{
	struct flow f = flow(ALL);
	uint32_t kept;

	for (uint32_t n = 0; n < ALL; n++)
		fill(n, n % 2 ? 2 : 1, 0);
	kept = (uint32_t)(destination(1) - table->destinations);
	for (uint32_t i = 0; i < PAIRS_MOST + 500; i++)
		survey_add_pairs(table, i % 4, kept, i / 4, 1 + i % 3);
	assert_int_equal(table->pairs_cnt, PAIRS_MOST);
	for (uint32_t i = 0; i < PAIRS_MOST + 500; i++)
		assert_int_equal(pair(i % 4, kept, i / 4), i < PAIRS_MOST ? 1 + i % 3 : 0);
	survey_add_pairs(table, 1, kept, 0, 10);
	assert_int_equal(pair(1, kept, 0), 12);
	assert_int_equal(pair(1, 0, kept), 0);

	survey_find_destination(table, &f);
	/* An unused destination may be the new one by now: it has no pairs yet. */
	for (uint32_t i = 0; i < PAIRS_MOST; i++) {
		bool stays = table->destinations[i / 4].used && table->destinations[i / 4].d.packets;

		assert_int_equal(pair(i % 4, kept, i / 4), stays ? 1 + i % 3 + (i == 1 ? 10 : 0) : 0);
	}
	assert_int_equal(table->pairs_cnt, PAIRS_MOST / 2);
	survey_add_pairs(table, 7, kept, kept, 1);
	assert_int_equal(pair(7, kept, kept), 1);
	survey_add_pairs(table, 7, kept + 2, kept, 1);
	assert_int_equal(pair(7, kept, kept), 1);
}

/* No more histograms than there may be; those of destinations that go make room for others. */
TEST(histograms)
{
	struct flow f = flow(ALL);

	for (uint32_t n = 0; n < ALL; n++) {
		fill(n, n < SURVEY_AGES_MAX / 2 ? 1 : 2, 0);
		survey_add_age(table, &destination(n)->ages, 5);
	}
	assert_int_equal(table->ages_cnt, SURVEY_AGES_MAX);
	assert_non_null(destination(SURVEY_AGES_MAX - 1)->ages);
	assert_null(destination(SURVEY_AGES_MAX)->ages);
	survey_find_destination(table, &f);
	assert_true(table->ages_cnt < SURVEY_AGES_MAX);
	survey_add_age(table, &destination(ALL - 1)->ages, 5);
	assert_int_equal(destination(ALL - 1)->ages->cnt, 1);
}

UNIT_MAIN_WITH(begin, end)
