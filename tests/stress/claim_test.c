// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies of one id that are learned at one instant: exactly one is new. Filters that two FIPS
 * peers announce at one instant: no more is learned than there is room for.
 */
#include "support.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fips_fixture.h"
#include "fips_live.h"
#include "sim.h"

#define IDS 200000
#define ROUNDS tries(500, 2500)
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

static void one_of_two_is_new_w1(void **state)
{
	(void)state;
	learn_race(0.05);
}

static void one_of_two_is_new_w2(void **state)
{
	(void)state;
	learn_race(1e-4);
}

static void one_of_two_is_new_w4(void **state)
{
	(void)state;
	learn_race(1e-6);
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

static void one_of_two_peers_finds_room(void **state)
{
	struct filter_spec spec = sim_spec(100, 0.5, 600 * S);
	unsigned int both = 0, neither = 0;
	struct sim s;

	(void)state;
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
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_of_two_is_new_w1),
		cmocka_unit_test(one_of_two_is_new_w2),
		cmocka_unit_test(one_of_two_is_new_w4),
		cmocka_unit_test(one_of_two_peers_finds_room),
	};

	repeat_in_rest("one_of_two_peers_finds_room");
	return run_any_tests("claim", tests, ARRAY_SIZE(tests));
}
