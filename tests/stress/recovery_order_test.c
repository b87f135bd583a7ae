// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies of one number that are looked up at one time, in every order in which CPUs can read and
 * write what they share: one passes, and no more than one. Each row is a small race: a source in
 * some state, and two or three CPUs with a number each, some of them some jiffies ahead.
 *
 * A CPU does one access at a time: its call is made again from its beginning, with the results that
 * its accesses have had, up to the next one. Of orders that differ only by accesses that do not
 * affect each other, one is tried (sleep sets: Godefroid, Partial-Order Methods, 1996).
 */
#include "support.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

static __u64 use(__u64 *at, bool is_write, __u64 from, __u64 to);

#undef READ_ONCE
#define READ_ONCE(value) use(&(value), false, 0, 0)
#define __sync_val_compare_and_swap(at, from, to) use(at, true, from, to)

#include "recovery.h"

#define CPUS_MAX 3
#define USES_MAX 100 /* of a CPU */
#define STEPS_MAX (CPUS_MAX * USES_MAX)
#define RESET 5

struct call {
	uint64_t number, now;
};

struct row {
	const char *name;
	uint32_t width, ring_shift;
	struct call before[12]; /* one after the other, up to the first {0, 0} */
	struct call cpus[CPUS_MAX];
	int cpus_cnt;
	bool is_near_only; /* numbers that are far pass as often as they come */
};

static const struct row *row;
static struct dedup_recovery recovery;
static struct dedup_source source;
static __u64 ring[1 << 12];

static struct cpu {
	__u64 results[USES_MAX];
	int used;    /* results there are */
	__u64 *next; /* what it uses next; NULL: it has ended */
	bool is_write;
	int seen;
} cpus[CPUS_MAX];

static struct cpu *running; /* NULL: what is used is used at once */
static int at;		    /* uses that it has made again */
static bool may_use;	    /* one more */
static jmp_buf before_use;

static __u64 use_now(__u64 *what, bool is_write, __u64 from, __u64 to)
{
	__u64 is = *what;

	if (is_write && is == from)
		*what = to;
	return is;
}

static __u64 use(__u64 *what, bool is_write, __u64 from, __u64 to)
{
	struct cpu *c = running;

	if (!c)
		return use_now(what, is_write, from, to);
	if (at < c->used)
		return c->results[at++];
	if (!may_use) {
		c->next = what;
		c->is_write = is_write;
		longjmp(before_use, 1);
	}
	may_use = false;
	assert_true(at < USES_MAX);
	c->used++;
	return c->results[at++] = use_now(what, is_write, from, to);
}

static int see(const struct call *c)
{
	return dedup_see_number(&recovery, &source, ring, c->number, c->now);
}

/* Goes on to before the CPU's next use; with `uses`, behind the one that it is at. */
static void go_on(int i, bool uses)
{
	running = &cpus[i];
	at = 0;
	may_use = uses;
	if (!setjmp(before_use)) {
		running->seen = see(&row->cpus[i]);
		running->next = NULL;
	}
	running = NULL;
}

static void start(void)
{
	memset(&source, 0, sizeof(source));
	memset(ring, 0, sizeof(ring));
	recovery = (struct dedup_recovery){ row->width, row->ring_shift, RESET };
	dedup_source_begin(&recovery, &source, row->before[0].number, row->before[0].now);
	for (const struct call *c = row->before; c->now; c++)
		see(c);
	memset(cpus, 0, sizeof(cpus));
	for (int i = 0; i < row->cpus_cnt; i++)
		go_on(i, false);
}

/* What was chosen at each step. A CPU that sleeps need not go on: that was tried in another order. */
static struct choice {
	int chosen;
	unsigned int asleep; /* a bit for each CPU */
} choices[STEPS_MAX];

/* The first CPU from this one on that can go on, and does not sleep; -1: none. */
static int first_awake(int from, unsigned int asleep)
{
	for (int i = from; i < row->cpus_cnt; i++)
		if (cpus[i].next && !(asleep >> i & 1))
			return i;
	return -1;
}

/* Those of these CPUs that sleep on when i goes on: whose next use it does not affect. */
static unsigned int sleepers(unsigned int asleep, int i)
{
	for (int j = 0; j < row->cpus_cnt; j++)
		if (cpus[j].next == cpus[i].next && (cpus[j].is_write || cpus[i].is_write))
			asleep &= ~(1U << j);
	return asleep;
}

/* Runs by the choices made, then by the first ones there are. Returns the steps; *is_whole: all
 * CPUs have ended, not just those that are awake.
 */
static int run_once(int made, bool *is_whole)
{
	unsigned int asleep = 0;
	int steps = 0;

	start();
	for (;; steps++) {
		struct choice *c = &choices[steps];

		assert_true(steps < STEPS_MAX);
		if (steps >= made) {
			c->asleep = asleep;
			c->chosen = first_awake(0, asleep);
		}
		if (c->chosen < 0)
			break;
		asleep = sleepers(c->asleep, c->chosen);
		go_on(c->chosen, true);
	}
	*is_whole = first_awake(0, 0) < 0;
	return steps;
}

/* Makes the next choice that there is at the last step that has one: the one made before sleeps.
 * Returns the choices made; 0: all were.
 */
static int next_choice(int steps)
{
	bool is_whole;

	for (; steps; steps--) {
		struct choice *c = &choices[steps - 1];

		c->asleep |= 1U << c->chosen;
		c->chosen = -1;
		run_once(steps, &is_whole); /* up to this step, for what CPUs use next */
		c->chosen = first_awake(0, c->asleep);
		if (c->chosen >= 0)
			return steps;
	}
	return 0;
}

static void fail_order(int steps, const char *what)
{
	char order[STEPS_MAX + 1] = "";

	for (int i = 0; i < steps; i++)
		order[i] = (char)('a' + choices[i].chosen);
	for (const struct call *c = row->before; c->now; c++)
		print_message("before: %llu at %llu\n", (unsigned long long)c->number,
			      (unsigned long long)c->now);
	for (int i = 0; i < row->cpus_cnt; i++)
		print_message("CPU %c: %llu at %llu\n", 'a' + i,
			      (unsigned long long)row->cpus[i].number,
			      (unsigned long long)row->cpus[i].now);
	fail_msg("%s, width %u, ring 2^%u: %s, in the order %s; seen: %d %d %d", row->name,
		 row->width, row->ring_shift, what, order, cpus[0].seen, cpus[1].seen, cpus[2].seen);
}

static bool came_before(uint64_t number)
{
	for (const struct call *c = row->before; c->now; c++)
		if (c->number == number)
			return true;
	return false;
}

/* Of the copies of each number one passes. */
static void check_one_passes(int steps)
{
	for (int i = 0; i < row->cpus_cnt; i++) {
		int passed = 0, has_far = 0;

		for (int j = 0; j < row->cpus_cnt; j++)
			if (row->cpus[j].number == row->cpus[i].number) {
				passed += cpus[j].seen != DEDUP_SEEN;
				has_far += cpus[j].seen < 0;
			}
		if (!passed && !came_before(row->cpus[i].number))
			fail_order(steps, "no copy passes");
		if (passed > 1 && !(row->is_near_only && has_far))
			fail_order(steps, "two copies pass");
	}
}

/* Returns how many orders there are. */
static unsigned long try_orders(const struct row *r)
{
	unsigned long runs = 0;
	int made = 0, steps;
	bool is_whole;

	row = r;
	do {
		steps = run_once(made, &is_whole);
		if (is_whole)
			check_one_passes(steps);
		runs += is_whole;
		made = next_choice(steps);
	} while (made);
	return runs;
}

static void test_orders(void **state)
{
	const struct row *r = *state;

	print_message("%s: %lu orders\n", r->name, try_orders(r));
}

static unsigned int below(uint64_t *seed, unsigned int n)
{
	return (unsigned int)(random_next(seed) % n);
}

/* A number near one of these, or not: few different ones, at the edges of words, runs and laps. */
static uint64_t any_number(uint64_t *seed, uint32_t width)
{
	static const uint64_t AROUND[] = { 100, 112, 160, 256, 480, 5000, 65536, 1 << 20 };

	return (AROUND[below(seed, ARRAY_SIZE(AROUND))] - 3 + below(seed, 6)) & ((1ULL << width) - 1);
}

/* A race of two in any state, at about one time. */
static void any_race(struct row *r, uint64_t *seed)
{
	static const uint32_t SHAPES[][2] = { { 8, 8 }, { 16, 16 }, { 20, 8 }, { 40, 8 }, { 40, 6 } };
	unsigned int shape = below(seed, ARRAY_SIZE(SHAPES)), cnt = 1 + below(seed, 11);
	uint64_t now = 10, number = any_number(seed, SHAPES[shape][0]);
	uint64_t mask = (1ULL << SHAPES[shape][0]) - 1;

	*r = (struct row){ .name = "any", .is_near_only = true };
	r->width = SHAPES[shape][0];
	r->ring_shift = SHAPES[shape][1];
	for (unsigned int i = 0; i < cnt; i++) {
		r->before[i] = (struct call){ number & mask, now };
		number = below(seed, 4) ? number + 1 : any_number(seed, r->width);
		now += below(seed, 3) ? 0 : below(seed, RESET + 3);
	}
	r->cpus_cnt = 2;
	number = below(seed, 2) ? number + 1 : any_number(seed, r->width);
	for (int i = 0; i < r->cpus_cnt; i++) {
		r->cpus[i] = (struct call){ number & mask, now + below(seed, 2) };
		if (!below(seed, 3))
			number++;
	}
}

static void test_any_race(void **state)
{
	uint64_t seed = 1;
	struct row r;

	(void)state;
	for (uint64_t i = 0; i < tries(500, 5000); i++) {
		any_race(&r, &seed);
		try_orders(&r);
	}
}

static const struct row ROWS[] = {
	{ "in-one-word", 16, 16, { { 100, 1 } }, { { 101, 1 }, { 101, 1 } }, 2, false },
	{ "in-one-word-of-three", 16, 16, { { 100, 1 } }, { { 101, 1 }, { 101, 1 }, { 101, 1 } }, 3, false },
	{ "neighbours", 16, 16, { { 100, 1 } }, { { 101, 1 }, { 102, 1 } }, 2, false },
	{ "in-the-next-word", 16, 16, { { 100, 1 } }, { { 130, 1 }, { 130, 1 } }, 2, false },
	{ "two-in-the-next-word", 16, 16, { { 100, 1 } }, { { 130, 1 }, { 131, 1 } }, 2, false },
	{ "a-jiffy-later", 16, 16, { { 100, 1 } }, { { 101, 2 }, { 101, 2 } }, 2, false },
	{ "in-two-jiffies", 16, 16, { { 100, 1 } }, { { 101, 2 }, { 101, 3 } }, 2, false },
	{ "at-the-lap's-edge", 16, 16, { { 65534, 1 } }, { { 2, 1 }, { 2, 1 } }, 2, false },
	{ "across-the-lap's-edge", 16, 16, { { 65534, 1 } }, { { 2, 1 }, { 65535, 1 } }, 2, false },
	{ "lap-on-lap", 8, 8, { { 10, 1 }, { 120, 1 }, { 230, 1 } }, { { 11, 1 }, { 11, 1 } }, 2, false },
	{ "after-silence", 16, 16, { { 100, 1 } }, { { 7, 7 }, { 7, 7 } }, 2, false },
	{ "after-silence-known", 16, 16, { { 100, 1 } }, { { 100, 7 }, { 100, 7 } }, 2, false },
	{ "silence-for-one-of-two", 16, 16, { { 100, 1 } }, { { 101, 6 }, { 101, 7 } }, 2, false },
	{ "silence-for-one-of-two-far", 40, 8, { { 100, 1 } }, { { 5000, 6 }, { 5000, 7 } }, 2, false },
	{ "far", 40, 8, { { 100, 1 } }, { { 5000, 1 }, { 5000, 1 } }, 2, false },
	{ "restarted",
	  40,
	  8,
	  { { 100, 1 },
	    { 5000, 3 },
	    { 5001, 3 },
	    { 5002, 3 },
	    { 5003, 3 },
	    { 5004, 3 },
	    { 5005, 3 },
	    { 5006, 3 } },
	  { { 5007, 3 }, { 5007, 3 } },
	  2,
	  false },
	{ "restarted-a-copy-of-the-run",
	  40,
	  8,
	  { { 100, 1 },
	    { 5000, 3 },
	    { 5001, 3 },
	    { 5002, 3 },
	    { 5003, 3 },
	    { 5004, 3 },
	    { 5005, 3 },
	    { 5006, 3 } },
	  { { 5007, 3 }, { 5008, 3 }, { 5008, 3 } },
	  3,
	  false },
	{ "restarted-with-a-neighbour",
	  40,
	  8,
	  { { 100, 1 }, { 5000, 3 }, { 5001, 3 }, { 5002, 3 }, { 5003, 3 }, { 5004, 3 }, { 5005, 3 } },
	  { { 5006, 3 }, { 5007, 3 } },
	  2,
	  false },
};

int main(void)
{
	add_rows(ROWS, test_orders, NULL, NULL);
	add_test("any-race", test_any_race, NULL, NULL, NULL);
	leave_to_rest("restarted-a-copy-of-the-run");
	repeat_in_rest("any-race");
	return run_added_any_tests("recovery_order");
}
