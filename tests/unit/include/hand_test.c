// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The hand on a clock of the test's own: the window's promise, and the rate's. */
#include "unit.h"

#include "hand.h"
#include "plan.h"
#include "sim.h"

#define MS 1000000ULL
#define S (1000 * MS)

/* When and after how many ids each block was last passed. */
struct passes {
	uint64_t *at_ns, *learned;
	uint64_t shortest_ns, most_learned;
};

static void note_pass(struct sim *s, uint32_t place, uint32_t cnt, void *arg)
{
	struct passes *p = arg;

	for (uint32_t b = place; b < place + cnt; b++) {
		if (p->at_ns[b]) {
			uint64_t ns = s->now_ns - p->at_ns[b];
			uint64_t ids = s->state.learned - p->learned[b];

			if (ns < p->shortest_ns)
				p->shortest_ns = ns;
			if (ids > p->most_learned)
				p->most_learned = ids;
		}
		p->at_ns[b] = s->now_ns;
		p->learned[b] = s->state.learned;
	}
}

static void passes_start(struct passes *p, struct sim *s)
{
	*p = (struct passes){
		.at_ns = calloc(s->config.memory.blocks, 8),
		.learned = calloc(s->config.memory.blocks, 8),
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

/* Whatever comes, no block sees more ids between two passes than it was sized for. */
TEST(overload_keeps_the_bound)
{
	static const double LOADS[] = { 1.5, 10, 1000 };

	for (size_t i = 0; i < ARRAY_SIZE(SIZES); i++) {
		for (size_t l = 0; l < ARRAY_SIZE(LOADS); l++) {
			struct filter_spec spec =
				sim_spec(SIZES[i].capacity, 1e-2, SIZES[i].window_ns);
			uint64_t seed = i, unlearned = 0;
			struct passes p;
			struct sim s;

			sim_start(&s, &spec, 4);
			passes_start(&p, &s);
			for (int step = 0; step < 3000; step++) {
				uint64_t next = sim_step(&s);
				double ids = LOADS[l] * spec.capacity * next / spec.window_ns;
				uint64_t n = llround(ids * (random_next(&seed) % 2048) / 1024);
				uint64_t room = s.state.limit - s.state.learned;

				/* As a packet does: up to the limit, and no further. */
				s.state.learned += n < room ? n : room;
				unlearned += n < room ? 0 : n - room;
				s.now_ns += next;
			}
			assert_true(p.most_learned <= s.config.memory.full_ids);
			if (LOADS[l] == 10 && spec.capacity > 10) {
				assert_true(s.state.early > 0);
				assert_true(p.shortest_ns < spec.window_ns);
				assert_true(unlearned < s.state.learned / 10);
			}
			passes_stop(&p);
			sim_stop(&s);
		}
	}
}

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

/* From when an array is clear, and takes ids, until the hand turns to the one before it, W passes
 * at least: however late the steps come, and however many of them the clearing takes.
 */
TEST(a_flat_generation_has_its_window)
{
	static const uint64_t OFTEN[] = { UINT64_MAX, 4, 100, 1 }; /* a step is late; never, ... */

	for (size_t i = 0; i < ARRAY_SIZE(OFTEN); i++) {
		struct filter_spec spec = sim_spec(1000000, 1e-9, 2 * S);
		uint64_t seed = i, began_ns, rests = 0;
		uint32_t epoch = 0;
		struct sim s;

		spec.layout = DEDUP_FLAT;
		sim_start(&s, &spec, 1);
		assert_true(s.config.memory.places > 4 * DEDUP_STEP_PLACES);
		for (began_ns = s.now_ns; rests < 5;) {
			uint64_t now_ns = s.now_ns, any = random_next(&seed);
			bool rested = !dedup_hand_pos(s.state.hand);

			s.now_ns += sim_step(&s);
			if (any % OFTEN[i] == 0)
				s.now_ns += any / 128 % (OFTEN[i] * s.config.memory.tick_ns * 2);
			if (rested && dedup_hand_pos(s.state.hand)) {
				assert_true(now_ns - began_ns >= spec.window_ns);
				rests++;
			}
			if (dedup_hand_epoch(s.state.hand) != epoch)
				began_ns = now_ns;
			epoch = dedup_hand_epoch(s.state.hand);
		}
		sim_stop(&s);
	}
}

/* Countdowns that are due within a quarter of a tick share a step. */
TEST(steps_are_few)
{
	for (uint32_t bits = 2; bits <= 16; bits++) {
		struct filter_spec spec = sim_spec(1000, 1e-3, 10 * S);
		uint64_t steps = 0, end_ns;
		struct sim s;

		spec.layout = DEDUP_COUNTDOWN;
		spec.countdown_bits = bits;
		sim_start(&s, &spec, 1);
		for (end_ns = s.now_ns + spec.window_ns; s.now_ns < end_ns; steps++)
			s.now_ns += sim_step(&s);
		assert_true(steps <= 4 * (spec.window_ns / s.config.memory.tick_ns + 1));
		sim_stop(&s);
	}
}

/* Two requests at one time get two turns. */
TEST(requests_add_up)
{
	struct filter_spec spec = sim_spec(1000, 1e-3, 3600 * S);
	uint64_t first, second;
	struct sim s;

	sim_start(&s, &spec, 6);
	first = dedup_hand_rotate(&s.state, &s.config);
	second = dedup_hand_rotate(&s.state, &s.config);
	assert_int_equal(first, s.config.memory.places);
	assert_int_equal(second, 2 * s.config.memory.places);
	while (s.state.passed < second)
		sim_step(&s);
	assert_int_equal(dedup_hand_epoch(s.state.hand), 2);
	sim_stop(&s);
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

/* Blocks that the hand has passed in this epoch are one ahead. */
TEST(half_follows_the_hand)
{
	for (uint64_t epoch = 0; epoch < 4; epoch++)
		for (uint64_t pos = 0; pos < 8; pos++)
			for (uint32_t b = 0; b < 8; b++)
				assert_int_equal(dedup_hand_half(epoch << 32 | pos, b),
						 b < pos ? (epoch + 1) % 2 : epoch % 2);
	assert_int_equal(dedup_hand_half(UINT64_MAX << 32 | 5, 4), 0);
}

/* The hand does not wait for its next tick where a place is due before. */
TEST(steps_come_when_places_are_due)
{
	struct filter_spec spec = sim_spec(100, 1e-3, 600 * S);
	uint64_t due_ns;
	struct sim s;

	sim_start(&s, &spec, 9);
	for (int i = 0; i < 100000; i++) {
		due_ns = dedup_hand_due_ns(&s.state, &s.config);
		assert_true(s.now_ns <= due_ns + s.config.memory.tick_ns / 4);
		s.now_ns += sim_step(&s);
	}
	assert_true(s.state.passed > s.config.memory.places);
	sim_stop(&s);
}

/* From the moment at which what is at the hand is due, by so much, steps do not come. Returns how
 * many places have then been passed until nothing is due.
 */
static uint64_t stall(struct sim *s, uint64_t late_ns)
{
	uint64_t before = s->state.passed;

	s->now_ns = dedup_hand_due_ns(&s->state, &s->config) + late_ns;
	do
		sim_step(s);
	while (dedup_hand_due_ns(&s->state, &s->config) <= s->now_ns);
	return s->state.passed - before;
}

/* Of an array that takes several steps to clear, too, and of countdowns each: no more than these,
 * and only if it is later than ticks and jiffies make it.
 */
TEST(what_begins_late_is_counted_once)
{
	struct filter_spec spec = sim_spec(1000000, 1e-4, 10 * S);
	struct dedup_config rows[4] = { countdown_config(2, 10 * S), countdown_config(13, 10 * S),
					countdown_config(24, 10 * S) };

	spec.layout = DEDUP_FLAT;
	assert_int_equal(plan_config(&spec, SIM_CPUS, SIM_HZ, &rows[3]), 0);
	assert_true(rows[3].memory.places > DEDUP_STEP_PLACES);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t late_ns = rows[i].memory.late_ns, cnt;
		struct sim s;

		sim_start_hand(&s, &rows[i]);
		for (uint64_t end_ns = s.now_ns + 15 * S; s.now_ns < end_ns || s.state.passed == 0;)
			s.now_ns += sim_step(&s);
		assert_int_equal(s.state.late, 0);
		assert_true(stall(&s, late_ns) > 0);
		assert_int_equal(s.state.late, 0);
		assert_int_equal(s.state.late_max_ns, late_ns);
		cnt = stall(&s, late_ns + 1);
		assert_true(cnt > 0);
		/* Of countdowns those that the first step passes: the others were due later. */
		if (rows[i].memory.layout == DEDUP_FLAT)
			assert_int_equal(s.state.late, rows[i].memory.places);
		else
			assert_in_range(s.state.late, 1,
					cnt < DEDUP_STEP_PLACES ? cnt : DEDUP_STEP_PLACES);
		assert_int_equal(s.state.late_max_ns, late_ns + 1);
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
