// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The hand on a clock of the test's own: the window's promise, and the rate's. */
#include "support.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hand.h"
#include "plan.h"
#include "sim.h"

#define MS 1000000ULL
#define S (1000 * MS)

static void fresh_id(uint64_t id[4], uint64_t *seed)
{
	for (int i = 0; i < 4; i++)
		id[i] = random_next(seed);
}

/* When and after how many ids each block was last passed. */
struct passes {
	uint64_t *at_ns, *learned;
	uint64_t shortest_ns, longest_ns, most_learned;
};

static void note_pass(struct sim *s, uint32_t b, void *arg)
{
	struct passes *p = arg;

	if (p->at_ns[b]) {
		uint64_t ns = s->now_ns - p->at_ns[b], ids = s->state.learned - p->learned[b];

		if (ns < p->shortest_ns)
			p->shortest_ns = ns;
		if (ns > p->longest_ns)
			p->longest_ns = ns;
		if (ids > p->most_learned)
			p->most_learned = ids;
	}
	p->at_ns[b] = s->now_ns;
	p->learned[b] = s->state.learned;
}

static void passes_start(struct passes *p, struct sim *s)
{
	*p = (struct passes){
		.at_ns = calloc(s->config.blocks, 8),
		.learned = calloc(s->config.blocks, 8),
		.shortest_ns = UINT64_MAX,
	};
	s->on_pass = note_pass;
	s->arg = p;
}

static void passes_stop(struct passes *p)
{
	free(p->at_ns);
	free(p->learned);
}

/* Filters from one block on, around the number of marks, and many. */
static const struct {
	uint64_t capacity, window_ns;
} SIZES[] = {
	{ 1, S },	 { 10, S },   { 100, 100 * MS }, { 1000, S },	    { 2300, 10 * S },
	{ 2400, 2 * S }, { 5000, S }, { 100000, S },	 { 300000, 5 * S },
};

/* However late the steps come: never twice within W; and not much later than that
 * when they come on time.
 */
static void window_is_kept(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(SIZES); i++) {
		struct options o = sim_options(SIZES[i].capacity, 1e-3, SIZES[i].window_ns);

		for (int late = 0; late < 3; late++) {
			uint64_t seed = i, end;
			struct passes p;
			struct sim s;

			sim_start(&s, &o, 1);
			passes_start(&p, &s);
			end = s.now_ns + 4 * o.window_ns;
			while (s.now_ns < end) {
				uint64_t next = sim_step(&s);

				if (late == 1 && random_next(&seed) % 4 == 0)
					next += random_next(&seed) % (8 * next);
				if (late == 2 && random_next(&seed) % 100 == 0)
					next += random_next(&seed) % o.window_ns;
				s.now_ns += next;
			}
			assert_true(p.shortest_ns >= o.window_ns);
			if (!late)
				assert_true(p.longest_ns <= s.config.turn_ns + 2 * s.config.tick_ns);
			assert_int_equal(s.state.early, 0);
			passes_stop(&p);
			sim_stop(&s);
		}
	}
}

/* Steps that always come late slow the hand down; they do not stop it. */
static void late_steps_still_move(void **state)
{
	struct options o = sim_options(1000, 1e-3, S);
	struct sim s;
	uint64_t end;

	(void)state;
	sim_start(&s, &o, 1);
	for (end = s.now_ns + 10 * S; s.now_ns < end; s.now_ns += 4 * sim_step(&s))
		;
	/* Half the clock is taken in: half of ten turns. */
	assert_in_range(s.passed, 4ULL * s.config.blocks, 5ULL * s.config.blocks);
	sim_stop(&s);
}

/* An id is known for at least W and at most 2 W (and what a turn is longer than W). */
static void ids_live_one_to_two_windows(void **state)
{
	struct options o = sim_options(10000, 1e-6, S);
	uint64_t ids[64][4], learned_ns[64], seed = 7;
	struct sim s;

	(void)state;
	sim_start(&s, &o, 2);
	for (int i = 0; i < 64; i++) {
		sim_run_until(&s, s.now_ns + random_next(&seed) % (S / 32));
		fresh_id(ids[i], &seed);
		assert_int_equal(sim_learn(&s, ids[i]), 1);
		learned_ns[i] = s.now_ns;
	}
	for (uint64_t end = s.now_ns + 3 * S; s.now_ns < end;) {
		s.now_ns += sim_step(&s);
		for (int i = 0; i < 64; i++) {
			uint64_t age = s.now_ns - learned_ns[i];

			if (age < S)
				assert_true(sim_knows(&s, ids[i]));
			if (age > 2 * (s.config.turn_ns + 2 * s.config.tick_ns))
				assert_false(sim_knows(&s, ids[i]));
		}
	}
	sim_stop(&s);
}

/* Within capacity, evenly or in one burst a turn, nothing ages early and everything
 * is learned.
 */
static void capacity_is_enough(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(SIZES); i++) {
		for (int bursts = 0; bursts < 2; bursts++) {
			struct options o = sim_options(SIZES[i].capacity, 1e-9, SIZES[i].window_ns);
			uint64_t seed = i, start, burst_ns, done = 0, id[4];
			struct sim s;

			if (o.capacity > 100000)
				continue; /* a matter of time */
			sim_start(&s, &o, 3);
			burst_ns = s.config.turn_ns + 2 * s.config.tick_ns;
			start = s.now_ns;
			while (s.now_ns < start + 5 * o.window_ns) {
				uint64_t ns = s.now_ns - start;
				uint64_t turns = ns / burst_ns + 1;
				uint64_t due = bursts ? o.capacity * turns
						      : o.capacity * (double)ns / o.window_ns;

				for (; done < due; done++) {
					fresh_id(id, &seed);
					assert_int_equal(sim_learn(&s, id), 1);
				}
				s.now_ns += sim_step(&s);
			}
			assert_int_equal(s.state.early, 0);
			assert_true(done >= 4 * o.capacity);
			sim_stop(&s);
		}
	}
}

/* Whatever comes, no block sees more ids between two passes than it was sized for. */
static void overload_keeps_the_bound(void **state)
{
	static const double LOADS[] = { 1.5, 10, 1000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(SIZES); i++) {
		for (size_t l = 0; l < ARRAY_SIZE(LOADS); l++) {
			struct options o = sim_options(SIZES[i].capacity, 1e-2, SIZES[i].window_ns);
			uint64_t seed = i, unlearned = 0;
			struct passes p;
			struct sim s;

			sim_start(&s, &o, 4);
			passes_start(&p, &s);
			for (int step = 0; step < 3000; step++) {
				uint64_t next = sim_step(&s);
				double ids = LOADS[l] * o.capacity * next / o.window_ns;
				uint64_t n = llround(ids * (random_next(&seed) % 2048) / 1024);
				uint64_t room = s.state.limit - s.state.learned;

				/* As a packet does: up to the limit, and no further. */
				s.state.learned += n < room ? n : room;
				unlearned += n < room ? 0 : n - room;
				s.now_ns += next;
			}
			assert_true(p.most_learned <= plan_ids(&s.config, SIM_CPUS));
			if (LOADS[l] == 10 && o.capacity > 10) {
				assert_true(s.state.early > 0);
				assert_true(p.shortest_ns < o.window_ns);
				assert_true(unlearned < s.state.learned / 10);
			}
			passes_stop(&p);
			sim_stop(&s);
		}
	}
}

/* Beyond the limit nothing is learned; what is known stays known. */
static void full_window_learns_nothing(void **state)
{
	struct options o = sim_options(1000, 1e-6, 60 * S);
	uint64_t first[4], id[4], seed = 5;
	struct sim s;
	int n = 0;

	(void)state;
	sim_start(&s, &o, 5);
	fresh_id(first, &seed);
	assert_int_equal(sim_learn(&s, first), 1);
	do {
		fresh_id(id, &seed);
		n++;
	} while (sim_learn(&s, id) == 1);
	assert_int_equal(sim_learn(&s, id), -ENOSPC);
	assert_in_range(n, o.capacity, plan_ids(&s.config, SIM_CPUS));
	assert_false(sim_knows(&s, id));
	assert_true(sim_knows(&s, first));
	assert_int_equal(sim_learn(&s, first), 0);

	/* One step of the hand makes room. */
	sim_step(&s);
	assert_true(s.state.early > 0);
	assert_int_equal(sim_learn(&s, id), 1);
	sim_stop(&s);
}

/* `rotate` is exactly one turn, beside what the clock asks for. */
static void asked_turns_are_served(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(SIZES); i++) {
		struct options o = sim_options(SIZES[i].capacity, 1e-3, 3600 * S);
		uint64_t id[4] = { 1, 2, 3, 4 };
		struct sim s;

		sim_start(&s, &o, 6);
		sim_learn(&s, id);
		for (int turn = 1; turn <= 2; turn++) {
			s.state.asked += s.config.blocks;
			while (s.state.served < s.state.asked)
				sim_step(&s);
			assert_int_equal(s.passed, (uint64_t)turn * s.config.blocks);
			assert_int_equal(dedup_hand_epoch(s.state.hand), turn);
			assert_int_equal(dedup_hand_pos(s.state.hand), 0);
			assert_int_equal(sim_knows(&s, id), turn == 1);
		}
		assert_int_equal(s.state.early, 0);
		sim_stop(&s);
	}
}

/* Blocks that the hand has passed in this epoch are one ahead. */
static void half_follows_the_hand(void **state)
{
	(void)state;
	for (uint64_t epoch = 0; epoch < 4; epoch++)
		for (uint64_t pos = 0; pos < 8; pos++)
			for (uint32_t b = 0; b < 8; b++)
				assert_int_equal(dedup_hand_half(epoch << 32 | pos, b),
						 b < pos ? (epoch + 1) % 2 : epoch % 2);
	assert_int_equal(dedup_hand_half(UINT64_MAX << 32 | 5, 4), 0);
}

/* A step is bounded, and the rest is not forgotten. */
static void steps_are_bounded(void **state)
{
	struct options o = sim_options(1000000, 1e-4, 3600 * S);
	struct sim s;

	(void)state;
	sim_start(&s, &o, 8);
	s.state.asked = s.config.blocks;
	sim_step(&s);
	assert_int_equal(s.passed, DEDUP_STEP_PLACES);
	assert_int_equal(sim_step(&s), s.config.early_tick_ns);
	assert_int_equal(s.passed, 2 * DEDUP_STEP_PLACES);
	sim_stop(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(window_is_kept),
		cmocka_unit_test(late_steps_still_move),
		cmocka_unit_test(ids_live_one_to_two_windows),
		cmocka_unit_test(capacity_is_enough),
		cmocka_unit_test(overload_keeps_the_bound),
		cmocka_unit_test(full_window_learns_nothing),
		cmocka_unit_test(asked_turns_are_served),
		cmocka_unit_test(half_follows_the_hand),
		cmocka_unit_test(steps_are_bounded),
	};

	return run_any_tests("hand", tests, ARRAY_SIZE(tests));
}
