// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies of one number that are looked up at one time, in every order in which CPUs can read and
 * write what they share: one passes, and no more than one. Each row is a small race: a source in
 * some state, and two or three CPUs with a number each, some of them some jiffies ahead.
 * interleave.h tries the orders.
 *
 * Environment: SEED, CASES of any_race.
 */
#include "interleave.h"

#include "number_races.h"
#include "source_hand.h"

static const struct row *race;
static struct dedup_sources table;
static struct dedup_recovery recovery;
static int results[CALLS_MAX]; /* of its calls */

static int see(const struct call *c)
{
	struct dedup_packet_numbers p = { c->number, c->now, 1 + c->more };
	struct dedup_source_key key = { .hash = 7,
					.words = DEDUP_SOURCE_WORDS,
					.id.word = { c->source } }; /* all in one bucket */

	if (c->source != HAND)
		return dedup_see(&table, &recovery, shared, &key, &p);
	for (uint32_t pass = 0; pass <= c->more; pass++)
		for (uint32_t i = 0; i < SOURCES; i++)
			dedup_sources_pass(&table, shared, i, 0, c->now + pass);
	return DEDUP_SEEN;
}

static int calls_cnt(void)
{
	int cnt = 0;

	while (cnt < CALLS_MAX && race->calls[cnt].now)
		cnt++;
	return cnt;
}

static void make_call(int cpu)
{
	results[cpu] = see(&race->calls[cpu]);
	for (int i = race->cpus_cnt; !cpu && i < calls_cnt(); i++)
		results[i] = see(&race->calls[i]);
}

static void start(void)
{
	recovery = recovery_of(race);
	table = sources_of(race, DEDUP_SLOT_BLOCKS + dedup_ring_blocks(race->ring_shift));
	assert_true(dedup_sources_blocks(&table) <= ARRAY_SIZE(shared));
	for (const struct call *c = race->before; c->now; c++)
		see(c);
}

static void fail_order(const char *what)
{
	tell_race(race);
	fail_msg("%s, in the order %s; seen: %d %d %d %d", what, order, results[0], results[1],
		 results[2], results[3]);
}

static bool has(const struct call *c, uint32_t source, uint64_t number)
{
	return c->source == source && number >= c->number && number <= c->number + c->more;
}

static bool came_before(uint32_t source, uint64_t number)
{
	for (const struct call *c = race->before; c->now; c++)
		if (has(c, source, number))
			return true;
	return false;
}

/* Has it come before, and was there no silence since? */
static bool is_known(const struct call *c)
{
	uint64_t last = 0;

	for (const struct call *b = race->before; b->now; b++)
		if (b->source == c->source)
			last = b->now;
	return !race->is_near_only && !c->more && came_before(c->source, c->number) &&
	       c->now - last <= RESET;
}

static bool passes(uint32_t source, uint64_t number)
{
	for (int i = 0; i < calls_cnt(); i++)
		if (has(&race->calls[i], source, number) && results[i] != DEDUP_SEEN)
			return true;
	return false;
}

static bool are_copies(const struct call *a, const struct call *b)
{
	return a->number == b->number && a->more == b->more && a->source == b->source;
}

/* Each number passes in some packet; of the copies of a packet no more than one passes, and none of
 * what is known.
 */
static void check_end(void)
{
	for (int i = 0; i < calls_cnt(); i++) {
		const struct call *c = &race->calls[i];
		int passed = 0, has_far = 0;

		for (uint64_t n = c->number; c->source != HAND && n <= c->number + c->more; n++)
			if (!came_before(c->source, n) && !passes(c->source, n))
				fail_order("a number does not pass");
		if (is_known(c) && results[i] != DEDUP_SEEN)
			fail_order("a number passes again");
		for (int j = 0; j < calls_cnt(); j++)
			if (are_copies(&race->calls[j], c)) {
				passed += results[j] != DEDUP_SEEN;
				has_far += results[j] < 0;
			}
		if (passed > 1 && !(race->is_near_only && has_far))
			fail_order("two copies pass");
	}
}

/* Returns how many states there are. */
static unsigned long try_orders(const struct row *r)
{
	race = r;
	cpus_cnt = r->cpus_cnt;
	return try_race(start);
}

static void try_text(const struct race_text *t, bool is_near_only)
{
	struct row r = row_of(t, CPUS_MAX);

	r.is_near_only = is_near_only;
	print_message("%s: %lu states\n", r.name, try_orders(&r));
}

static const struct race_text ROWS[] = {
	{ "in-one-word", 16, 16, "100@1", "101@1 101@1" },
	{ "in-one-word-of-three", 16, 16, "100@1", "101@1 101@1 101@1" },
	{ "neighbours", 16, 16, "100@1", "101@1 102@1" },
	{ "in-the-next-word", 16, 16, "100@1", "130@1 130@1" },
	{ "two-in-the-next-word", 16, 16, "100@1", "130@1 131@1" },
	{ "a-jiffy-later", 16, 16, "100@1", "101@2 101@2" },
	{ "in-two-jiffies", 16, 16, "100@1", "101@2 101@3" },
	{ "at-the-lap's-edge", 16, 16, "65534@1", "2@1 2@1" },
	{ "across-the-lap's-edge", 16, 16, "65534@1", "2@1 65535@1" },
	{ "lap-on-lap", 8, 8, "10@1 120@1 230@1", "11@1 11@1" },
	{ "after-silence", 16, 16, "100@1", "7@7 7@7" },
	{ "after-silence-known", 16, 16, "100@1", "100@7 100@7" },
	{ "silence-for-one-of-two", 16, 16, "100@1", "101@6 101@7" },
	{ "silence-for-one-of-two-far", 40, 8, "100@1", "5000@6 5000@7" },
	{ "far", 40, 8, "100@1", "5000@1 5000@1" },
	{ "restarted", 40, 8, RESTARTING " 5006@3", "5007@3 5007@3" },
	{ "restarted-a-copy-of-the-run", 40, 8, RESTARTING " 5006@3", "5007@3 5008@3 5008@3" },
	{ "restarted-in-two-jiffies", 40, 8, RESTARTING " 5006@3", "5007@3 5003@4" },
	{ "packets-of-two-words", 16, 16, "100@1", "120@1+20 120@1+20" },
	{ "packets-of-three-words", 40, 8, "100@1", "120@1+60 120@1+60" },
	{ "packets-of-two-words-and-time", 16, 16, "100@1", "120@2+20 120@2+20" },
	{ "packets-that-overlap", 16, 16, "100@1", "120@1+20 130@1+20" },
	{ "a-packet-in-another", 16, 16, "100@1", "120@1+20 130@1" },
	{ "packets-half-known", 16, 16, "100@1+25", "120@1+20 120@1+20" },
	{ "packets-that-overlap-and-a-copy", 16, 16, "100@1", "120@1+10 120@1+10 125@1+10" },
	/* In `open`. */
	{ "packets-at-one-place", 16, 16, "100@1", "120@1+10 120@1+10 157@1+9" },
	{ "packets-after-silence", 16, 16, "100@1", "8@7 8@7" },
	{ "new-source", 16, 16, "100@1", "7@1/1 7@1/1" },
	{ "new-source-of-three", 16, 8, "100@1", "7@1/1 7@1/1 7@1/1" },
	{ "two-new-sources", 16, 16, "", "7@1 7@1/1" },
	{ "first-packets-of-a-source", 16, 16, "", "7@1+40 7@1+40" },
	{ "recycled", 16, 8, "1@1", "2@12 2@12 hand@12" },
	{ "restarted-with-a-neighbour", 40, 8, RESTARTING, "5006@3 5007@3" },
};

static const struct race_text NEAR_ROWS[] = {
	{ "no-room", 16, 8, "1@1 1@1/1", "7@1/2 8@1/2" },
	{ "recycled-and-a-new-one", 16, 8, "1@1 1@1/1 hand@12", "2@15/2 2@15/2 hand@15" },
	{ "recycled-no-sooner", 16, 8, "1@1 1@12/1", "2@12 2@12/3 hand@12+1" },
	{ "recycled-while-another-is-new", 16, 8, "1@1 1@10/1", "2@12 3@12/3 hand@12" },
};

TEST_ROWS(orders, ROWS)
{
	try_text(row, false);
}

TEST_ROWS(near_orders, NEAR_ROWS)
{
	try_text(row, true);
}

/* The hand takes a source out while a packet comes, after which another one takes the quick way. */
TEST(recycled_quickly)
{
	static const struct race_text ROW = { "recycled-quickly", 16, 8, "1@1",
					      "2@12 3@12 hand@12 3@12" };

	stops_max = 3; /* all orders have many millions of states */
	try_text(&ROW, false);
	stops_max = 0;
}

TEST(any_race)
{
	uint64_t seed = environment_number("SEED", 1);
	uint64_t cases = environment_number("CASES", tries(300, 2500));
	static const uint32_t SHAPES[][2] = { { 8, 8 }, { 16, 16 }, { 20, 8 }, { 40, 8 }, { 40, 6 } };
	struct row r;

	for (uint64_t i = 0; i < cases; i++) {
		const uint32_t *shape = SHAPES[random_below(&seed, ARRAY_SIZE(SHAPES))];

		make_race(&r, &seed, shape[0], shape[1], false);
		try_orders(&r);
	}
}

UNIT_MAIN()
