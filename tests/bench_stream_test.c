// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The bench's generator: how many ids are fresh, and which ones come again. */
#include "support.h"

#include "bench_stream.h"

#define IDS 100000
#define FIRST 5000000 /* of the fresh ones */
#define KNOWN 1000
#define KNOWN_CNT 300

static const struct row {
	const char *name;
	uint32_t fresh_parts;
	uint64_t late;
	uint64_t fresh; /* of IDS, about */
} ROWS[] = {
	{ "all new", BENCH_ALL, 0, IDS },
	{ "copies of known ones", BENCH_ALL / 10, 0, IDS / 10 },
	{ "copies that come soon", BENCH_ALL / 10, 1000, IDS / 10 },
	{ "copies that come at once", BENCH_ALL / 2, 1, IDS / 2 },
	{ "nothing is new", 0, 0, 0 },
	{ "nothing new to copy", 0, 1000, 0 },
};

/* Where ids that are not fresh come from: [from, to). */
static void allowed(const struct row *row, const struct bench_stream *s, uint64_t *from, uint64_t *to)
{
	*from = KNOWN;
	*to = KNOWN + KNOWN_CNT;
	if (!row->late || s->next == FIRST)
		return;
	*to = s->next;
	*from = s->next - FIRST < row->late ? FIRST : s->next - row->late;
}

static struct bench_stream stream(const struct row *row)
{
	return (struct bench_stream){
		.first = FIRST,
		.next = FIRST,
		.known = KNOWN,
		.known_cnt = KNOWN_CNT,
		.random = 1,
		.fresh_parts = row->fresh_parts,
		.late = row->late,
	};
}

static void measured_ids_are_what_was_asked_for(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		const struct row *row = &ROWS[i];
		struct bench_stream s = stream(row);
		uint64_t nearest = UINT64_MAX, farthest = 0, from, to;

		for (int n = 0; n < IDS; n++) {
			uint64_t next = s.next, id = bench_next_id(&s, true);

			if (s.next != next) {
				assert_int_equal(id, next);
				assert_int_equal(s.next, next + 1);
				continue;
			}
			allowed(row, &s, &from, &to);
			assert_in_range(id, from, to - 1);
			if (to - id < nearest)
				nearest = to - id;
			if (to - id > farthest)
				farthest = to - id;
		}
		assert_true(s.next - FIRST <= row->fresh * 105 / 100);
		assert_true(s.next - FIRST >= row->fresh * 95 / 100);
		if (row->fresh < IDS) {
			assert_int_equal(nearest, 1);
			assert_true(farthest >= (row->late && row->fresh ? row->late : KNOWN_CNT));
		}
	}
}

static void before_and_after_all_are_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		struct bench_stream s = stream(&ROWS[i]);

		for (int n = 0; n < IDS; n++)
			assert_in_range(bench_next_id(&s, false), KNOWN, KNOWN + KNOWN_CNT - 1);
		assert_int_equal(s.next, FIRST);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(measured_ids_are_what_was_asked_for),
		cmocka_unit_test(before_and_after_all_are_known),
	};

	return run_any_tests("bench_stream", tests, ARRAY_SIZE(tests));
}
