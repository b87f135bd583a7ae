// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies of one id that are learned at one instant: exactly one is new. Ids that are learned beside
 * others: hardly any is lost. Filters that two FIPS
 * peers announce at one instant: no more is learned than there is room for.
 */
#include "support.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "block.h"
#include "fips_fixture.h"
#include "fips_live.h"
#include "sim.h"

#define IDS 200000
#define ROUNDS tries(500, 2500)
#define CROWD_SECONDS tries(1, 5)
#define REST_SPINS 1000
#define SPINS 500 /* then somebody else may have the processor */
#define S 1000000000ULL

struct side {
	struct sim *sim;
	atomic_uint *arrived; /* both sides count here: the next id starts at once */
	uint8_t *new;	      /* of each id: was it new to this side? */
	int number;	      /* of this side: 0 or 1 */
	unsigned int ids;
};

/* Waits for the other side, for the n-th time. */
static void meet(const struct side *side, unsigned int n)
{
	atomic_fetch_add(side->arrived, 1);
	for (int spins = 0; atomic_load(side->arrived) < 2 * n; spins++)
		if (spins > SPINS)
			sched_yield();
}

static void *learn_all(void *arg)
{
	struct side *side = arg;

	for (unsigned int i = 0; i < side->ids; i++) {
		uint64_t seed = i, id[4] = { random_next(&seed), random_next(&seed), 1, 2 };

		meet(side, i + 1);
		side->new[i] = !sim_learn(side->sim, id);
	}
	return NULL;
}

/* Both sides do this; of how many ids it was both that won, or neither. */
static void race(struct sim *s, void *(*run)(void *side), unsigned int ids, unsigned int *both,
		 unsigned int *neither)
{
	atomic_uint arrived = 0;
	struct side sides[2];
	pthread_t threads[2];

	for (int t = 0; t < 2; t++) {
		sides[t] = (struct side){ s, &arrived, calloc(ids, 1), t, ids };
		assert_int_equal(pthread_create(&threads[t], NULL, run, &sides[t]), 0);
	}
	for (int t = 0; t < 2; t++)
		pthread_join(threads[t], NULL);
	for (unsigned int i = 0; i < ids; i++) {
		*both += sides[0].new[i] && sides[1].new[i];
		*neither += !sides[0].new[i] && !sides[1].new[i];
	}
	for (int t = 0; t < 2; t++)
		free(sides[t].new);
}

static void learn_race(double fpr)
{
	struct filter_spec spec = sim_spec(4 * IDS, fpr, 600 * S);
	unsigned int both = 0, neither = 0;
	struct sim s;

	sim_start(&s, &spec, 11);
	race(&s, learn_all, IDS, &both, &neither);
	assert_int_equal(both, 0);
	/* False positives: at a quarter of the capacity hardly any. */
	assert_true(neither <= IDS * fpr / 10 + 3);
	sim_stop(&s);
}

TEST(one_of_two_is_new_w1)
{
	learn_race(0.05);
}

TEST(one_of_two_is_new_w2)
{
	learn_race(1e-4);
}

TEST(one_of_two_is_new_w4)
{
	learn_race(1e-6);
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
static void make_room(struct sim *s)
{
	memset(s->filter.blocks, 0, s->config.memory.blocks * sizeof(struct dedup_block));
	s->state.limit = s->state.learned + 3;
}

static void *absorb_all(void *arg)
{
	struct side *side = arg;
	struct fips_filter f = filter_with(side->number, side->number + 1);

	for (unsigned int i = 0; i < side->ids; i++) {
		meet(side, 2 * i + 1);
		if (side->number)
			make_room(side->sim);
		meet(side, 2 * i + 2);
		side->new[i] = !fips_live_absorb(&side->sim->filter, &f, 1);
	}
	return NULL;
}

TEST(one_of_two_peers_finds_room)
{
	struct filter_spec spec = sim_spec(100, 0.5, 600 * S);
	unsigned int both = 0, neither = 0;
	struct sim s;

	spec.layout = DEDUP_FLAT;
	spec.hash = DEDUP_FIPS;
	spec.bits = 64;
	sim_start(&s, &spec, 12);
	race(&s, absorb_all, ROUNDS, &both, &neither);
	assert_int_equal(both, 0);
	assert_int_equal(neither, 0);
	sim_stop(&s);
}

int main(void)
{
	add_own_tests(NULL, NULL);
	return run_added_any_tests("claim");
}
