// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The hand of each layout on a clock of the test's own: how long ids live, and that
 * no load breaks the promised rate.
 */
#include "unit.h"

#include "hand.h"
#include "ids.h"
#include "packet.h"
#include "plan.h"
#include "sim.h"

#define MS 1000000ULL
#define S (1000 * MS)
#define NEVER (1ULL << 60)

struct row {
	enum dedup_layout layout;
	uint32_t countdown_bits;
	uint64_t window_ns;
};

/* Where one array takes several steps to clear, too. */
static const struct row HANDS[] = {
	{ DEDUP_BLOCKED, 0, S },	  { DEDUP_FLAT, 0, S },
	{ DEDUP_FLAT, 0, 100 * MS },	  { DEDUP_FLAT, 0, 20 * S },
	{ DEDUP_COUNTDOWN, 1, S },	  { DEDUP_COUNTDOWN, 2, 100 * MS },
	{ DEDUP_COUNTDOWN, 2, S },	  { DEDUP_COUNTDOWN, 4, 5 * S },
	{ DEDUP_COUNTDOWN, 7, 100 * MS }, { DEDUP_COUNTDOWN, 10, 10 * S },
	{ DEDUP_COUNTDOWN, 13, S },	  { DEDUP_COUNTDOWN, 16, 10 * S },
};

static struct filter_spec spec_of(const struct row *row, uint64_t capacity, double fpr)
{
	struct filter_spec spec = sim_spec(capacity, fpr, row->window_ns);

	spec.layout = row->layout;
	spec.countdown_bits = row->countdown_bits;
	return spec;
}

/* When steps come. */
enum lateness { ON_TIME, OFTEN_LATE, SELDOM_VERY_LATE, ALWAYS_LATE, LATENESSES };

static void step(struct sim *s, enum lateness late, uint64_t *seed)
{
	uint64_t next = sim_step(s), any = random_next(seed);

	if (late == OFTEN_LATE && any % 4 == 0)
		next += any / 4 % (8 * next);
	if (late == SELDOM_VERY_LATE && any % 100 == 0)
		next += any / 128 % s->config.memory.window_ns;
	if (late == ALWAYS_LATE)
		next += any % next;
	s->now_ns += next;
}

#define TRACKED 512

/* Ids, and when they were learned; 0 for none. */
struct tracked {
	struct id ids[TRACKED];
	uint64_t learned_ns[TRACKED];
	uint32_t next;
};

/* Now and then, and as often as not when the hand is about to move. */
static void learn_now_and_then(struct sim *s, struct tracked *t, uint64_t *seed)
{
	uint64_t any = random_next(seed);
	bool soon = dedup_hand_due_ns(&s->state, &s->config) - s->now_ns <=
		    2 * s->config.memory.tick_ns;
	uint32_t at = t->next % TRACKED;

	/* Countdowns come at almost each step where there are many. */
	if (soon && s->config.memory.places >= 256 && s->config.memory.layout == DEDUP_COUNTDOWN)
		soon = false;
	if (any % 16 > (soon ? 8 : 0) || t->learned_ns[at])
		return;
	t->ids[at] = id_fresh();
	assert_int_equal(ids_see(&s->filter, t->ids[at].bytes), 0);
	t->learned_ns[at] = s->now_ns;
	t->next++;
}

/* How old an id may get if steps come on time: countdowns keep their distance but for slack. */
static uint64_t most_of(const struct dedup_config *c)
{
	if (c->memory.layout == DEDUP_COUNTDOWN && c->memory.places > 1)
		return c->memory.places * c->memory.countdown_ns + c->memory.window_ns / 32 +
		       2 * c->memory.late_ns;
	return (c->memory.places > 1 ? 2 : 1) * (c->memory.window_ns + 2 * c->memory.late_ns);
}

/* Looks an id up at any time, always when its time is almost over, and when it is over. */
static void look_now_and_then(struct sim *s, struct tracked *t, enum lateness late, uint64_t *seed)
{
	uint64_t most = most_of(&s->config), least = s->config.memory.window_ns;

	if (s->config.memory.layout == DEDUP_COUNTDOWN && s->config.memory.places == 1)
		least = 0;
	for (uint32_t i = 0; i < TRACKED; i++) {
		uint64_t age = s->now_ns - t->learned_ns[i];

		if (!t->learned_ns[i])
			continue;
		if (age <= least &&
		    (age + 4 * s->config.memory.tick_ns > least || random_next(seed) % 64 == 0))
			assert_int_equal(ids_test(&s->filter, t->ids[i].bytes), 1);
		if (age > most && late == ON_TIME)
			assert_int_equal(ids_test(&s->filter, t->ids[i].bytes), 0);
		if (age > most)
			t->learned_ns[i] = 0;
	}
}

static void live_by_the_clock(const struct row *row, enum lateness late, uint64_t seed)
{
	struct filter_spec spec = spec_of(row, 20000, 1e-9);
	struct tracked t = { .next = 0 };
	uint64_t end;
	struct sim s;

	sim_start(&s, &spec, seed);
	end = s.now_ns + 7 * row->window_ns;
	while (s.now_ns < end) {
		learn_now_and_then(&s, &t, &seed);
		step(&s, late, &seed);
		look_now_and_then(&s, &t, late, &seed);
	}
	assert_true(t.next > 20);
	assert_int_equal(s.state.early, 0);
	sim_stop(&s);
}

TEST(ids_live_for_the_window)
{
	for (size_t i = 0; i < ARRAY_SIZE(HANDS); i++)
		for (int late = 0; late < LATENESSES; late++)
			live_by_the_clock(&HANDS[i], late, i * LATENESSES + late);
}

/* From when an array is clear, and takes ids, until the hand turns to the one before it, W
 * passes at least: however late the steps come, and however many of them the clearing takes.
 */
TEST(a_flat_generation_has_its_window)
{
	static const struct row ROW = { DEDUP_FLAT, 0, 2 * S };

	for (int late = 0; late < LATENESSES; late++) {
		struct filter_spec spec = spec_of(&ROW, 1000000, 1e-9);
		uint64_t seed = late, began_ns, rests = 0;
		uint32_t epoch = 0;
		struct sim s;

		sim_start(&s, &spec, 1);
		assert_true(s.config.memory.places > 4 * DEDUP_STEP_PLACES);
		for (began_ns = s.now_ns; rests < 5;) {
			uint64_t now_ns = s.now_ns;
			bool rested = !dedup_hand_pos(s.state.hand);

			step(&s, late, &seed);
			if (rested && dedup_hand_pos(s.state.hand)) {
				assert_true(now_ns - began_ns >= ROW.window_ns);
				rests++;
			}
			if (dedup_hand_epoch(s.state.hand) != epoch)
				began_ns = now_ns;
			epoch = dedup_hand_epoch(s.state.hand);
		}
		sim_stop(&s);
	}
}

/* Fresh ids without end, so many a step of the hand. Most are only tested. */
static void flood(const struct filter_spec *spec, uint64_t ids_a_step, uint64_t ids)
{
	uint64_t known = 0, sent = 0, early = 0;
	double rate, promised = spec_fpr(spec);

	for (uint64_t run = 0; run < 4; run++) {
		struct sim s;

		sim_start(&s, spec, run);
		promised = plan_fpr(&s.config);
		for (uint64_t end = sent + ids / 4; sent < end; s.now_ns += sim_step(&s)) {
			for (uint64_t n = 0; n < ids_a_step; n++, sent++) {
				struct id id = id_fresh();

				known += ids_see(&s.filter, id.bytes) == 1;
			}
		}
		early += s.state.early;
		sim_stop(&s);
	}
	rate = (double)known / sent;
	print_message("# layout %d, %llu a step: promised %.3g, seen %.3g\n", spec->layout,
		      (unsigned long long)ids_a_step, promised, rate);
	assert_true(early > 0);
	assert_true(rate <= promised + 3 * sqrt(promised / sent));
	assert_true(known > 0);
}

TEST(floods_keep_the_rate)
{
	static const struct {
		struct row row;
		enum dedup_hash_scheme hash;
		uint32_t bits, hashes, index_bits;
		uint64_t capacity;
	} FLOODS[] = {
		{ { DEDUP_FLAT, 0, 2 * S }, DEDUP_FAST, 0, 0, 0, 1000 },
		{ { DEDUP_FLAT, 0, 2 * S }, DEDUP_FIPS, 8192, 5, 0, 1000 },
		{ { DEDUP_FLAT, 0, 2 * S }, DEDUP_TEZOS, 16384, 5, 0, 1000 },
		{ { DEDUP_COUNTDOWN, 4, 2 * S }, DEDUP_FAST, 0, 0, 0, 1000 },
		{ { DEDUP_COUNTDOWN, 1, 2 * S }, DEDUP_FAST, 0, 0, 0, 1000 },
		{ { DEDUP_COUNTDOWN, 12, 2 * S }, DEDUP_FAST, 0, 5, 14, 1000 },
		{ { DEDUP_COUNTDOWN, 2, 2 * S }, DEDUP_TEZOS, 0, 5, 13, 1000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(FLOODS); i++) {
		struct filter_spec spec = spec_of(&FLOODS[i].row, FLOODS[i].capacity, 1e-2);

		spec.hash = FLOODS[i].hash;
		spec.bits = FLOODS[i].bits;
		spec.hashes = FLOODS[i].hashes;
		spec.index_bits = FLOODS[i].index_bits;
		flood(&spec, 100, 100000);
		flood(&spec, 5000, 100000);
	}
}

/* Evenly at capacity nothing ages early, everything is learned, and the rate is kept. */
TEST(capacity_is_enough)
{
	for (size_t i = 0; i < ARRAY_SIZE(HANDS); i++) {
		struct filter_spec spec = spec_of(&HANDS[i], 2000, 1e-6);
		uint64_t start, sent = 0, known = 0;
		struct sim s;

		sim_start(&s, &spec, i);
		start = s.now_ns;
		while (s.now_ns < start + 5 * spec.window_ns) {
			double windows = (double)(s.now_ns - start) / spec.window_ns;

			for (; sent < windows * spec.capacity; sent++) {
				struct id id = id_fresh();
				int is_known = ids_see(&s.filter, id.bytes);

				assert_true(is_known >= 0);
				known += is_known;
			}
			s.now_ns += sim_step(&s);
		}
		assert_int_equal(s.state.early, 0);
		assert_true(known <= 1e-6 * sent + 3);
		sim_stop(&s);
	}
}

UNIT_MAIN()
