// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ids that are learned at one time in the layouts `flat` and `countdown`, in every order in which
 * CPUs can read and write what they share: of copies one is new, also if another id has a place of
 * theirs. Each row is a race of two or three CPUs, with an id each. interleave.h tries the orders;
 * but in any-race, reads may also be early.
 *
 * Environment: SEED, CASES of any-race.
 */
#include "interleave.h"

#include "countdown.h"
#include "flat.h"

#define K_MAX 4
#define PLACES 8    /* few, so that ids share some */
#define MAX 3	    /* of countdown */
#define ELAPSED 100 /* countdowns before the race */

/* A row as people write it: a digit for each place, or countdown. */
struct text_row {
	const char *name, *ids;		   /* as many as CPUs, with blanks between */
	const char *before, *later, *left; /* NULL: none, 0, MAX */
	bool countdown;
};

struct row {
	const char *name;
	uint32_t k, before; /* before: a mask of places that are set */
	uint32_t ids[CPUS_MAX][K_MAX];
	int cpus_cnt;
	bool countdown;		  /* the layout; else it is flat */
	uint32_t later[CPUS_MAX]; /* countdowns between ELAPSED and the CPU's look at the hand */
	uint8_t left[PLACES]; /* countdowns that a place which is set has left at ELAPSED; 0: MAX */
};

static const struct row *row;
static int results[CPUS_MAX];

/* Cells have 32 bits, and interleave.h knows words of 64: each word has one cell in use. */
static uint32_t cell(uint32_t place)
{
	return 2 * place;
}

/* A filter looks an id up before it learns it. */
static int count_down(const struct dedup_claims *claims, struct dedup_positions *p)
{
	uint32_t elapsed = dedup_countdowns(claims->hand, MAX);

	for (uint32_t i = 0; i < row->k; i++)
		p->index[i] = cell(p->index[i]);
	return dedup_countdown_left(shared, elapsed, MAX, p, row->k)
		       ? 0
		       : dedup_countdown_learn(shared, MAX, claims, p, row->k, false);
}

static void make_call(int cpu)
{
	struct dedup_positions p = { 0 };
	const struct dedup_claims claims = { shared[1].word, ELAPSED + row->later[cpu] };

	memcpy(p.index, row->ids[cpu], sizeof(row->ids[cpu]));
	results[cpu] = row->countdown ? count_down(&claims, &p)
				      : dedup_flat_learn(shared, 1, &claims, &p, row->k);
}

/* Countdowns that this place has left at ELAPSED. */
static uint32_t left(uint32_t place)
{
	return row->before >> place & 1 ? row->left[place] ?: MAX : 0;
}

static void start(void)
{
	_Static_assert(DEDUP_TIES <= (BLOCKS - 1) * DEDUP_BLOCK_WORDS, "the ties fit in");
	_Static_assert(PLACES <= DEDUP_BLOCK_WORDS, "a place is a word");
	if (!row->countdown)
		shared[0].word[0] = row->before;
	for (uint32_t i = 0; row->countdown && i < PLACES; i++)
		shared[0].word[i] = ELAPSED + left(i);
}

static uint32_t places(int cpu)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < row->k; i++)
		mask |= 1U << row->ids[cpu][i];
	return mask;
}

/* The places that the CPU's id lacks when the race begins. */
static uint32_t lacked(int cpu)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < PLACES; i++)
		mask |= (uint32_t)(left(i) <= row->later[cpu]) << i;
	return mask & places(cpu);
}

static bool are_copies(int a, int b)
{
	return !memcmp(row->ids[a], row->ids[b], row->k * sizeof(row->ids[a][0]));
}

static void fail_order(int cpu, const char *what)
{
	fail_msg("%s: %s of CPU %c's id, in the order %s; new: %d %d %d; k %u, before %#x, ids "
		 "%u,%u,%u,%u %u,%u,%u,%u %u,%u,%u,%u; countdowns %u %u %u",
		 row->name, what, 'a' + cpu, order, results[0], results[1], results[2], row->k,
		 row->before, row->ids[0][0], row->ids[0][1], row->ids[0][2], row->ids[0][3],
		 row->ids[1][0], row->ids[1][1], row->ids[1][2], row->ids[1][3], row->ids[2][0],
		 row->ids[2][1], row->ids[2][2], row->ids[2][3], row->later[0], row->later[1],
		 row->later[2]);
}

static __u64 *tie(int cpu)
{
	struct dedup_positions p = { 0 };

	for (uint32_t i = 0; i < row->k; i++)
		p.index[i] = row->countdown ? cell(row->ids[cpu][i]) : row->ids[cpu][i];
	return dedup_tie(shared[1].word, dedup_tie_name(&p, row->k, 0));
}

/* If other ids take two of an id's places, or all that it lacks, it may seem to be known. Ids that
 * have a tie in one slot may push each other out. And two copies may be new if there is a countdown
 * meanwhile. (A copy that looks before it may lack fewer places. It sets the others.)
 */
static void check_copies_of(int i)
{
	uint32_t all_lack = 0, one_lacks = 0, others = 0;
	bool has_slot = true, has_countdown = false;
	int new = 0;

	for (int j = 0; j < row->cpus_cnt; j++) {
		has_countdown |= row->later[i] != row->later[j];
		if (are_copies(i, j)) {
			new += results[j];
			all_lack = all_lack & lacked(j) ?: all_lack | lacked(j);
			one_lacks |= lacked(j);
		} else {
			others |= places(j);
			has_slot &= tie(j) != tie(i);
		}
	}
	others &= one_lacks;
	if (!has_slot || others & (others - 1) || (others && others == all_lack))
		return;
	if (new > 1 && !has_countdown)
		fail_order(i, "two copies are new");
	if (!new != !one_lacks)
		fail_order(i, new ? "a known copy is new" : "no copy is new");
}

static void check_end(void)
{
	for (int i = 0; i < row->cpus_cnt; i++)
		check_copies_of(i);
}

static unsigned long try_orders(const struct row *r)
{
	row = r;
	cpus_cnt = r->cpus_cnt;
	return try_race(start);
}

static struct row row_of(const struct text_row *t)
{
	struct row r = { .name = t->name, .cpus_cnt = 1, .countdown = t->countdown };

	for (const char *c = t->ids; *c; c++) {
		if (*c == ' ') {
			r.cpus_cnt++;
			r.k = 0;
		} else {
			r.ids[r.cpus_cnt - 1][r.k++] = *c - '0';
		}
	}
	for (const char *c = t->before ?: ""; *c; c++)
		r.before |= 1 << (*c - '0');
	for (int i = 0; t->later && t->later[i]; i++)
		r.later[i] = t->later[i] - '0';
	for (int i = 0; t->left && t->left[i]; i++)
		r.left[i] = t->left[i] - '0';
	return r;
}

static void test_orders(void **state)
{
	struct row r = row_of(*state);

	reads_early = true;
	print_message("%s: %lu states\n", r.name, try_orders(&r));
}

static void test_any_race(void **state)
{
	uint64_t seed = environment_number("SEED", 1);
	uint64_t cases = environment_number("CASES", tries(300, 2500));

	(void)state;
	stops_max = 3; /* all orders have millions of states, and more with early reads */
	reads_early = false;
	for (uint64_t n = 0; n < cases; n++) {
		struct row r = { .name = "any", .k = 1 + random_next(&seed) % K_MAX };

		r.cpus_cnt = 2 + (int)(random_next(&seed) % 2);
		r.before = random_next(&seed) & ((1U << PLACES) - 1);
		r.before &= random_next(&seed);
		r.countdown = random_next(&seed) % 2;
		for (int i = 0; r.countdown && i < PLACES; i++)
			r.left[i] = 1 + random_next(&seed) % MAX;
		for (int i = 0; i < r.cpus_cnt; i++) {
			r.later[i] = r.countdown ? random_next(&seed) % 3 : 0;
			for (uint32_t j = 0; j < r.k; j++)
				r.ids[i][j] = i && random_next(&seed) % 4
						      ? r.ids[0][j]
						      : random_next(&seed) % PLACES;
		}
		try_orders(&r);
	}
	stops_max = 0;
}

static const struct text_row ROWS[] = {
	{ "copies", .ids = "0123 0123" },
	{ "three-copies", .ids = "012 012 012" },
	{ "copies-that-lack-one", .ids = "0123 0123", .before = "013" },
	{ "copies-that-lack-two", .ids = "0123 0123", .before = "13" },
	{ "copies-of-one-place", .ids = "0 0 0" },
	{ "copies-of-two-places", .ids = "01 01 01" },
	{ "copies-of-equal-places", .ids = "000 000 000" },
	{ "copies-of-some-equal-places", .ids = "0101 0101" },
	{ "known", .ids = "012 012", .before = "012" },
	{ "others-first", .ids = "012 034" },
	{ "others-second", .ids = "012 314" },
	{ "others-last", .ids = "012 352" },
	{ "copies-and-others-first", .ids = "012 012 304" },
	{ "copies-and-others-second", .ids = "012 012 134" },
	{ "copies-and-others-last", .ids = "012 012 352" },
	{ "countdown-copies", .ids = "0123 0123", .countdown = true },
	{ "countdown-between", .ids = "012 012", .countdown = true, .later = "01" },
	{ "countdown-lets-one-go", .ids = "012 012", .before = "02", .countdown = true,
	  .later = "01", .left = "102" },
	{ "countdown-lets-two-go", .ids = "012 012", .before = "01", .countdown = true,
	  .later = "01", .left = "11" },
	{ "countdown-lets-all-go", .ids = "01 01", .before = "01", .countdown = true, .later = "01",
	  .left = "11" },
	{ "countdown-others", .ids = "012 012 314", .before = "0", .countdown = true,
	  .later = "011", .left = "1" },
};

int main(void)
{
	add_rows(ROWS, test_orders, NULL, NULL);
	add_test("any-race", test_any_race, NULL, NULL, NULL);
	return run_added_any_tests("claim_order");
}
