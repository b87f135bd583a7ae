// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What status reads from the bits. */
#include "support.h"

#include <math.h>
#include <string.h>

#include "hand.h"
#include "sim.h"
#include "stats.h"

#define S 1000000000ULL

static void learn_many(struct sim *s, uint64_t n, uint64_t *seed)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t id[4] = { random_next(seed), random_next(seed), 0, 1 };

		sim_learn(s, id);
	}
}

static void empty_is_empty(void **state)
{
	struct options o = sim_options(1000, 1e-3, S);
	struct sim s;
	struct fill f;

	(void)state;
	sim_start(&s, &o, 1);
	f = stats_fill(&s.config, s.filter.blocks, 0);
	assert_true(f.current == 0 && f.previous == 0 && f.ids == 0 && f.fpr == 0);
	sim_stop(&s);
}

static void full_is_full(void **state)
{
	struct options o = sim_options(1000, 1e-3, S);
	struct sim s;
	struct fill f;

	(void)state;
	sim_start(&s, &o, 1);
	memset(s.filter.blocks, 0xff, s.config.blocks * sizeof(struct dedup_block));
	f = stats_fill(&s.config, s.filter.blocks, 0);
	assert_true(f.current == 1 && f.previous == 1 && fabs(f.fpr - 1) < 1e-12);
	assert_true(isfinite(f.ids) && f.ids > 1000);
	sim_stop(&s);
}

/* The estimate follows the ids, at every geometry and wherever the hand is. */
static void ids_are_estimated(void **state)
{
	static const double RATES[] = { 0.1, 1e-2, 1e-4, 1e-6 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(RATES); i++) {
		struct options o = sim_options(50000, RATES[i], S);
		uint64_t seed = i;
		struct sim s;
		struct fill f;

		sim_start(&s, &o, 3);
		learn_many(&s, 20000, &seed);
		sim_run_until(&s, s.now_ns + S / 3);
		learn_many(&s, 25000, &seed);
		f = stats_fill(&s.config, s.filter.blocks, s.state.hand);
		assert_true(fabs(f.ids / 45000 - 1) < (RATES[i] > 0.05 ? 0.10 : 0.03));
		assert_true(f.current > f.previous && f.previous > 0);
		sim_stop(&s);
	}
}

/* The rate is the blocks' own: ids that all fell into one half of the filter count
 * for that half only. A fresh id tried shows the same.
 */
static void rate_follows_the_bits(void **state)
{
	struct options o = sim_options(50000, 1e-2, S);
	uint64_t seed = 9, known = 0;
	struct fill even, uneven;
	struct sim s;

	(void)state;
	sim_start(&s, &o, 4);
	learn_many(&s, 50000, &seed);
	even = stats_fill(&s.config, s.filter.blocks, s.state.hand);
	memset(s.filter.blocks, 0, s.config.blocks / 2 * sizeof(struct dedup_block));
	uneven = stats_fill(&s.config, s.filter.blocks, s.state.hand);
	assert_true(fabs(uneven.fpr / even.fpr - 0.5) < 0.05);
	assert_true(fabs(uneven.ids / even.ids - 0.5) < 0.05);
	for (int i = 0; i < 1000000; i++) {
		uint64_t id[4] = { random_next(&seed), 0, 0, 2 };

		known += sim_knows(&s, id);
	}
	assert_true(fabs(known / 1e6 / uneven.fpr - 1) < 0.1);
	sim_stop(&s);
}

/* Also the last segment, which is shorter than the others. */
static void last_block_counts(void **state)
{
	struct options o = sim_options(100000, 1e-2, S);
	struct sim s;
	struct fill f;

	(void)state;
	sim_start(&s, &o, 7);
	if (s.config.blocks % s.config.segment_places == 0)
		s.config.blocks--;
	memset(s.filter.blocks[s.config.blocks - 1].half[0], 0xff, 32);
	f = stats_fill(&s.config, s.filter.blocks, 0);
	assert_true(f.current > 0 && f.ids > 0 && f.fpr > 0);
	sim_stop(&s);
}

/* A step may end within a segment: the age is the next one's, round the corner too. */
static void oldest_within_a_segment(void **state)
{
	struct options o = sim_options(100000, 1e-2, S);
	struct sim s;

	(void)state;
	sim_start(&s, &o, 8);
	s.state.started_ns = 1;
	for (int i = 0; i < 2 * DEDUP_MARKS; i++)
		s.state.marks[i].at_ns = 1000 + i;
	s.config.segment_places = 5;
	s.config.blocks = s.config.places = 53;
	s.state.hand = 4ULL << 32 | 6;
	assert_int_equal(stats_oldest_ns(&s.config, &s.state, 9000), 9000 - 1002);
	s.state.hand = 4ULL << 32 | 51;
	assert_int_equal(stats_oldest_ns(&s.config, &s.state, 9000), 9000 - 1000 - DEDUP_MARKS);
	sim_stop(&s);
}

static void oldest_is_one_to_two_turns(void **state)
{
	struct options o = sim_options(1000, 1e-3, S);
	struct sim s;
	uint64_t start;

	(void)state;
	sim_start(&s, &o, 5);
	start = s.now_ns;
	sim_run_until(&s, start + S / 2);
	assert_true(llabs((int64_t)(stats_oldest_ns(&s.config, &s.state, s.now_ns) - S / 2)) <
		    (int64_t)S / 100);
	sim_run_until(&s, start + 4 * S + S / 3);
	assert_true(fabs(stats_oldest_ns(&s.config, &s.state, s.now_ns) / (2.0 * s.config.window_ns) -
			 1) < 0.01);
	/* Asked to turn at once, nothing old is left. */
	sim_pass(&s, 2ULL * s.config.blocks);
	assert_true(stats_oldest_ns(&s.config, &s.state, s.now_ns) <= S / 10);
	sim_stop(&s);
}

static void stopped_hand_is_seen(void **state)
{
	struct options o = sim_options(1000, 1e-3, S);
	struct sim s;

	(void)state;
	sim_start(&s, &o, 6);
	sim_run_until(&s, s.now_ns + S);
	assert_false(stats_stopped(&s.config, &s.state, s.now_ns));
	assert_false(stats_stopped(&s.config, &s.state, s.state.last_ns + s.config.stale_ns));
	assert_true(stats_stopped(&s.config, &s.state, s.state.last_ns + s.config.stale_ns + 1));
	sim_stop(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_is_empty),
		cmocka_unit_test(full_is_full),
		cmocka_unit_test(ids_are_estimated),
		cmocka_unit_test(rate_follows_the_bits),
		cmocka_unit_test(last_block_counts),
		cmocka_unit_test(oldest_within_a_segment),
		cmocka_unit_test(oldest_is_one_to_two_turns),
		cmocka_unit_test(stopped_hand_is_seen),
	};

	return run_any_tests("stats", tests, ARRAY_SIZE(tests));
}
