// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ids that are learned beside others: hardly any is lost. Filters that two FIPS peers announce at
 * one instant: no more is learned than there is room for.
 */

#include <pthread.h>
#include <stdatomic.h>

#include "block.h"
#include "fips_fixture.h"
#include "fips_live.h"
#include "pair.h"
#include "sim.h"

#define ROUNDS tries(500, 2500) /* fewer where others have the CPUs */
#define RACE_NS (3 * S)
#define CROWD_SECONDS tries(1, 5)
#define REST_SPINS 1000
#define S 1000000000ULL

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
	add_own_tests(NULL, NULL);
	return run_added_any_tests("claim");
}
