// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies of one id that are learned at the same instant: exactly one is new. */
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define IDS 200000
#define S 1000000000ULL

struct side {
	struct sim *sim;
	atomic_uint *arrived; /* both sides count here: the next id starts at once */
	uint8_t *new;	      /* of each id: was it new to this side? */
};

static void *learn_all(void *arg)
{
	struct side *side = arg;

	for (unsigned int i = 0; i < IDS; i++) {
		uint64_t seed = i, id[4] = { random_next(&seed), random_next(&seed), 1, 2 };

		atomic_fetch_add(side->arrived, 1);
		while (atomic_load(side->arrived) < 2 * (i + 1))
			;
		side->new[i] = sim_learn(side->sim, id) == 1;
	}
	return NULL;
}

static void race(double fpr)
{
	struct options o = sim_options(4 * IDS, fpr, 600 * S);
	unsigned int both = 0, neither = 0;
	atomic_uint arrived = 0;
	struct side sides[2];
	pthread_t threads[2];
	struct sim s;

	sim_start(&s, &o, 11);
	for (int t = 0; t < 2; t++) {
		sides[t] = (struct side){ &s, &arrived, calloc(IDS, 1) };
		assert_int_equal(pthread_create(&threads[t], NULL, learn_all, &sides[t]), 0);
	}
	for (int t = 0; t < 2; t++)
		pthread_join(threads[t], NULL);
	for (int i = 0; i < IDS; i++) {
		both += sides[0].new[i] && sides[1].new[i];
		neither += !sides[0].new[i] && !sides[1].new[i];
	}
	assert_int_equal(both, 0);
	/* False positives: at a quarter of the capacity hardly any. */
	assert_true(neither <= IDS * fpr / 10 + 3);
	for (int t = 0; t < 2; t++)
		free(sides[t].new);
	sim_stop(&s);
}

static void one_of_two_is_new_w1(void **state)
{
	(void)state;
	race(0.05);
}

static void one_of_two_is_new_w2(void **state)
{
	(void)state;
	race(1e-4);
}

static void one_of_two_is_new_w4(void **state)
{
	(void)state;
	race(1e-6);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_of_two_is_new_w1),
		cmocka_unit_test(one_of_two_is_new_w2),
		cmocka_unit_test(one_of_two_is_new_w4),
	};

	return run_any_tests("claim", tests, ARRAY_SIZE(tests));
}
