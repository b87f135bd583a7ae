// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* False-positive rates while one simulated filter takes over from another (predecessor.h): of both
 * memories together, at many moments from the change on until the predecessor has gone. What they
 * may be is the greater one of the two filters' own rates. As in rate_test that is a mean over
 * secrets, and a row gives the same result each time.
 */

#include "rates.h"
#include "sim.h"
#include "stats.h"

#define S 1000000000ULL
#define WINDOW_NS (10 * S)
#define FRESH (1ULL << 40) /* ids from here on are never learned */
#define SECRETS 16
#define TRIES 2000	/* fresh ids a moment and secret */
#define MOMENTS_MAX 512 /* of a change; later ones are not looked at */
#define PARTS 8		/* of turn_ids: a moment after each */
#define TURNS 3		/* of the successor that follow */

struct change {
	struct sim before, after;
	struct sim *sim; /* the newer one that there is */
	uint64_t next;	 /* id */
	int moment;
	uint64_t unlearned;	      /* in steady traffic */
	struct rates *seen, *by_bits; /* by moment */
};

/* At most so many; false if not all of them could be learned now. */
static bool learn(struct change *c, uint64_t cnt)
{
	uint64_t id[4];

	for (; cnt; cnt--) {
		random_id(id, c->next++);
		if (sim_learn(c->sim, id) == -ENOSPC)
			return false;
	}
	return true;
}

static double rate_by_bits(const struct sim *s)
{
	return stats_fill(&s->config, s->filter.blocks, s->state.hand, FILL_ALL).fpr;
}

static void look(struct change *c)
{
	double misses = 1 - rate_by_bits(c->sim);
	uint64_t id[4], known = 0;

	if (c->moment == MOMENTS_MAX)
		return;
	for (uint64_t i = 0; i < TRIES; i++) {
		random_id(id, FRESH + i);
		known += sim_knows(c->sim, id);
	}
	if (sim_has_predecessor(c->sim))
		misses *= 1 - rate_by_bits(c->sim->before);
	rates_add(&c->seen[c->moment], (double)known / TRIES);
	rates_add(&c->by_bits[c->moment], 1 - misses);
	c->moment++;
}

/* To the next step of a hand. */
static void step(struct change *c)
{
	const struct sim *s = c->sim, *before = s->before;
	bool first = before && before->next_ns < s->next_ns;

	sim_run_both_until(c->sim, first ? before->next_ns : s->next_ns);
}

/* As many as fit, and then the hand goes round: one generation is full, and the other one gets this
 * part of what it can hold. Countdown: that is all there is.
 */
static void fill(struct change *c, double part)
{
	struct sim *s = c->sim;

	learn(c, UINT64_MAX);
	if (s->config.memory.layout != DEDUP_COUNTDOWN)
		sim_pass(s, s->config.memory.places);
	s->next_ns = s->now_ns + s->config.memory.tick_ns;
	learn(c, part < 1 ? part * s->config.memory.full_ids : UINT64_MAX);
}

/* The new filter is there, but not in charge yet. */
static void prepare(struct change *c)
{
	sim_succeed(&c->after, &c->before);
	c->sim = &c->after;
	while (c->after.state.last_ns == c->after.state.started_ns)
		step(c);
}

/* Ids without end, until the new filter has learned some turns' worth. */
static void burst(struct change *c)
{
	const struct dedup_state *st = &c->after.state;
	uint64_t part = c->after.config.memory.turn_ids / PARTS + 1;

	for (uint64_t goal = part; goal < TURNS * PARTS * part; goal += part) {
		bool was_blocked = false;

		while (st->learned < goal) {
			if (learn(c, goal - st->learned))
				continue;
			if (!was_blocked)
				look(c);
			was_blocked = true;
			step(c);
		}
		look(c);
	}
}

/* The old filter's hand is late, so that at first there may be less than no room. */
static void burst_after(struct change *c, double part)
{
	fill(c, part);
	c->before.next_ns += 8 * c->before.config.memory.tick_ns;
	prepare(c);
	sim_take_charge(&c->after);
	burst(c);
}

static void full(struct change *c)
{
	burst_after(c, 1);
}

static void half_full(struct change *c)
{
	burst_after(c, 0.5);
}

static void just_passed(struct change *c)
{
	burst_after(c, 0);
}

/* The old filter takes what it can while the new one's hand rests. */
static void meanwhile(struct change *c)
{
	fill(c, 0);
	prepare(c);
	learn(c, UINT64_MAX);
	sim_take_charge(&c->after);
	burst(c);
}

/* The new filter's hand has not stepped yet. */
static void at_once(struct change *c)
{
	fill(c, 1);
	sim_succeed(&c->after, &c->before);
	c->sim = &c->after;
	sim_take_charge(&c->after);
	burst(c);
}

/* The whole capacity in each window, and of the new filter's from the change on. */
static void steadily(struct change *c, double windows)
{
	uint64_t start_ns = c->sim->now_ns, capacity = c->sim->config.memory.capacity;

	for (int i = 1; i <= windows * 1000; i++) {
		c->unlearned += !learn(c, capacity * i / 1000 - capacity * (i - 1) / 1000);
		sim_run_both_until(c->sim, start_ns + WINDOW_NS * i / 1000);
		if (c->sim == &c->after && i % 50 == 0)
			look(c);
	}
}

static void steady(struct change *c)
{
	steadily(c, 2.5);
	prepare(c);
	sim_take_charge(&c->after);
	steadily(c, 2.5);
}

static const struct scenario {
	const char *name;
	void (*run)(struct change *c);
} SCENARIOS[] = {
	{ "full", full },	    { "half-full", half_full }, { "just-passed", just_passed },
	{ "meanwhile", meanwhile }, { "at-once", at_once },	{ "steady", steady },
};

struct side {
	enum dedup_layout layout;
	uint64_t capacity;
	double fpr;
	uint32_t countdown_bits;
};

static const struct row {
	const char *name;
	struct side before, after;
} ROWS[] = {
#define K 1000
	{ "same", { DEDUP_BLOCKED, 10 * K, 1e-2, 0 }, { DEDUP_BLOCKED, 10 * K, 1e-2, 0 } },
	{ "smaller", { DEDUP_BLOCKED, 40 * K, 1e-2, 0 }, { DEDUP_BLOCKED, 4 * K, 1e-2, 0 } },
	{ "larger", { DEDUP_BLOCKED, 4 * K, 1e-2, 0 }, { DEDUP_BLOCKED, 40 * K, 1e-2, 0 } },
	{ "finer", { DEDUP_BLOCKED, 10 * K, 1e-2, 0 }, { DEDUP_BLOCKED, 10 * K, 1e-3, 0 } },
	{ "coarser", { DEDUP_BLOCKED, 10 * K, 1e-3, 0 }, { DEDUP_BLOCKED, 10 * K, 1e-2, 0 } },
	{ "coarse", { DEDUP_BLOCKED, 4 * K, 0.1, 0 }, { DEDUP_FLAT, 10 * K, 0.1, 0 } },
	{ "to-flat", { DEDUP_BLOCKED, 10 * K, 1e-2, 0 }, { DEDUP_FLAT, 5 * K, 1e-2, 0 } },
	{ "from-flat", { DEDUP_FLAT, 10 * K, 1e-2, 0 }, { DEDUP_BLOCKED, 5 * K, 1e-2, 0 } },
	{ "to-countdown", { DEDUP_BLOCKED, 10 * K, 1e-2, 0 }, { DEDUP_COUNTDOWN, 13 * K, 1e-2, 4 } },
	{ "from-countdown", { DEDUP_COUNTDOWN, 13 * K, 1e-2, 4 }, { DEDUP_BLOCKED, 10 * K, 1e-2, 0 } },
	{ "flat-to-few-countdowns",
	  { DEDUP_FLAT, 10 * K, 1e-2, 0 },
	  { DEDUP_COUNTDOWN, 13 * K, 1e-2, 2 } },
	{ "to-one-countdown", { DEDUP_FLAT, 10 * K, 1e-2, 0 }, { DEDUP_COUNTDOWN, 13 * K, 1e-2, 1 } },
	{ "from-one-countdown",
	  { DEDUP_COUNTDOWN, 13 * K, 1e-2, 1 },
	  { DEDUP_BLOCKED, 10 * K, 1e-2, 0 } },
	{ "between-one-countdowns",
	  { DEDUP_COUNTDOWN, 13 * K, 1e-2, 1 },
	  { DEDUP_COUNTDOWN, 26 * K, 1e-2, 1 } },
	{ "countdowns", { DEDUP_COUNTDOWN, 13 * K, 1e-2, 2 }, { DEDUP_COUNTDOWN, 13 * K, 1e-2, 8 } },
};

static void start(struct sim *s, const struct side *side, uint64_t secret)
{
	struct filter_spec spec = sim_spec(side->capacity, side->fpr, WINDOW_NS);

	spec.layout = side->layout;
	spec.countdown_bits = side->countdown_bits;
	sim_start(s, &spec, secret);
}

static void check_scenario(const struct row *row, const struct scenario *scenario)
{
	struct rates seen[MOMENTS_MAX] = { 0 }, by_bits[MOMENTS_MAX] = { 0 }, all = { 0 };
	double bound = fmax(row->before.fpr, row->after.fpr), most = 0;

	for (int secret = 0; secret < SECRETS; secret++) {
		struct change c = { .sim = &c.before, .seen = seen, .by_bits = by_bits };

		start(&c.before, &row->before, 100 + secret);
		start(&c.after, &row->after, 200 + secret);
		c.before.next_ns = c.before.now_ns + c.before.config.memory.tick_ns;
		c.next = secret * (1ULL << 32);
		scenario->run(&c);
		assert_true(c.moment >= TURNS * PARTS);
		assert_int_equal(c.unlearned, 0);
		sim_stop(&c.before);
		sim_stop(&c.after);
	}
	for (int i = 0; i < MOMENTS_MAX && by_bits[i].cnt; i++) {
		most = fmax(most, mean_of(&by_bits[i]));
		rates_add(&all, mean_of(&seen[i]));
		if (by_bits[i].cnt < SECRETS) /* of some only: they come to slightly more moments */
			continue;
		if (mean_of(&by_bits[i]) > bound + 3 * error_of(&by_bits[i]) ||
		    mean_of(&seen[i]) > bound + 4 * error_of(&seen[i]))
			fail_msg("%s, %s, moment %d: seen %.4g (+- %.2g), by the bits %.4g (+- "
				 "%.2g)",
				 row->name, scenario->name, i, mean_of(&seen[i]),
				 error_of(&seen[i]), mean_of(&by_bits[i]), error_of(&by_bits[i]));
	}
	print_message("# %s, %s: at most %.3g by the bits, seen %.3g on average, of %g\n",
		      row->name, scenario->name, most, mean_of(&all), bound);
	assert_true(mean_of(&all) > 0);
}

TEST_ROWS(rate_is_kept, ROWS)
{
	for (size_t i = 0; i < ARRAY_SIZE(SCENARIOS); i++)
		check_scenario(row, &SCENARIOS[i]);
}

UNIT_MAIN()
