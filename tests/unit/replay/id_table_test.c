// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of ids that came, beside a plain list of all: what it says is right as far back as it
 * says that it knows.
 */
#include "unit.h"

#include "id_table.h"

#define REALMS 5

/* Every id of a realm is one of this many; the model has an entry for each. */
struct model {
	uint32_t ids;
	struct known {
		uint64_t first_ns, last_ns, copies, mark;
		bool came;
	} * known; /* by realm and id */
};

static const struct row {
	const char *name;
	uint64_t bytes;
	uint32_t packets;
	uint32_t ids;	/* of a realm */
	uint32_t words; /* of an id; 0: each realm has other ones, up to 8 */
	bool evicts;
} ROWS[] = {
	{ "any-words", 64 << 20, 40000, 3000, 0, false },
	{ "few-ids", 0, 1000, 3, 4, false },
	{ "least-memory", 0, 60000, 2000, 8, true },
	{ "any-words-in-little-memory", 2 << 20, 200000, 20000, 0, true },
	{ "more-than-once-over", 1 << 20, 400000, 200000, 1, true },
};

static uint32_t words_of(const struct row *row, uint32_t realm)
{
	return row->words ? row->words : 1 + realm * 7 / (REALMS - 1);
}

/* Id i, the same bytes in each realm; those of fewer words are the beginning of the others. */
static struct dedup_id id_of(uint32_t i, uint32_t words)
{
	struct dedup_id id = { 0 };
	uint64_t seed = 1000 + i / 2;

	for (uint32_t w = 0; w < words; w++)
		id.word[w] = random_next(&seed);
	/* Half of them differ from another one in their last word alone. */
	id.word[words - 1] += i % 2;
	return id;
}

/* What the entry says must be so if the id's first packet that is known came after the time since
 * which all ids are known. What is older may have been forgotten: then it is a new one.
 */
static void check(struct id_table *x, const struct id_table_entry *e, struct known *known,
		  uint64_t now)
{
	uint64_t since = id_table_known_since(x);
	bool sure = known->came && (!since || known->last_ns > since);

	assert_non_null(e);
	if (!known->came || (!sure && e->copies == 1)) {
		assert_int_equal(e->copies, 1);
		assert_int_equal(e->first_ns, now);
		assert_int_equal(e->learned_ns, UINT64_MAX);
		assert_int_equal(e->mark[0], 0);
		*known = (struct known){ .first_ns = now, .came = true };
	}
	known->copies++;
	known->last_ns = now;
	assert_int_equal(e->copies, known->copies);
	assert_int_equal(e->first_ns, known->first_ns);
	assert_int_equal(e->mark[0], known->mark);
}

TEST_ROWS(says_what_came, ROWS)
{
	struct model m = { .ids = row->ids };
	uint64_t seed = 3, now = 1000;
	struct id_table *x;

	m.known = calloc((size_t)REALMS * row->ids, sizeof(*m.known));
	assert_non_null(m.known);
	assert_int_equal(id_table_open(8, row->bytes, &x), 0);
	assert_int_equal(id_table_known_since(x), 0);
	for (uint32_t i = 0; i < row->packets; i++) {
		uint32_t realm = random_next(&seed) % REALMS;
		uint32_t which = random_next(&seed) % row->ids;
		struct known *known = &m.known[(size_t)realm * row->ids + which];
		uint32_t words = words_of(row, realm);
		struct dedup_id id = id_of(which, words);
		struct id_table_entry *e;

		now += random_next(&seed) % 3;
		e = id_table_note(x, id_table_key(x, realm, &id, words), now);
		check(x, e, known, now);
		e->mark[0] = known->mark = random_next(&seed);
	}
	assert_int_equal(id_table_known_since(x) > 0, row->evicts);
	id_table_close(x);
	free(m.known);
}

/* As much as can be taken by powers of 2. */
TEST(as_much_as_there_is_memory)
{
	struct id_table *x;
	uint32_t cnt = 0;

	assert_int_equal(id_table_open(16, 16 << 20, &x), 0);
	while (!id_table_known_since(x)) {
		struct dedup_id id = id_of(2 * cnt, 1);

		assert_non_null(id_table_note(x, id_table_key(x, 0, &id, 1), 1 + cnt));
		cnt++;
	}
	/* 48 bytes a slot, of two tables and a half of one; three quarters of a table are used. */
	assert_int_equal(cnt, 2 * (131072 / 4 * 3) + 1);
	id_table_close(x);
	id_table_close(NULL);
}

UNIT_MAIN()
