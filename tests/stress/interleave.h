/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls of several CPUs at one time, in every order in which they can read and write what they
 * share. For a test program that includes this header first, then the code of include/ that it
 * tries: what that reads and writes by READ_ONCE, WRITE_ONCE and atomic operations goes through
 * here.
 *
 * A CPU does one access at a time: its call is made again from its beginning, with the results that
 * its accesses have had, up to the next one. A state is what is shared, and these results. What can
 * follow a state is tried once, however many orders lead to it. States are told apart by a hash of
 * 64 bits.
 */
#pragma once

#include "unit.h"

#include "compiler.h"
#include "memory.h"

enum access { READ, SWAP, LOCK, OPEN, STORE, ADD, OR };

static __u64 use(__u64 *at, enum access access, __u64 from, __u64 to);

#undef READ_ONCE
#define READ_ONCE(value) use((__u64 *)&(value), READ, 0, 0)
#undef WRITE_ONCE
#define WRITE_ONCE(value, to) use((__u64 *)&(value), STORE, 0, to)
#define __sync_val_compare_and_swap(at, from, to) use((__u64 *)(at), SWAP, from, to)
#define __sync_fetch_and_add(at, value) use(at, ADD, 0, value)
#define __sync_fetch_and_or(at, value) use(at, OR, 0, value)
/* Who has to wait does nothing. */
#define dedup_lock_word(word) (!use(word, LOCK, 0, 1))
#define dedup_open_word(word, like) use(word, OPEN, 0, like)

#define CPUS_MAX 3
#define USES_MAX 1000 /* of a CPU */
#define STEPS_MAX (CPUS_MAX * USES_MAX)
#define STATES (1 << 23) /* that the table has room for */
#define BLOCKS 1024
#define STALE_MAX 64 /* values that a CPU may still read though they have been replaced */

/* The program has these. */
static int cpus_cnt;		/* that race */
static void make_call(int cpu); /* the CPU's call */
static void check_end(void);	/* all calls have ended */

/* A program with INTERLEAVE_HOOKS has these, too. In others nobody waits, and nothing is noted. */
#ifdef INTERLEAVE_HOOKS
static bool can_access(__u64 *at, enum access access); /* else it waits for another CPU */
static bool is_alone(int cpu, __u64 *at); /* no other CPU accesses this before the CPU does */
static void note_access(__u64 *at, enum access access, __u64 is, __u64 to); /* which is made now */
#else
#define can_access(at, access) true
#define is_alone(cpu, at) false
#define note_access(at, access, is, to)
#endif

/* 0: every order is tried. Else those in which a CPU that could go on is stopped for another one so
 * often at most: where all orders are too many.
 */
static int stops_max;

/* Whether reads may be early, as on arm64: a CPU may read what a word had before other CPUs'
 * writes. Only a swap that succeeds keeps later reads behind itself. No CPU reads an older value of
 * a word after a newer one. Writes are never late: other CPUs see them at once, in the CPU's order.
 */
static bool reads_early;

static struct dedup_block shared[BLOCKS]; /* what is shared */

/* What the program itself keeps of a race, by note_access(): it belongs to the state. */
#ifndef INTERLEAVE_KEPT
#define INTERLEAVE_KEPT __u64
#endif
static INTERLEAVE_KEPT kept;

/* Of each CPU: values that other CPUs have replaced, and that it may still read, oldest first. */
static struct stale {
	struct {
		__u64 *word, value;
	} list[STALE_MAX];
	int cnt;
} stale[CPUS_MAX];

static struct cpu {
	__u64 results[USES_MAX];
	int used;	    /* results there are */
	__u64 hash;	    /* of these */
	__u64 *next;	    /* what it uses next; NULL: it has ended */
	enum access access; /* how it will */
	__u64 from, to;	    /* what it will replace, and write */
} cpus[CPUS_MAX];

static __u64 shared_hash;   /* of what has changed in `shared` */
static struct cpu *running; /* NULL: what is used is used at once */
static int made;	    /* uses that it has made again */
static bool may_use;	    /* one more */
static int early;	    /* the stale value that it reads; -1: none */
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
	__u64 place = 1 + (what - (__u64 *)shared);

	shared_hash ^= mix(place, *what) ^ mix(place, to);
	*what = to;
}

/* Removes the first `cnt` values, or those of the word among them. */
static void drop_stale(struct stale *s, const __u64 *word, int cnt)
{
	int kept_cnt = 0;

	for (int i = 0; i < s->cnt; i++)
		if (i >= cnt || (word && s->list[i].word != word))
			s->list[kept_cnt++] = s->list[i];
	s->cnt = kept_cnt;
}

/* The CPU has made the access: what it, and the others, may still read. */
static void note_stale(int cpu, __u64 *what, enum access access, __u64 from, __u64 is)
{
	bool is_barrier = (access == SWAP || access == LOCK || access == OPEN) && is == from;

	drop_stale(&stale[cpu], is_barrier ? NULL : what, early < 0 ? stale[cpu].cnt : early);
	for (int i = 0; i < cpus_cnt && *what != is && early < 0; i++) {
		struct stale *s = &stale[i];

		if (i == cpu)
			continue;
		assert_true(s->cnt < STALE_MAX);
		s->list[s->cnt].word = what;
		s->list[s->cnt++].value = is;
	}
}

static __u64 use_now(__u64 *what, enum access access, __u64 from, __u64 to)
{
	__u64 is = running && early >= 0 ? stale[running - cpus].list[early].value : *what;

	if (access == ADD)
		to += is;
	if (access == OR)
		to |= is;
	if (access >= STORE || (access != READ && is == from))
		put(what, to);
	if (running && reads_early)
		note_stale((int)(running - cpus), what, access, from, is);
	note_access(what, access, is, *what);
	return is;
}

static __u64 use(__u64 *what, enum access access, __u64 from, __u64 to)
{
	struct cpu *c = running;

	if (!c)
		return use_now(what, access, from, to);
	if (made < c->used)
		return c->results[made++];
	if (!may_use) {
		c->next = what;
		c->access = access;
		c->from = from;
		c->to = to;
		longjmp(before_use, 1);
	}
	may_use = false;
	assert_true(made < USES_MAX);
	c->results[made] = use_now(what, access, from, to);
	c->hash = mix(c->hash + 1, c->results[made]);
	c->used++;
	return c->results[made++];
}

/* The number of the CPU whose access note_access() is told of; -1: it comes before the race. */
static inline int accessing_cpu(void)
{
	return running ? (int)(running - cpus) : -1;
}

/* Goes on to before the CPU's next use; with `uses`, behind the one that it is at. */
static void go_on(int i, bool uses)
{
	running = &cpus[i];
	made = 0;
	may_use = uses;
	if (!setjmp(before_use)) {
		make_call(i);
		running->next = NULL;
	}
	running = NULL;
}

static __u64 states[STATES]; /* hashes; 0: none */
static unsigned long states_cnt;
static __u64 races_cnt;		  /* each one's states have other hashes */
static char order[STEPS_MAX + 1]; /* of the CPUs, up to now */
static int stops;		  /* in that order */

static __u64 hash_of_kept(void)
{
	const uint8_t *bytes = (const uint8_t *)&kept;
	__u64 hash = 0, word;

	_Static_assert(sizeof(kept) % sizeof(word) == 0, "whole words");
	for (size_t i = 0; i < sizeof(kept); i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		hash = mix(hash + 1, word);
	}
	return hash;
}

/* Is the state a new one? Then it is noted. */
static bool is_new_state(int steps)
{
	__u64 hash = mix(mix(shared_hash, races_cnt), hash_of_kept()), i;

	if (stops_max && steps)
		hash = mix(hash, (__u64)stops << 8 | order[steps - 1]);
	for (int c = 0; c < cpus_cnt; c++)
		hash = mix(hash + 1, cpus[c].hash);
	for (int c = 0; c < cpus_cnt; c++)
		for (int n = 0; n < stale[c].cnt; n++)
			hash = mix(hash + 1, mix(stale[c].list[n].word - (__u64 *)shared,
						 stale[c].list[n].value + c));
	hash |= !hash;
	for (i = hash; states[i % STATES]; i++)
		if (states[i % STATES] == hash)
			return false;
	states[i % STATES] = hash;
	assert_true(++states_cnt < STATES / 2);
	return true;
}

static void go_on_from_here(int steps);

/* Lets the CPU make its next use, with a stale value or with -1, tries all that can follow, and
 * takes the use back.
 */
static void try_value(int cpu, int value, int steps)
{
	struct cpu *c = &cpus[cpu];
	struct stale was_stale[CPUS_MAX];
	__u64 was = *c->next, was_shared = shared_hash, *what = c->next, hash = c->hash;
	INTERLEAVE_KEPT was_kept = kept;
	enum access access = c->access;
	__u64 from = c->from, to = c->to;

	memcpy(was_stale, stale, sizeof(stale));
	order[steps] = (char)('a' + cpu);
	early = value;
	go_on(cpu, true);
	early = -1;
	go_on_from_here(steps + 1);
	*what = was;
	shared_hash = was_shared;
	kept = was_kept;
	c->used--;
	c->hash = hash;
	c->next = what;
	c->access = access;
	c->from = from;
	c->to = to;
	memcpy(stale, was_stale, sizeof(stale));
}

/* Tries the CPU's next use with each value that it can read. A swap can fail early. */
static void try_step(int cpu, int steps)
{
	const struct cpu *c = &cpus[cpu];

	try_value(cpu, -1, steps);
	for (int i = 0; i < stale[cpu].cnt; i++)
		if (stale[cpu].list[i].word == c->next &&
		    (c->access == READ || (c->access == SWAP && stale[cpu].list[i].value != c->from)))
			try_value(cpu, i, steps);
}

/* Does the CPU wait for another one? */
static bool must_wait(const struct cpu *c)
{
	if (c->access == OPEN && *c->next == c->to)
		return false;
	return ((c->access == LOCK || c->access == OPEN) && *c->next) ||
	       !can_access(c->next, c->access);
}

/* Is the CPU of the last step stopped, if this one makes the next step? */
static bool stops_another(int i, int steps)
{
	int last = steps ? order[steps - 1] - 'a' : i;

	return last != i && cpus[last].next && !must_wait(&cpus[last]);
}

static void go_on_from_here(int steps)
{
	bool has_ended = true;
	int stopped = stops;

	assert_true(steps < STEPS_MAX);
	order[steps] = '\0';
	for (int i = 0; i < cpus_cnt; i++)
		if (cpus[i].next && is_alone(i, cpus[i].next)) {
			try_step(i, steps);
			return;
		}
	if (!is_new_state(steps))
		return;
	for (int i = 0; i < cpus_cnt; i++) {
		if (!cpus[i].next || must_wait(&cpus[i]))
			continue;
		has_ended = false;
		stops = stopped + stops_another(i, steps);
		if (!stops_max || stops <= stops_max)
			try_step(i, steps);
	}
	stops = stopped;
	if (has_ended)
		check_end();
}

/* Begins a race: before() does what comes before it. */
static void begin_race(void (*before)(void))
{
	memset(shared, 0, sizeof(shared));
	memset(cpus, 0, sizeof(cpus));
	memset(stale, 0, sizeof(stale));
	early = -1;
	memset(&kept, 0, sizeof(kept));
	shared_hash = 0;
	before();
	for (int i = 0; i < cpus_cnt; i++)
		go_on(i, false);
}

/* Tries all orders. Returns how many states there are. */
static unsigned long try_race(void (*before)(void))
{
	unsigned long was;

	if (states_cnt > STATES / 8) {
		memset(states, 0, sizeof(states));
		states_cnt = 0;
	}
	was = states_cnt;
	races_cnt++;
	begin_race(before);
	go_on_from_here(0);
	return states_cnt - was;
}
