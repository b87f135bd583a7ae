// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies of one id that the packet program and the library, or two threads of the library,
 * meet at the same instant: exactly one is told that it is new. Ids that are learned beside others:
 * hardly any is lost. Filters that two FIPS peers announce at one instant: no more is learned than
 * there is room for.
 */
#include "layout_runner.h"

#include <pthread.h>
#include <stdatomic.h>

#include "age.h"
#include "block.h"
#include "fips_fixture.h"
#include "fips_live.h"
#include "ids.h"
#include "kernel.h"
#include "pair.h"
#include "sim.h"

#define IDS 100000	      /* in each test; fewer where others have the processors */
#define RACE_NS 3000000000ULL /* a try, at most */
#define TRIES 5
#define ROUNDS tries(500, 2500) /* fewer where others have the CPUs */
#define CROWD_SECONDS tries(1, 5)
#define REST_SPINS 1000
#define S 1000000000ULL

/* Both sides have a copy of each id. */
struct race {
	bool kernel; /* side 0's copy is a packet */
	uint64_t seed;
};

static void empty(void *arg, uint32_t item)
{
	struct dedup_state *st = fixture.filter.state;

	(void)arg;
	(void)item;
	memset(fixture.filter.blocks, 0,
	       dedup_blocks(fixture.filter.config) * sizeof(struct dedup_block));
	dedup_ties_clear(fixture.filter.state->ties);
	__sync_fetch_and_add(&st->known_version, 1);
}

/* A packet's way to the filter takes longer than a call's: by how much, varies. */
static void linger(uint64_t *seed)
{
	for (volatile uint64_t n = random_next(seed) % 8192; n; n--)
		;
}

static struct id nth_id(uint64_t n)
{
	uint64_t words[GSP_ID_BYTES / 8];
	struct id id;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = random_next(&n);
	memcpy(&id, words, sizeof(id));
	return id;
}

/* Is it new to this side? */
static bool learn(void *arg, int side, uint32_t i)
{
	struct race *r = arg;
	struct id id = nth_id(i);

	if (r->kernel && !side)
		return !layout_run_packet(&id);
	if (r->kernel)
		linger(&r->seed);
	return !ids_see(&fixture.filter, id.bytes);
}

/* No id may be new to both sides, or to neither. `clear`: each id meets an empty filter. Adds to
 * won how many were new to each.
 */
static void race_one(const struct layout_parameters *s, uint32_t ids, bool kernel, bool clear,
		     uint32_t won[2])
{
	struct dedup_config cfg = layout_run_still_config(s);
	struct race r = { .kernel = kernel };

	fixture_load(&cfg);
	pair_one_wins(&(struct pair){ .try = learn,
				      .after = clear ? empty : NULL,
				      .arg = &r,
				      .items = ids,
				      .ns = RACE_NS / IDS * ids },
		      won);
	fixture_unload(NULL);
}

/* Divides the ids among all rows of parameters. Over all rows, each side must have been first at
 * times: on a busy machine one side may be late for all of the few ids of one row.
 */
static void race(const struct layout_parameters *parameters, size_t cnt, bool kernel, bool clear)
{
	uint32_t won[2] = { 0 };

	for (int try = 0; try < TRIES && !(won[0] && won[1]); try++)
		for (size_t i = 0; i < cnt; i++)
			race_one(&parameters[i], IDS / cnt, kernel, clear, won);
	assert_true(won[0] > 0);
	assert_true(won[1] > 0);
}

/* Large, so that hardly anything seems to be known; k large, so that learning takes long. */
static const struct layout_parameters FLAT = {
	.layout = DEDUP_FLAT, .hash = DEDUP_FAST, .m = 1 << 27, .k = 16
};
static const struct layout_parameters COUNTDOWN = {
	.layout = DEDUP_COUNTDOWN, .hash = DEDUP_FAST, .index_bits = 23, .k = 16
};

TEST(flat_packet_and_call)
{
	race(&FLAT, 1, true, false);
}

TEST(flat_two_calls)
{
	race(&FLAT, 1, false, false);
}

TEST(countdown_packet_and_call)
{
	race(&COUNTDOWN, 1, true, false);
}

TEST(countdown_two_calls)
{
	race(&COUNTDOWN, 1, false, false);
}

/* An id's places coincide with each other. Of layout blocked, each number of words. */
static const struct layout_parameters TINY[] = {
	{ .layout = DEDUP_BLOCKED, .blocks = 7, .words = 1, .bits = 4 },
	{ .layout = DEDUP_BLOCKED, .blocks = 7, .words = 2, .bits = 3 },
	{ .layout = DEDUP_BLOCKED, .blocks = 7, .words = 4, .bits = 3 },
	{ .layout = DEDUP_FLAT, .hash = DEDUP_FAST, .m = 1, .k = 1 },
	{ .layout = DEDUP_FLAT, .hash = DEDUP_FAST, .m = 3, .k = 5 },
	{ .layout = DEDUP_FLAT, .hash = DEDUP_COLIBRI, .m = 40, .k = 16 },
	{ .layout = DEDUP_COUNTDOWN, .hash = DEDUP_FAST, .index_bits = 1, .k = 3 },
	{ .layout = DEDUP_COUNTDOWN, .hash = DEDUP_FAST, .index_bits = 5, .k = 32 },
	{ .layout = DEDUP_COUNTDOWN, .hash = DEDUP_TEZOS, .index_bits = 5, .k = 16 },
};

TEST(places_that_coincide_packet_and_call)
{
	race(TINY, ARRAY_SIZE(TINY), true, true);
}

TEST(places_that_coincide_two_calls)
{
	race(TINY, ARRAY_SIZE(TINY), false, true);
}

/* A packet finds an id known, or teaches it, and is about to remember that, while the application
 * takes the id out: from then on both give one answer for the id.
 */
#define REMOVALS 20000

struct removals {
	uint64_t seed;
	uint32_t unlike; /* answers */
};

static void learn_some(void *arg, uint32_t i)
{
	struct id id = nth_id(i), other = nth_id(i + REMOVALS);

	(void)arg;
	if (i % 2 == 0)
		return;
	layout_run_packet(&id);
	layout_run_packet(&other); /* takes the only place for a whole id */
}

static bool send_or_remove(void *arg, int side, uint32_t i)
{
	struct removals *r = arg;
	struct id id = nth_id(i);

	if (!side)
		return layout_run_packet(&id);
	linger(&r->seed);
	return ids_remove(&fixture.filter, id.bytes);
}

static void compare_answers(void *arg, uint32_t i)
{
	struct removals *r = arg;
	struct id id = nth_id(i);

	r->unlike += layout_run_ask(&id) != ids_test(&fixture.filter, id.bytes);
}

TEST(a_removal_is_not_undone)
{
	struct dedup_config cfg = layout_run_still_config(&(struct layout_parameters){
		.layout = DEDUP_COUNTDOWN, .hash = DEDUP_FIPS, .index_bits = 23, .k = 16 });
	struct removals r = { .seed = 1 };

	cfg.memory.known_cnt = 1;
	fixture_load(&cfg);
	pair_run(&(struct pair){ .before = learn_some,
				 .try = send_or_remove,
				 .after = compare_answers,
				 .arg = &r,
				 .items = REMOVALS,
				 .ns = RACE_NS / IDS * REMOVALS });
	assert_int_equal(r.unlike, 0);
}

/* The hand sweeps a block, again and again, whose cells are set meanwhile. */
struct sweeper {
	atomic_bool stop;
	struct dedup_config cfg;
	struct dedup_block blocks[4];
};

static void *sweep_on(void *arg)
{
	struct sweeper *s = arg;

	pin_to_cpu(0);
	for (uint32_t i = 0; !atomic_load(&s->stop); i++)
		dedup_age(s->blocks, &s->cfg, 0, i);
	return NULL;
}

TEST(the_sweep_overwrites_nobody)
{
	static struct sweeper s = {
		.cfg = { .memory.layout = DEDUP_COUNTDOWN, .memory.blocks = 4, .memory.places = 15 }
	};
	uint32_t cells = 4 * DEDUP_BLOCK_CELLS, lost = 0;
	uint64_t end_ns = kernel_now_ns() + RACE_NS;
	const struct dedup_claims no_claims = { 0 };
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, sweep_on, &s), 0);
	pin_to_cpu(1);
	for (uint32_t i = 0; i % 1024 || (i < 2000000 && kernel_now_ns() < end_ns); i++) {
		struct dedup_positions p = { .index = { i % cells } };

		/* Expired for long: the sweep would put it right. */
		*(volatile __u32 *)dedup_cell(s.blocks, i % cells) = -100 - i % 1000;
		dedup_countdown_learn(s.blocks, 15, &no_claims, &p, 1, false);
		for (int n = 0; n < 20; n++)
			lost += dedup_countdown_left(s.blocks, 0, 15, &p, 1) != 15;
	}
	atomic_store(&s.stop, true);
	pthread_join(thread, NULL);
	assert_int_equal(lost, 0);
}

/* One of two that learn different ids in one half of a block, and empty it after `ids` of their own. */
struct neighbour {
	struct dedup_block *block;
	atomic_bool *stop;
	uint64_t seed, learned, lost;
	uint32_t words, bits, ids;
};

static void *learn_in_one_block(void *arg)
{
	struct neighbour *n = arg;

	while (!atomic_load_explicit(n->stop, memory_order_relaxed)) {
		struct dedup_probe p;

		dedup_probe(&p, random_next(&n->seed), 1, n->words, n->bits);
		if (!dedup_block_holds(n->block, &p, n->words)) {
			n->lost += !dedup_half_learn(n->block->half[0], &p, n->words);
			n->learned++;
		}
		if (n->learned % n->ids == 0)
			dedup_clear(n->block->half[0], DEDUP_HALF_WORDS);
		/* Else the CPUs would wait for the block most of the time, as in no filter. */
		for (volatile int i = 0; i < REST_SPINS; i++)
			;
	}
	return NULL;
}

/* Words, bits and ids a half, as a filter for this rate has them at full load. */
static const struct crowd {
	double fpr;
	uint32_t words, bits, ids;
} CROWDS[] = { { 1e-6, 4, 3, 3 }, { 1e-9, 4, 4, 2 } };

static void try_crowd(const struct crowd *crowd)
{
	static struct dedup_block block;
	atomic_bool stop = false;
	struct neighbour sides[2];
	pthread_t threads[2];
	double learned, lost, part, a_second;

	for (int t = 0; t < 2; t++) {
		sides[t] = (struct neighbour){
			.block = &block,
			.stop = &stop,
			.seed = t,
			.words = crowd->words,
			.bits = crowd->bits,
			.ids = crowd->ids,
		};
		assert_int_equal(pthread_create(&threads[t], NULL, learn_in_one_block, &sides[t]), 0);
	}
	sleep(CROWD_SECONDS);
	atomic_store(&stop, true);
	for (int t = 0; t < 2; t++)
		pthread_join(threads[t], NULL);
	learned = (double)sides[0].learned + (double)sides[1].learned;
	lost = (double)sides[0].lost + (double)sides[1].lost;
	part = lost / learned;
	a_second = learned / 2 / CROWD_SECONDS;
	print_message("of %.3g ids %.0f were lost beside %.3g others a second; beside the %u a second of "
		      "--window 10ms: %.2g %% of --fpr %g\n",
		      learned, lost, a_second, crowd->ids * 100,
		      100 * part / a_second * crowd->ids * 100 / crowd->fpr, crowd->fpr);
	assert_true(learned > 0);
	assert_true(part < 1e-4);
}

/* Another id that takes all bits of a claim at that instant makes a fresh one seem to be known. */
TEST(other_ids_take_few_claims)
{
	for (size_t i = 0; i < ARRAY_SIZE(CROWDS); i++)
		try_crowd(&CROWDS[i]);
}

/* Empties the filter, and leaves room for what one side says: an item takes two ids. */
static void make_room(void *arg, uint32_t item)
{
	struct sim *s = arg;

	(void)item;
	memset(s->filter.blocks, 0, s->config.memory.blocks * sizeof(struct dedup_block));
	s->state.limit = s->state.learned + 3;
}

static bool absorb(void *arg, int side, uint32_t item)
{
	struct fips_filter f = filter_with(side, side + 1);
	struct sim *s = arg;

	(void)item;
	return !fips_live_absorb(&s->filter, &f, 1);
}

TEST(one_of_two_peers_finds_room)
{
	struct filter_spec spec = sim_spec(100, 0.5, 600 * S);
	uint32_t won[2] = { 0 };
	struct sim s;
	const struct pair pair = {
		.try = absorb, .after = make_room, .arg = &s, .items = ROUNDS, .ns = RACE_NS
	};

	spec.layout = DEDUP_FLAT;
	spec.hash = DEDUP_FIPS;
	spec.bits = 64;
	sim_start(&s, &spec, 12);
	make_room(&s, 0);
	pair_one_wins(&pair, won);
	sim_stop(&s);
}

int main(void)
{
	add_own_tests(NULL, fixture_unload);
	return run_added_tests("race");
}
