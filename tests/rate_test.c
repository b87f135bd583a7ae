// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Simulated false-positive rates against what sizing promises: the hand moves on while
 * ids come at capacity, then fresh ids are tried at positions all round the circle.
 * Secrets and ids are fixed: a row gives the same result each time.
 */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan.h"
#include "sim.h"
#include "shape.h"
#include "stats.h"

#define S 1000000000ULL
#define M 1000000ULL
#define POSITIONS 8 /* of the hand, at which fresh ids are tried */

/* The ids that a network may have: how the i-th of them looks. */
typedef void (*id_fn)(uint64_t id[4], uint64_t i);

static void random_id(uint64_t id[4], uint64_t i)
{
	uint64_t seed = i * 0xda942042e4dd58b5;

	for (int w = 0; w < 4; w++)
		id[w] = random_next(&seed);
}

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
	id[1] = i % 100;
	id[2] = i / 100;
}

struct rate {
	uint64_t tried, known;
	double by_bits; /* what status says of the same moments */
};

static void try_fresh(const struct sim *s, id_fn make_id, uint64_t from, uint64_t n, struct rate *r)
{
	uint64_t id[4];

	for (uint64_t i = from; i < from + n; i++) {
		make_id(id, i);
		r->known += sim_knows(s, id);
	}
	r->tried += n;
	r->by_bits += stats_fill(&s->config, s->filter.blocks, s->state.hand).fpr / POSITIONS;
}

static struct rate simulate(uint64_t capacity, double fpr, id_fn make_id, uint64_t tries,
			    struct dedup_config *shape)
{
	struct options o = sim_options(capacity, fpr, 10 * S);
	uint64_t start, next = 0, fresh = 1ULL << 40;
	struct rate r = { 0 };
	struct sim s;

	sim_start(&s, &o, 42);
	*shape = s.config;
	start = s.now_ns;
	for (int position = 0; position < POSITIONS;) {
		double windows = (double)(s.now_ns - start) / o.window_ns;
		uint64_t id[4];

		for (; next < windows * capacity; next++) {
			make_id(id, next);
			sim_learn(&s, id);
		}
		if (windows >= 2 + (double)position / POSITIONS) {
			try_fresh(&s, make_id, fresh, tries / POSITIONS, &r);
			fresh += tries / POSITIONS;
			position++;
		}
		s.now_ns += sim_step(&s);
	}
	assert_int_equal(s.state.early, 0);
	sim_stop(&s);
	return r;
}

/* Several deviations of a Poisson count. */
static double noise(double expected)
{
	return 3 * sqrt(expected);
}

static void check(const char *name, uint64_t capacity, double fpr, id_fn make_id, uint64_t tries)
{
	struct dedup_config shape;
	struct rate r = simulate(capacity, fpr, make_id, tries, &shape);
	double promised = shape_rate(&shape, capacity), seen = (double)r.known / r.tried;

	print_message(
		"# %s p=%g: w=%u b=%u, %.2f bytes an id; promised %.3g, seen %.3g (%+.1f %%), "
		"by the bits %.3g\n",
		name, fpr, shape.words, shape.bits, shape.blocks * 64.0 / capacity, promised, seen,
		100 * (seen / promised - 1), r.by_bits);
	assert_true(promised <= fpr);
	assert_true(fabs(seen / promised - 1) <= 0.10);
	assert_true(r.known <= fpr * r.tried + noise(fpr * r.tried));
	assert_true(fabs(r.by_bits / promised - 1) <= 0.10);
}

/* Fresh ids without end, so many a step of the hand: thousands of times the capacity.
 * Most are only tested. Nothing may take more of them for known than was promised.
 */
static void flood(uint64_t capacity, double fpr, uint64_t ids_a_step, uint64_t ids)
{
	struct options o = sim_options(capacity, fpr, 2 * S);
	uint64_t known = 0, early = 0, sent = 0, learned = 0;
	double rate;

	for (uint64_t run = 0; run < 20; run++) {
		struct sim s;

		sim_start(&s, &o, run);
		for (uint64_t end = sent + ids / 20; sent < end; s.now_ns += sim_step(&s)) {
			for (uint64_t n = 0; n < ids_a_step; n++) {
				uint64_t id[4];

				random_id(id, sent++);
				known += sim_learn(&s, id) == 0;
			}
		}
		early += s.state.early;
		learned += s.state.learned;
		sim_stop(&s);
	}
	rate = (double)known / sent;
	print_message("# flood of %llu, %llu a step, p=%g: seen %.3g, %.1f %% learned\n",
		      (unsigned long long)capacity, (unsigned long long)ids_a_step, fpr, rate,
		      100.0 * learned / sent);
	assert_true(early > 0);
	assert_true(rate <= fpr && rate >= fpr / 3);
}

static void floods(void **state)
{
	(void)state;
	flood(1000, 1e-2, 100, 10 * M);
	flood(1000, 1e-2, 400, 10 * M);
	flood(1000, 1e-2, 40000, 20 * M);
	flood(1000, 1e-3, 400, 20 * M);
	flood(10000, 1e-2, 4000, 20 * M);
	flood(10000, 1e-2, 200000, 40 * M);
	flood(100000, 1e-2, 40000, 20 * M);
}

#define RATE_TEST(name, capacity, fpr, make_id, tries)       \
	static void name(void **state)                       \
	{                                                    \
		(void)state;                                 \
		check(#name, capacity, fpr, make_id, tries); \
	}

RATE_TEST(rate_1e_2, M, 1e-2, random_id, 4 * M)
RATE_TEST(rate_1e_3, M, 1e-3, random_id, 20 * M)
RATE_TEST(rate_1e_4, M, 1e-4, random_id, 60 * M)
RATE_TEST(rate_1e_5, M, 1e-5, random_id, 100 * M)
RATE_TEST(rate_1e_6, M, 1e-6, random_id, 480 * M)
RATE_TEST(rate_one_word, M, 0.05, random_id, 1 * M)
RATE_TEST(rate_small, 10000, 1e-3, random_id, 10 * M)
RATE_TEST(rate_counter_low, M, 1e-3, counter_low, 20 * M)
RATE_TEST(rate_counter_high, M, 1e-3, counter_high, 20 * M)
RATE_TEST(rate_node_and_counter, M, 1e-4, node_and_counter, 60 * M)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rate_1e_2),
		cmocka_unit_test(rate_1e_3),
		cmocka_unit_test(rate_1e_4),
		cmocka_unit_test(rate_1e_5),
		cmocka_unit_test(rate_1e_6),
		cmocka_unit_test(rate_one_word),
		cmocka_unit_test(rate_small),
		cmocka_unit_test(rate_counter_low),
		cmocka_unit_test(rate_counter_high),
		cmocka_unit_test(rate_node_and_counter),
		cmocka_unit_test(floods),
	};

	return run_any_tests("rate", tests, ARRAY_SIZE(tests));
}
