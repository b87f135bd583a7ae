// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ids that are learned at one time in layout `flat`, in every order in which CPUs can read and
 * write what they share: of copies one is new, also if another id has a place of theirs. Each row
 * is a race of two or three CPUs, with an id each. interleave.h tries the orders.
 *
 * Environment: SEED, CASES of any-race.
 */
#include "interleave.h"

#include <stdio.h>
#include <string.h>

#include "flat.h"

#define K_MAX 4
#define BITS 8 /* of the array: few, so that ids share some */

struct row {
	const char *name;
	uint32_t k, before; /* before: a mask of bits that are set */
	uint32_t ids[CPUS_MAX][K_MAX];
	int cpus_cnt;
};

static const struct row *row;
static int results[CPUS_MAX];

static void make_call(int cpu)
{
	struct dedup_positions p = { 0 };
	const struct dedup_claims claims = { shared[1].word, 0 };

	memcpy(p.index, row->ids[cpu], sizeof(row->ids[cpu]));
	results[cpu] = dedup_flat_learn(shared, 1, &claims, &p, row->k);
}

static void start(void)
{
	_Static_assert(DEDUP_TIES <= DEDUP_BLOCK_WORDS, "the ties are a block");
	shared[0].word[0] = row->before;
}

static uint32_t places(int cpu)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < row->k; i++)
		mask |= 1U << row->ids[cpu][i];
	return mask;
}

static bool are_copies(int a, int b)
{
	return !memcmp(row->ids[a], row->ids[b], row->k * sizeof(row->ids[a][0]));
}

static void fail_order(int cpu, const char *what)
{
	fail_msg("%s: %s of CPU %c's id, in the order %s; new: %d %d %d; k %u, before %#x, ids "
		 "%u,%u,%u,%u %u,%u,%u,%u %u,%u,%u,%u",
		 row->name, what, 'a' + cpu, order, results[0], results[1], results[2], row->k,
		 row->before, row->ids[0][0], row->ids[0][1], row->ids[0][2], row->ids[0][3],
		 row->ids[1][0], row->ids[1][1], row->ids[1][2], row->ids[1][3], row->ids[2][0],
		 row->ids[2][1], row->ids[2][2], row->ids[2][3]);
}

static __u64 *tie(int cpu)
{
	struct dedup_positions p = { 0 };

	memcpy(p.index, row->ids[cpu], sizeof(row->ids[cpu]));
	return dedup_tie(shared[1].word, dedup_tie_name(&p, row->k, 0));
}

/* If other ids take two of an id's places, or all that it lacks, it may seem to be known. Ids that
 * have a tie in one slot may push each other out.
 */
static void check_end(void)
{
	for (int i = 0; i < row->cpus_cnt; i++) {
		uint32_t lacks = places(i) & ~row->before, others = 0;
		bool has_slot = true;
		int new = 0;

		for (int j = 0; j < row->cpus_cnt; j++)
			if (are_copies(i, j)) {
				new += results[j];
			} else {
				others |= places(j);
				has_slot &= tie(j) != tie(i);
			}
		others &= lacks;
		if (!has_slot || others & (others - 1) || (others && others == lacks))
			continue;
		if (new > 1)
			fail_order(i, "two copies are new");
		if (new != (lacks != 0))
			fail_order(i, new ? "a known copy is new" : "no copy is new");
	}
}

static unsigned long try_orders(const struct row *r)
{
	row = r;
	cpus_cnt = r->cpus_cnt;
	return try_race(start);
}

static void test_orders(void **state)
{
	const struct row *r = *state;

	print_message("%s: %lu states\n", r->name, try_orders(r));
}

static void test_any_race(void **state)
{
	uint64_t seed = environment_number("SEED", 1);
	uint64_t cases = environment_number("CASES", tries(300, 2500));

	(void)state;
	stops_max = 3; /* all orders have millions of states */
	for (uint64_t n = 0; n < cases; n++) {
		struct row r = { .name = "any", .k = 1 + random_next(&seed) % K_MAX };

		r.cpus_cnt = 2 + (int)(random_next(&seed) % 2);
		r.before = random_next(&seed) & ((1U << BITS) - 1);
		r.before &= random_next(&seed);
		for (int i = 0; i < r.cpus_cnt; i++)
			for (uint32_t j = 0; j < r.k; j++)
				r.ids[i][j] = i && random_next(&seed) % 4
						      ? r.ids[0][j]
						      : random_next(&seed) % BITS;
		try_orders(&r);
	}
	stops_max = 0;
}

static const struct row ROWS[] = {
	{ "copies", 4, 0, { { 0, 1, 2, 3 }, { 0, 1, 2, 3 } }, 2 },
	{ "three-copies", 3, 0, { { 0, 1, 2 }, { 0, 1, 2 }, { 0, 1, 2 } }, 3 },
	{ "copies-that-lack-one", 4, 0xb, { { 0, 1, 2, 3 }, { 0, 1, 2, 3 } }, 2 },
	{ "copies-that-lack-two", 4, 0xa, { { 0, 1, 2, 3 }, { 0, 1, 2, 3 } }, 2 },
	{ "copies-of-one-place", 1, 0, { { 0 }, { 0 }, { 0 } }, 3 },
	{ "copies-of-two-places", 2, 0, { { 0, 1 }, { 0, 1 }, { 0, 1 } }, 3 },
	{ "copies-of-equal-places", 3, 0, { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, 3 },
	{ "copies-of-some-equal-places", 4, 0, { { 0, 1, 0, 1 }, { 0, 1, 0, 1 } }, 2 },
	{ "known", 3, 0x7, { { 0, 1, 2 }, { 0, 1, 2 } }, 2 },
	{ "others-first", 3, 0, { { 0, 1, 2 }, { 0, 3, 4 } }, 2 },
	{ "others-second", 3, 0, { { 0, 1, 2 }, { 3, 1, 4 } }, 2 },
	{ "others-last", 3, 0, { { 0, 1, 2 }, { 3, 5, 2 } }, 2 },
	{ "copies-and-others-first", 3, 0, { { 0, 1, 2 }, { 0, 1, 2 }, { 3, 0, 4 } }, 3 },
	{ "copies-and-others-second", 3, 0, { { 0, 1, 2 }, { 0, 1, 2 }, { 1, 3, 4 } }, 3 },
	{ "copies-and-others-last", 3, 0, { { 0, 1, 2 }, { 0, 1, 2 }, { 3, 5, 2 } }, 3 },
};

int main(void)
{
	add_rows(ROWS, test_orders, NULL, NULL);
	add_test("any-race", test_any_race, NULL, NULL, NULL);
	repeat_in_rest("any-race");
	return run_added_any_tests("claim_order");
}
