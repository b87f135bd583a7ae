// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* False-positive rates of a simulated filter, of every layout and scheme, against what sizing
 * promises, at moments: in steady traffic, with both generations full, after a stall, in a flood.
 * The promise is a mean over the filter's secret and ids: so is what is seen here, with its
 * standard error. Secrets and ids are fixed: a row gives the same result each time.
 */

#include "array_rate.h"
#include "plan.h"
#include "rates.h"
#include "layout.h"
#include "sim.h"
#include "stats.h"

#define S 1000000000ULL
#define M 1000000ULL
#define WINDOW_NS (10 * S)
#define SECRET_IDS (1ULL << 32) /* for each secret: the upper half is never learned */

/* The ids that a network may have: how the i-th of them looks. */
typedef void (*id_fn)(uint64_t id[4], uint64_t i);

static void counter_low(uint64_t id[4], uint64_t i)
{
	memset(id, 0, 32);
	id[0] = i + 1;
}

static void counter_high(uint64_t id[4], uint64_t i)
{
	memset(id, 0x11, 32);
	id[3] = __builtin_bswap64(i + 1);
}

/* A node and its own counter, as in (source, sequence) pairs. */
static void node_and_counter(uint64_t id[4], uint64_t i)
{
	memset(id, 0, 32);
	id[1] = i % 100 + 1;
	id[2] = i / 100;
}

/* A filter at work: `next` is the first id that it has not been sent. */
struct traffic {
	struct sim sim;
	id_fn make_id;
	uint64_t next;
};

static void learn(struct traffic *t, uint64_t cnt)
{
	uint64_t id[4];

	for (uint64_t end = t->next + cnt; t->next < end; t->next++) {
		t->make_id(id, t->next);
		assert_in_range(sim_learn(&t->sim, id), 0, 1);
	}
}

/* As many as may be learned. */
static void learn_all(struct traffic *t)
{
	uint64_t id[4];

	do
		t->make_id(id, t->next++);
	while (sim_learn(&t->sim, id) != -ENOSPC);
}

static void rotate(struct traffic *t)
{
	sim_pass(&t->sim, t->sim.config.memory.places);
}

static void wait_ns(struct traffic *t, uint64_t ns)
{
	sim_run_until(&t->sim, t->sim.now_ns + ns);
}

/* Moments: what was sent, and when, until fresh ids are tried. */

static void steady(struct traffic *t)
{
	uint64_t start = t->sim.now_ns, capacity = t->sim.config.memory.capacity;

	for (int step = 1; step <= 2500; step++) {
		learn(t, capacity * step / 1000 - capacity * (step - 1) / 1000);
		sim_run_until(&t->sim, start + WINDOW_NS * step / 1000);
	}
}

static void rotated(struct traffic *t)
{
	learn(t, t->sim.config.memory.capacity);
	rotate(t);
	learn(t, t->sim.config.memory.capacity);
}

static void two_bursts(struct traffic *t)
{
	wait_ns(t, 3 * WINDOW_NS);
	learn(t, t->sim.config.memory.capacity);
	wait_ns(t, WINDOW_NS * 101 / 100);
	learn(t, t->sim.config.memory.capacity);
}

/* The most that two generations can hold: a full filter makes the hand go round once. */
static void both_full(struct traffic *t)
{
	learn_all(t);
	while (t->sim.state.passed < t->sim.config.memory.places)
		t->sim.now_ns += sim_step(&t->sim);
	learn_all(t);
}

/* The hand stands still while ids come without end, then again. */
static void stalled(struct traffic *t)
{
	for (int i = 0; i < 3; i++) {
		learn_all(t);
		t->sim.now_ns += WINDOW_NS / 3;
		learn_all(t);
		sim_step(&t->sim);
	}
}

/* More than the capacity, until the hand has gone round some times. */
static void overload(struct traffic *t, uint64_t ids_a_step, int steps)
{
	uint64_t id[4];

	for (int step = 0; step < steps; step++) {
		for (uint64_t i = 0; i <= ids_a_step; i++) {
			t->make_id(id, t->next++);
			sim_learn(&t->sim, id);
		}
		t->sim.now_ns += sim_step(&t->sim);
	}
	assert_true(t->sim.state.early > 0);
}

/* Ten times as much. */
static void overloaded(struct traffic *t)
{
	overload(t, t->sim.config.memory.capacity / 1000, 6000);
}

/* Hundreds of times as much. */
static void flooded(struct traffic *t)
{
	overload(t, fmin(t->sim.config.memory.capacity, 20000) / 10, 600);
}

static const struct moment {
	const char *name;
	void (*reach)(struct traffic *t);
	bool is_full; /* the rate is what was sized for, not only at most that */
} MOMENTS[] = {
	{ "steady", steady, false },	     { "rotated", rotated, false },
	{ "two-bursts", two_bursts, false }, { "both-full", both_full, true },
	{ "stalled", stalled, false },	     { "overloaded", overloaded, false },
	{ "flooded", flooded, false },
};

static double try_fresh(const struct traffic *t, uint64_t tries)
{
	uint64_t known = 0, id[4];

	for (uint64_t i = 0; i < tries; i++) {
		t->make_id(id, (t->next | SECRET_IDS / 2) + i);
		known += sim_knows(&t->sim, id);
	}
	return (double)known / tries;
}

/* A row of rates: `tries` fresh ids in all at a moment, for so many secrets. */
struct row {
	const char *name;
	uint64_t capacity;
	double fpr;
	id_fn make_id;
	uint64_t tries;
	int secrets;
	const char *moment; /* NULL: each of them */
	enum dedup_layout layout;
	enum dedup_hash_scheme hash;
	uint32_t bits, hashes;
};

static void check_moment(const struct row *row, const struct moment *moment)
{
	struct filter_spec spec = sim_spec(row->capacity, row->fpr, WINDOW_NS);
	struct rates seen = { 0 }, by_bits = { 0 };
	struct dedup_config parameters = { 0 };
	double full, bound, loose;

	spec.layout = row->layout;
	spec.hash = row->hash;
	spec.bits = row->bits;
	spec.hashes = row->hashes;
	for (int secret = 0; secret < row->secrets; secret++) {
		struct traffic t = { .make_id = row->make_id, .next = secret * SECRET_IDS };

		sim_start(&t.sim, &spec, 42 + secret);
		parameters = t.sim.config;
		moment->reach(&t);
		rates_add(&seen, try_fresh(&t, row->tries / row->secrets));
		rates_add(&by_bits,
			  stats_fill(&t.sim.config, t.sim.filter.blocks, t.sim.state.hand, FILL_ALL).fpr);
		sim_stop(&t.sim);
	}
	bound = layout_of(parameters.memory.layout)
			->rate(&parameters, plan_ids(&parameters, SIM_CPUS, row->fpr));
	full = layout_of(parameters.memory.layout)
		       ->rate(&parameters, parameters.memory.full_ids); /* one CPU takes no credit */
	print_message("# %s p=%g, %s: w=%u b=%u; full %.3g, seen %.3g (+- %.2g), by the bits %.3g\n",
		      row->name, row->fpr, moment->name, parameters.memory.words,
		      parameters.memory.bits, full, mean_of(&seen), error_of(&seen),
		      mean_of(&by_bits));
	assert_true(bound <= row->fpr);
	assert_true(mean_of(&seen) > 0);
	assert_true(mean_of(&seen) <= row->fpr + 3 * error_of(&seen));
	assert_true(mean_of(&by_bits) >= mean_of(&seen) - 3 * error_of(&seen));
	/* Where double hashing's progressions meet, a full array tells of more ids than it has. */
	loose = row->hash == DEDUP_FIPS ? 0.1 * mean_of(&seen) : 0;
	assert_true(mean_of(&by_bits) <= mean_of(&seen) + loose + 3 * error_of(&seen));
	/* Where what seems to be known, and is not learned, does not count, and blocks are many. */
	if (moment->is_full && row->fpr <= 2e-3 && (row->capacity >= 1000 || row->bits))
		assert_true(fabs(mean_of(&seen) - full) <= 3 * error_of(&seen));
}

static const struct row ROWS[] = {
#define ROW(name_, capacity_, fpr_, id, tries_, secrets_, moment_, ...)                            \
	{                                                                                          \
		.name = name_, .capacity = capacity_, .fpr = fpr_, .make_id = id, .tries = tries_, \
		.secrets = secrets_, .moment = moment_, ##__VA_ARGS__                              \
	}
	ROW("rate-1e-1", 20000, 0.1, random_id, M / 4, 40, NULL),
	ROW("rate-1e-2", 100000, 1e-2, random_id, M / 2, 20, NULL),
	ROW("rate-1e-3", 100000, 1e-3, random_id, M, 20, NULL),
	ROW("rate-1e-4", 100000, 1e-4, random_id, 5 * M, 20, NULL),
	ROW("rate-1e-5", 100000, 1e-5, random_id, 20 * M, 20, "both-full"),
	ROW("rate-1e-6", 100000, 1e-6, random_id, 100 * M, 20, "both-full"),
	ROW("rate-small", 1000, 1e-3, random_id, M, 200, NULL),
	ROW("rate-tiny", 10, 1e-2, random_id, M, 1000, NULL),
	ROW("rate-counter-low", 100000, 1e-3, counter_low, M, 20, "both-full"),
	ROW("rate-counter-high", 100000, 1e-3, counter_high, M, 20, "both-full"),
	ROW("rate-node-and-counter", 100000, 1e-4, node_and_counter, 5 * M, 20, "both-full"),
	/* Most ids that come then seem to be known, and are not counted as learned. */
	ROW("rate-high-8e-1", 20000, 0.8, random_id, M / 4, 20, "both-full"),
	ROW("rate-high-flat", 20000, 0.7, random_id, M / 4, 20, "both-full", .layout = DEDUP_FLAT),
	ROW("rate-high-countdown", 20000, 0.7, random_id, M / 4, 20, "both-full",
	    .layout = DEDUP_COUNTDOWN),
#define ARRAY(name, layout_, hash_, fpr, tries, ...)                                       \
	ROW(name, 1000, fpr, random_id, tries, 20, "both-full", .layout = DEDUP_##layout_, \
	    .hash = DEDUP_##hash_, ##__VA_ARGS__)
	ARRAY("flat-fast", FLAT, FAST, 1e-4, 5 * M),
	ARRAY("flat-siphash", FLAT, SIPHASH, 1e-3, M),
	ARRAY("flat-colibri", FLAT, COLIBRI, 1e-3, M / 2, .bits = 17000, .hashes = 9),
	ARRAY("flat-tezos", FLAT, TEZOS, 1e-3, M),
	ARRAY("flat-fnv1a", FLAT, FNV1A, 1e-3, M),
	ARRAY("flat-fnv1a-many", FLAT, FNV1A, 1e-4, 5 * M, .hashes = 10),
	ARRAY("flat-fips", FLAT, FIPS, 1e-3, M, .bits = 16384, .hashes = 9),
	/* Few ids, whose progressions meet more often than by chance. */
	ROW("flat-fips-meet", 20, 2e-3, random_id, 8 * M, 400, "both-full", .layout = DEDUP_FLAT,
	    .hash = DEDUP_FIPS, .bits = 2048, .hashes = 16),
	ARRAY("flat-fips-odd", FLAT, FIPS, 1e-3, M, .bits = 16383, .hashes = 9),
	ARRAY("flat-fips-even", FLAT, FIPS, 1e-3, M, .bits = 17640, .hashes = 9),
	ARRAY("countdown-fast", COUNTDOWN, FAST, 1e-4, 5 * M),
	ARRAY("countdown-colibri", COUNTDOWN, COLIBRI, 1e-3, M / 2),
	ARRAY("countdown-tezos", COUNTDOWN, TEZOS, 1e-3, M),
	ARRAY("countdown-fnv1a", COUNTDOWN, FNV1A, 1e-3, M),
	ARRAY("countdown-fips", COUNTDOWN, FIPS, 1e-3, M),
};

#define MANY 1000000
#define DRAWS (MANY + 10 * M)

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* 2^32 draws of three quarters as many bits: every third bit is drawn twice as often. */
TEST(uneven_draws_count)
{
	struct dedup_config c = { .memory.hash = DEDUP_FAST,
				  .memory.m = 3U << 30,
				  .memory.k = 1,
				  .secrets.key = { 7, 9 } };
	double expected = array_rate(DEDUP_FAST, c.memory.m, 1, MANY) * (DRAWS - MANY), found = 0;
	uint32_t *set = calloc(MANY, sizeof(*set));
	struct dedup_positions p;

	assert_non_null(set);
	for (uint64_t i = 0; i < DRAWS; i++) {
		struct dedup_id id = { 0 };
		uint64_t words[4];

		random_id(words, i);
		memcpy(&id, words, sizeof(words));
		dedup_positions(&p, &id, 32, &c, 0);
		if (i < MANY)
			set[i] = p.index[0];
		if (i == MANY)
			qsort(set, MANY, sizeof(*set), by_number);
		if (i >= MANY)
			found += bsearch(p.index, set, MANY, sizeof(*set), by_number) != NULL;
	}
	free(set);
	assert_true(fabs(found - expected) <= 3 * sqrt(expected));
	assert_true(array_rate_at(DEDUP_FAST, c.memory.m, 1, (double)MANY / c.memory.m) >
		    1.12 * MANY / c.memory.m);
}

TEST_ROWS(check_row, ROWS)
{
	for (size_t i = 0; i < ARRAY_SIZE(MOMENTS); i++)
		if (!row->moment || !strcmp(row->moment, MOMENTS[i].name))
			check_moment(row, &MOMENTS[i]);
}

UNIT_MAIN()
