// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies of one number that are looked up at one time, in every order in which CPUs can read and
 * write what they share: one passes, and no more than one. Each row is a small race: a source in
 * some state, and two or three CPUs with a number each, some of them some jiffies ahead.
 *
 * A CPU does one access at a time: its call is made again from its beginning, with the results that
 * its accesses have had, up to the next one. A state is what is shared, and these results. What can
 * follow a state is tried once, however many orders lead to it. States are told apart by a hash of
 * 64 bits.
 */
#include "support.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "memory.h"

enum access { READ, SWAP, LOCK, STORE };

static __u64 use(__u64 *at, enum access access, __u64 from, __u64 to);

#undef READ_ONCE
#define READ_ONCE(value) use((__u64 *)&(value), READ, 0, 0)
#undef WRITE_ONCE
#define WRITE_ONCE(value, to) use((__u64 *)&(value), STORE, 0, to)
#define __sync_val_compare_and_swap(at, from, to) use(at, SWAP, from, to)
#define dedup_lock_word(word) (!use(word, LOCK, 0, 1)) /* who has to wait does nothing */

#include "source_hand.h"

#define CPUS_MAX 3
#define USES_MAX 400 /* of a CPU */
#define STEPS_MAX (CPUS_MAX * USES_MAX)
#define STATES (1 << 23) /* that the table has room for */
#define RESET 5

struct call {
	uint64_t number, now;
	uint32_t more; /* numbers in the packet, beside this one */
	uint32_t source; /* HAND: it is no packet, but the hand, which passes all sources 1 + more times */
};

#define HAND 99
#define IDLE 10 /* jiffies until a source may be recycled */
#define SOURCES 2

struct row {
	const char *name;
	uint32_t width, ring_shift;
	struct call before[12]; /* one after the other, up to the first {0, 0} */
	struct call cpus[CPUS_MAX];
	int cpus_cnt;
	bool is_near_only; /* numbers that are far pass as often as they come */
};

static const struct row *row;
static struct dedup_sources table;
static struct dedup_recovery recovery;
static struct dedup_block blocks[1024];

static struct cpu {
	__u64 results[USES_MAX];
	int used;	    /* results there are */
	__u64 hash;	    /* of these */
	__u64 *next;	    /* what it uses next; NULL: it has ended */
	enum access access; /* how it will */
	int seen;
} cpus[CPUS_MAX];

static __u64 shared_hash;   /* of what has changed in `blocks` */
static struct cpu *running; /* NULL: what is used is used at once */
static int at;		    /* uses that it has made again */
static bool may_use;	    /* one more */
static jmp_buf before_use;

/* The finalizer of MurmurHash3. */
static __u64 mix(__u64 a, __u64 b)
{
	a ^= b * 0x9e3779b97f4a7c15;
	a = (a ^ a >> 33) * 0xff51afd7ed558ccd;
	a = (a ^ a >> 33) * 0xc4ceb9fe1a85ec53;
	return a ^ a >> 33;
}

static void put(__u64 *what, __u64 to)
{
	__u64 place = 1 + (what - (__u64 *)blocks);

	shared_hash ^= mix(place, *what) ^ mix(place, to);
	*what = to;
}

static __u64 use_now(__u64 *what, enum access access, __u64 from, __u64 to)
{
	__u64 is = *what;

	if (access == STORE || (access != READ && is == from))
		put(what, to);
	return is;
}

static __u64 use(__u64 *what, enum access access, __u64 from, __u64 to)
{
	struct cpu *c = running;

	if (!c)
		return use_now(what, access, from, to);
	if (at < c->used)
		return c->results[at++];
	if (!may_use) {
		c->next = what;
		c->access = access;
		longjmp(before_use, 1);
	}
	may_use = false;
	assert_true(at < USES_MAX);
	c->results[at] = use_now(what, access, from, to);
	c->hash = mix(c->hash + 1, c->results[at]);
	c->used++;
	return c->results[at++];
}

static int see(const struct call *c)
{
	struct dedup_packet_numbers p = { c->number, c->now, 1 + c->more };
	struct dedup_source_key key = { .hash = 7,
					.words = DEDUP_SOURCE_WORDS,
					.id.word = { c->source } }; /* all in one bucket */

	if (c->source != HAND)
		return dedup_see(&table, &recovery, blocks, &key, &p);
	for (uint32_t pass = 0; pass <= c->more; pass++)
		for (uint32_t i = 0; i < SOURCES; i++)
			dedup_sources_pass(&table, blocks, i, 0, c->now + pass);
	return DEDUP_SEEN;
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
	memset(blocks, 0, sizeof(blocks));
	shared_hash = 0;
	recovery = (struct dedup_recovery){ .width = row->width,
					    .ring_shift = row->ring_shift,
					    .number_bits = row->width > 32 ? DEDUP_WIDTH_MAX : 32,
					    .reset_jiffies = RESET };
	table = (struct dedup_sources){ .slots = 2,
					.slot_blocks = DEDUP_SLOT_BLOCKS +
						       dedup_ring_blocks(row->ring_shift),
					.number_bits = recovery.number_bits,
					.idle_jiffies = IDLE,
					.buckets = 1,
					.sources = SOURCES };
	assert_true(dedup_sources_blocks(&table) <= ARRAY_SIZE(blocks));
	for (const struct call *c = row->before; c->now; c++)
		see(c);
	memset(cpus, 0, sizeof(cpus));
	for (int i = 0; i < row->cpus_cnt; i++)
		go_on(i, false);
}

static __u64 states[STATES]; /* hashes; 0: none */
static unsigned long states_cnt;
static __u64 races_cnt;		  /* each one's states have other hashes */
static char order[STEPS_MAX + 1]; /* of the CPUs, up to now */

/* Is the state a new one? Then it is noted. */
static bool is_new_state(void)
{
	__u64 hash = mix(shared_hash, races_cnt), i;

	for (int c = 0; c < row->cpus_cnt; c++)
		hash = mix(hash + 1, cpus[c].hash);
	hash |= !hash;
	for (i = hash; states[i % STATES]; i++)
		if (states[i % STATES] == hash)
			return false;
	states[i % STATES] = hash;
	assert_true(++states_cnt < STATES / 2);
	return true;
}

static void fail_order(const char *what)
{
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

static bool has(const struct call *c, uint32_t source, uint64_t number)
{
	return c->source == source && number >= c->number && number <= c->number + c->more;
}

static bool came_before(uint32_t source, uint64_t number)
{
	for (const struct call *c = row->before; c->now; c++)
		if (has(c, source, number))
			return true;
	return false;
}

static bool passes(uint32_t source, uint64_t number)
{
	for (int i = 0; i < row->cpus_cnt; i++)
		if (has(&row->cpus[i], source, number) && cpus[i].seen != DEDUP_SEEN)
			return true;
	return false;
}

static bool are_copies(const struct call *a, const struct call *b)
{
	return a->number == b->number && a->more == b->more && a->source == b->source;
}

/* Each number passes in some packet; of the copies of a packet no more than one passes. */
static void check_one_passes(void)
{
	for (int i = 0; i < row->cpus_cnt; i++) {
		const struct call *c = &row->cpus[i];
		int passed = 0, has_far = 0;

		for (uint64_t n = c->number; c->source != HAND && n <= c->number + c->more; n++)
			if (!came_before(c->source, n) && !passes(c->source, n))
				fail_order("a number does not pass");
		for (int j = 0; j < row->cpus_cnt; j++)
			if (are_copies(&row->cpus[j], c)) {
				passed += cpus[j].seen != DEDUP_SEEN;
				has_far += cpus[j].seen < 0;
			}
		if (passed > 1 && !(row->is_near_only && has_far))
			fail_order("two copies pass");
	}
}

static void go_on_from_here(int steps);

/* Lets the CPU make its next use, tries all that can follow, and takes the use back. */
static void try_step(int cpu, int steps)
{
	struct cpu *c = &cpus[cpu];
	__u64 was = *c->next, was_shared = shared_hash, *what = c->next, hash = c->hash;
	enum access access = c->access;

	order[steps] = (char)('a' + cpu);
	go_on(cpu, true);
	go_on_from_here(steps + 1);
	*what = was;
	shared_hash = was_shared;
	c->used--;
	c->hash = hash;
	c->next = what;
	c->access = access;
}

static bool can_go_on(const struct cpu *c)
{
	return c->next && !(c->access == LOCK && *c->next);
}

static void go_on_from_here(int steps)
{
	bool has_ended = true;

	assert_true(steps < STEPS_MAX);
	order[steps] = '\0';
	if (!is_new_state())
		return;
	for (int i = 0; i < row->cpus_cnt; i++)
		if (can_go_on(&cpus[i])) {
			try_step(i, steps);
			has_ended = false;
		}
	if (has_ended)
		check_one_passes();
}

/* Returns how many states there are. */
static unsigned long try_orders(const struct row *r)
{
	unsigned long was;

	if (states_cnt > STATES / 8) {
		memset(states, 0, sizeof(states));
		states_cnt = 0;
	}
	was = states_cnt;
	races_cnt++;
	row = r;
	start();
	go_on_from_here(0);
	return states_cnt - was;
}

static void test_orders(void **state)
{
	const struct row *r = *state;

	print_message("%s: %lu states\n", r->name, try_orders(r));
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
	uint32_t source;

	*r = (struct row){ .name = "any", .is_near_only = true };
	r->width = SHAPES[shape][0];
	r->ring_shift = SHAPES[shape][1];
	for (unsigned int i = 0; i < cnt; i++) {
		r->before[i] = (struct call){ number & mask, now, 0, !below(seed, 4) };
		number = below(seed, 4) ? number + 1 : any_number(seed, r->width);
		now += below(seed, 3) ? 0 : below(seed, RESET + 3);
	}
	r->cpus_cnt = 2;
	source = below(seed, 4) ? 0 : below(seed, 3);
	now += below(seed, 3) ? 0 : IDLE + 1;
	number = below(seed, 2) ? number + 1 : any_number(seed, r->width);
	for (int i = 0; i < r->cpus_cnt; i++) {
		r->cpus[i] = (struct call){ number & mask, now + below(seed, 2), 0, source };
		if (!below(seed, 3))
			number++;
	}
	if (!below(seed, 4))
		r->cpus[1] = (struct call){ 0, now, 0, HAND };
}

static void test_any_race(void **state)
{
	uint64_t seed = 1;
	struct row r;

	(void)state;
	for (uint64_t i = 0; i < tries(1000, 10000); i++) {
		any_race(&r, &seed);
		try_orders(&r);
	}
}

/* A source whose sender has begun anew: six far numbers came, none is near. */
#define RESTARTING                                                                 \
	{ 100, 1, 0, 0 }, { 5000, 3, 0, 0 }, { 5001, 3, 0, 0 }, { 5002, 3, 0, 0 }, \
		{ 5003, 3, 0, 0 }, { 5004, 3, 0, 0 },                              \
	{                                                                          \
		5005, 3, 0, 0                                                      \
	}

static const struct row ROWS[] = {
	{ "in-one-word", 16, 16, { { 100, 1, 0, 0 } }, { { 101, 1, 0, 0 }, { 101, 1, 0, 0 } }, 2, false },
	{ "in-one-word-of-three",
	  16,
	  16,
	  { { 100, 1, 0, 0 } },
	  { { 101, 1, 0, 0 }, { 101, 1, 0, 0 }, { 101, 1, 0, 0 } },
	  3,
	  false },
	{ "neighbours", 16, 16, { { 100, 1, 0, 0 } }, { { 101, 1, 0, 0 }, { 102, 1, 0, 0 } }, 2, false },
	{ "in-the-next-word", 16, 16, { { 100, 1, 0, 0 } }, { { 130, 1, 0, 0 }, { 130, 1, 0, 0 } }, 2, false },
	{ "two-in-the-next-word",
	  16,
	  16,
	  { { 100, 1, 0, 0 } },
	  { { 130, 1, 0, 0 }, { 131, 1, 0, 0 } },
	  2,
	  false },
	{ "a-jiffy-later", 16, 16, { { 100, 1, 0, 0 } }, { { 101, 2, 0, 0 }, { 101, 2, 0, 0 } }, 2, false },
	{ "in-two-jiffies", 16, 16, { { 100, 1, 0, 0 } }, { { 101, 2, 0, 0 }, { 101, 3, 0, 0 } }, 2, false },
	{ "at-the-lap's-edge", 16, 16, { { 65534, 1, 0, 0 } }, { { 2, 1, 0, 0 }, { 2, 1, 0, 0 } }, 2, false },
	{ "across-the-lap's-edge",
	  16,
	  16,
	  { { 65534, 1, 0, 0 } },
	  { { 2, 1, 0, 0 }, { 65535, 1, 0, 0 } },
	  2,
	  false },
	{ "lap-on-lap",
	  8,
	  8,
	  { { 10, 1, 0, 0 }, { 120, 1, 0, 0 }, { 230, 1, 0, 0 } },
	  { { 11, 1, 0, 0 }, { 11, 1, 0, 0 } },
	  2,
	  false },
	{ "after-silence", 16, 16, { { 100, 1, 0, 0 } }, { { 7, 7, 0, 0 }, { 7, 7, 0, 0 } }, 2, false },
	{ "after-silence-known",
	  16,
	  16,
	  { { 100, 1, 0, 0 } },
	  { { 100, 7, 0, 0 }, { 100, 7, 0, 0 } },
	  2,
	  false },
	{ "silence-for-one-of-two",
	  16,
	  16,
	  { { 100, 1, 0, 0 } },
	  { { 101, 6, 0, 0 }, { 101, 7, 0, 0 } },
	  2,
	  false },
	{ "silence-for-one-of-two-far",
	  40,
	  8,
	  { { 100, 1, 0, 0 } },
	  { { 5000, 6, 0, 0 }, { 5000, 7, 0, 0 } },
	  2,
	  false },
	{ "far", 40, 8, { { 100, 1, 0, 0 } }, { { 5000, 1, 0, 0 }, { 5000, 1, 0, 0 } }, 2, false },
	{ "restarted",
	  40,
	  8,
	  { RESTARTING, { 5006, 3, 0, 0 } },
	  { { 5007, 3, 0, 0 }, { 5007, 3, 0, 0 } },
	  2,
	  false },
	{ "restarted-a-copy-of-the-run",
	  40,
	  8,
	  { RESTARTING, { 5006, 3, 0, 0 } },
	  { { 5007, 3, 0, 0 }, { 5008, 3, 0, 0 }, { 5008, 3, 0, 0 } },
	  3,
	  false },
	{ "packets-of-two-words",
	  16,
	  16,
	  { { 100, 1, 0, 0 } },
	  { { 120, 1, 20, 0 }, { 120, 1, 20, 0 } },
	  2,
	  false },
	{ "packets-of-three-words",
	  40,
	  8,
	  { { 100, 1, 0, 0 } },
	  { { 120, 1, 60, 0 }, { 120, 1, 60, 0 } },
	  2,
	  false },
	{ "packets-of-two-words-and-time",
	  16,
	  16,
	  { { 100, 1, 0, 0 } },
	  { { 120, 2, 20, 0 }, { 120, 2, 20, 0 } },
	  2,
	  false },
	{ "packets-that-overlap",
	  16,
	  16,
	  { { 100, 1, 0, 0 } },
	  { { 120, 1, 20, 0 }, { 130, 1, 20, 0 } },
	  2,
	  false },
	{ "a-packet-in-another",
	  16,
	  16,
	  { { 100, 1, 0, 0 } },
	  { { 120, 1, 20, 0 }, { 130, 1, 0, 0 } },
	  2,
	  false },
	{ "packets-half-known",
	  16,
	  16,
	  { { 100, 1, 25, 0 } },
	  { { 120, 1, 20, 0 }, { 120, 1, 20, 0 } },
	  2,
	  false },
	{ "packets-that-overlap-and-a-copy",
	  16,
	  16,
	  { { 100, 1, 0, 0 } },
	  { { 120, 1, 10, 0 }, { 120, 1, 10, 0 }, { 125, 1, 10, 0 } },
	  3,
	  false },
	{ "packets-after-silence", 16, 16, { { 100, 1, 0, 0 } }, { { 8, 7, 0, 0 }, { 8, 7, 0, 0 } }, 2, false },
	{ "new-source", 16, 16, { { 100, 1, 0, 0 } }, { { 7, 1, 0, 1 }, { 7, 1, 0, 1 } }, 2, false },
	{ "new-source-of-three",
	  16,
	  8,
	  { { 100, 1, 0, 0 } },
	  { { 7, 1, 0, 1 }, { 7, 1, 0, 1 }, { 7, 1, 0, 1 } },
	  3,
	  false },
	{ "two-new-sources", 16, 16, { { 0 } }, { { 7, 1, 0, 0 }, { 7, 1, 0, 1 } }, 2, false },
	{ "first-packets-of-a-source", 16, 16, { { 0 } }, { { 7, 1, 40, 0 }, { 7, 1, 40, 0 } }, 2, false },
	{ "no-room", 16, 8, { { 1, 1, 0, 0 }, { 1, 1, 0, 1 } }, { { 7, 1, 0, 2 }, { 8, 1, 0, 2 } }, 2, true },
	{ "recycled",
	  16,
	  8,
	  { { 1, 1, 0, 0 } },
	  { { 2, 12, 0, 0 }, { 2, 12, 0, 0 }, { 0, 12, 0, HAND } },
	  3,
	  false },
	{ "recycled-and-a-new-one",
	  16,
	  8,
	  { { 1, 1, 0, 0 }, { 1, 1, 0, 1 }, { 0, 12, 0, HAND } },
	  { { 2, 15, 0, 2 }, { 2, 15, 0, 2 }, { 0, 15, 0, HAND } },
	  3,
	  true },
	{ "recycled-no-sooner",
	  16,
	  8,
	  { { 1, 1, 0, 0 }, { 1, 12, 0, 1 } },
	  { { 2, 12, 0, 0 }, { 2, 12, 0, 3 }, { 0, 12, 1, HAND } },
	  3,
	  true },
	{ "recycled-while-another-is-new",
	  16,
	  8,
	  { { 1, 1, 0, 0 }, { 1, 10, 0, 1 } },
	  { { 2, 12, 0, 0 }, { 3, 12, 0, 3 }, { 0, 12, 0, HAND } },
	  3,
	  true },
	{ "restarted-with-a-neighbour",
	  40,
	  8,
	  { RESTARTING },
	  { { 5006, 3, 0, 0 }, { 5007, 3, 0, 0 } },
	  2,
	  false },
};

int main(void)
{
	add_rows(ROWS, test_orders, NULL, NULL);
	add_test("any-race", test_any_race, NULL, NULL, NULL);
	repeat_in_rest("any-race");
	return run_added_any_tests("recovery_order");
}
