// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The hand on a clock of the test's own: what is asked of it, and late steps. hand_model_test shows
 * the window's promise, the rate's, and what is counted of late steps.
 */
#include "unit.h"

#include "hand.h"
#include "plan.h"
#include "sim.h"

#define MS 1000000ULL
#define S (1000 * MS)

/* Steps that come with the jiffies, as on some kernels, or at any time until then. */
static uint64_t until_jiffy(struct sim *s, uint64_t at_ns)
{
	uint64_t jiffy_ns = S / SIM_HZ;

	(void)s;
	return (jiffy_ns - at_ns % jiffy_ns) % jiffy_ns;
}

static uint64_t up_to_a_jiffy(struct sim *s, uint64_t at_ns)
{
	static uint64_t seed = 1;

	(void)s, (void)at_ns;
	return random_next(&seed) % (S / SIM_HZ);
}

static const struct late_row {
	const char *name;
	uint64_t (*lateness)(struct sim *s, uint64_t at_ns);
	uint64_t window_ns, capacity;
	enum dedup_layout layout;
	uint32_t countdown_bits;
} LATE_ROWS[] = {
	{ "10ms-with-jiffies", until_jiffy, 10 * MS, 10000, DEDUP_BLOCKED, 0 },
	{ "10ms-at-random", up_to_a_jiffy, 10 * MS, 50000, DEDUP_BLOCKED, 0 },
	{ "50ms-with-jiffies-many-blocks", until_jiffy, 50 * MS, 580000, DEDUP_BLOCKED, 0 },
	{ "1s-with-jiffies", until_jiffy, S, 1000000, DEDUP_BLOCKED, 0 },
	{ "flat-10ms-with-jiffies", until_jiffy, 10 * MS, 10000, DEDUP_FLAT, 0 },
	{ "flat-1s-several-steps", until_jiffy, S, 1000000, DEDUP_FLAT, 0 },
	{ "countdown-10ms-with-jiffies", until_jiffy, 10 * MS, 10000, DEDUP_COUNTDOWN, 0 },
	{ "countdown-10ms-one-bit", until_jiffy, 10 * MS, 10000, DEDUP_COUNTDOWN, 1 },
	{ "countdown-10ms-two-bits", until_jiffy, 10 * MS, 10000, DEDUP_COUNTDOWN, 2 },
};

/* Even traffic of as many ids a window as the capacity: there is room for each, and none is aged
 * before its time, though steps are as late as may be.
 */
TEST(late_steps_leave_room_for_the_capacity)
{
	for (size_t i = 0; i < ARRAY_SIZE(LATE_ROWS); i++) {
		const struct late_row *row = &LATE_ROWS[i];
		struct filter_spec spec = sim_spec(row->capacity, 1e-3, row->window_ns);
		uint64_t sent = 0, unlearned = 0, start_ns;
		struct dedup_config c;
		struct sim s;

		spec.layout = row->layout;
		spec.countdown_bits = row->countdown_bits;
		assert_int_equal(plan_config(&spec, SIM_CPUS, SIM_HZ, &c), 0);
		sim_start_hand(&s, &c);
		for (start_ns = s.now_ns; s.now_ns < start_ns + 100 * spec.window_ns;) {
			uint64_t next_ns = s.now_ns + sim_step(&s), n, room;

			s.now_ns = next_ns + row->lateness(&s, next_ns);
			n = (s.now_ns - start_ns) * spec.capacity / spec.window_ns - sent;
			room = s.state.limit - s.state.learned;
			sent += n;
			s.state.learned += n < room ? n : room;
			unlearned += n < room ? 0 : n - room;
		}
		if (unlearned || s.state.early || s.state.late)
			fail_msg("%s: of %llu ids %.3g unlearned; early %llu, late %llu", row->name,
				 (unsigned long long)sent, (double)unlearned / sent, s.state.early,
				 s.state.late);
	}
}

/* Steps until the hand has passed so many places. */
static void run_to(struct sim *s, uint64_t goal)
{
	while (s->state.passed < goal)
		s->now_ns += sim_step(s);
}

/* Asked for while the clock has a flat array cleared, `rotate` is served by that, at once, and
 * `reset` soon; what comes afterwards lives for a window.
 */
TEST(requests_while_an_array_is_cleared)
{
	struct filter_spec spec = sim_spec(1000000, 1e-4, 600 * S);
	uint64_t before[4] = { 1 }, after[4] = { 3 }, asked_ns;

	spec.layout = DEDUP_FLAT;
	for (int reset = 0; reset < 2; reset++) {
		struct sim s;

		sim_start(&s, &spec, 7);
		assert_true(s.config.memory.places > 2 * DEDUP_STEP_PLACES);
		s.now_ns += 600 * S;
		sim_step(&s);
		assert_int_equal(dedup_hand_pos(s.state.hand), DEDUP_STEP_PLACES);
		assert_int_equal(sim_learn(&s, before), 0);
		asked_ns = s.now_ns;
		run_to(&s, reset ? dedup_hand_reset(&s.state, &s.config)
				 : dedup_hand_rotate(&s.state, &s.config));
		assert_true(s.now_ns - asked_ns < S);
		assert_int_equal(dedup_hand_pos(s.state.hand), 0);
		assert_int_equal(sim_knows(&s, before), !reset);
		assert_int_equal(s.state.early, 0);

		assert_int_equal(sim_learn(&s, after), 0);
		sim_run_until(&s, s.now_ns + 599 * S);
		assert_true(sim_knows(&s, after));
		sim_stop(&s);
	}
}

static struct dedup_config countdown_config(uint32_t bits, uint64_t window_ns)
{
	struct filter_spec spec = sim_spec(1000, 1e-3, window_ns);
	struct dedup_config c;

	spec.layout = DEDUP_COUNTDOWN;
	spec.countdown_bits = bits;
	assert_int_equal(plan_config(&spec, SIM_CPUS, SIM_HZ, &c), 0);
	return c;
}

/* `rotate` is one countdown, `reset` all of them, wherever the hand is. */
TEST(requests_of_countdowns_are_exact)
{
	for (uint32_t bits = 1; bits <= 16; bits++) {
		struct dedup_config c = countdown_config(bits, 3600 * S);
		struct sim s;

		sim_start_hand(&s, &c);
		for (uint64_t n = 1; n <= 20; n++) {
			assert_int_equal(dedup_hand_rotate(&s.state, &s.config), n);
			sim_step(&s);
			assert_int_equal(s.state.passed, n);
		}
		run_to(&s, dedup_hand_reset(&s.state, &s.config));
		assert_int_equal(s.state.requested, 20 + c.memory.places);
		assert_true(s.now_ns - s.state.started_ns < c.memory.countdown_ns ||
			    s.state.passed > s.state.requested);
	}
}

/* The first countdown comes late; the last one that an id learned just before lasts must wait for
 * its window, though it is behind its own time and shares a segment with others.
 */
TEST(a_late_step_stops_where_guards_begin)
{
	struct dedup_config c = countdown_config(12, 10 * S);
	uint64_t first_ns;
	struct sim s;

	assert_int_equal(c.memory.segment_places, 4);
	sim_start_hand(&s, &c);
	first_ns = s.now_ns += c.memory.countdown_ns + c.memory.window_ns / 16;
	while (s.state.passed + 7 < c.memory.places)
		s.now_ns += sim_step(&s);
	s.now_ns += 10 * c.memory.countdown_ns;
	sim_step(&s);
	assert_true(s.now_ns > s.state.next_ns);
	assert_int_equal(s.state.passed, c.memory.places - 1);
	while (s.state.passed < c.memory.places)
		s.now_ns += sim_step(&s);
	assert_true(s.now_ns >= first_ns + c.memory.window_ns);
}

/* Then ages begin anew, and the kernel must not take one of before for one of now. */
TEST(epochs_that_begin_anew_make_memories_void)
{
	struct filter_spec spec = sim_spec(100, 1e-3, 3600 * S);
	struct sim s;

	sim_start(&s, &spec, 12);
	s.state.hand = 0xfffffffeULL << 32;
	sim_pass(&s, s.config.memory.places);
	assert_int_equal(s.state.known_version, 0);
	sim_pass(&s, s.config.memory.places);
	assert_int_equal(s.state.hand, 0);
	assert_int_equal(s.state.known_version, 1);
	sim_stop(&s);
}

/* From the first step on that comes at the time or after it; without a time they do not end. */
TEST(drops_end_with_their_time)
{
	for (int layout = 0; layout < 3; layout++) {
		struct filter_spec spec = sim_spec(1000, 1e-3, 10 * S);
		uint64_t until_ns;
		struct sim s;

		spec.layout = layout;
		sim_start(&s, &spec, 14);
		sim_run_until(&s, s.now_ns + 30 * S);
		assert_int_equal(s.state.counting, 0);
		sim_stop(&s);
		spec.drop_ns = 3 * S + MS / 3;
		sim_start(&s, &spec, 13);
		until_ns = s.state.drop_until_ns;
		assert_int_equal(until_ns, s.now_ns + spec.drop_ns);
		sim_run_until(&s, until_ns);
		assert_int_equal(s.state.counting, 0);
		assert_true(s.now_ns - until_ns < s.config.memory.tick_ns);
		sim_step(&s);
		assert_int_equal(s.state.counting, 1);
		/* User space puts the time off. */
		s.state.drop_until_ns = s.now_ns + 1;
		sim_step(&s);
		assert_int_equal(s.state.counting, 0);
		s.now_ns += 1;
		sim_step(&s);
		assert_int_equal(s.state.counting, 1);
		sim_stop(&s);
	}
}

UNIT_MAIN()
