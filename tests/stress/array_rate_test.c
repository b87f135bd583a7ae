// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The rate of the array layouts, simulated against promised, for every scheme: whole sets of
 * ids are learned at the positions that the kernel uses, fresh ids are tried. An array is
 * as full as the plan lets it be, flat's other one too.
 *
 * To see 1e-6, SETS arrays are tried at once: each position has one bit for each of them.
 */
#include "support.h"

#include <math.h>

#include "array_rate.h"
#include "countdown.h"
#include "flat.h"
#include "plan.h"
#include "layout.h"
#include "stats.h"

#define HZ 250
#define CPUS 1
#define SETS 1024
#define SET_WORDS (SETS / 64)
#define STATUSES 128
#define ID_BYTES 32

struct sets {
	uint64_t word[SET_WORDS];
};

static struct dedup_id random_id(uint64_t *seed)
{
	struct dedup_id id = { 0 };

	for (int w = 0; w < ID_BYTES / 8; w++)
		id.word[w] = random_next(seed);
	return id;
}

/* Every set learns n ids of its own. */
static struct sets *learn(const struct dedup_config *c, uint32_t n, uint64_t *seed)
{
	struct sets *at = calloc(c->memory.m, sizeof(*at));
	struct dedup_positions p;

	assert_non_null(at);
	for (uint32_t set = 0; set < SETS; set++)
		for (uint32_t i = 0; i < n; i++) {
			struct dedup_id id = random_id(seed);

			dedup_positions(&p, &id, c->policy.id_bytes, c, 0);
			for (uint32_t j = 0; j < c->memory.k; j++)
				at[p.index[j]].word[set / 64] |= 1ULL << set % 64;
		}
	return at;
}

/* Ors into *known which of the sets hold the id. */
static void hold(const struct sets *at, const struct dedup_positions *p, uint32_t k,
		 struct sets *known)
{
	for (int w = 0; w < SET_WORDS; w++) {
		uint64_t all = ~0ULL;

		for (uint32_t i = 0; i < k && all; i++)
			all &= at[p->index[i]].word[w];
		known->word[w] |= all;
	}
}

struct seen {
	double tried, known;
	double by_set, by_probe; /* sums of squares: both ids and probes are drawn by chance */
	double by_bits;		 /* what status says, on average */
};

static void try_fresh(const struct dedup_config *c, const struct sets *a, const struct sets *b,
		      uint64_t probes, uint64_t *seed, struct seen *seen)
{
	uint32_t of_set[SETS] = { 0 };

	for (uint64_t i = 0; i < probes; i++) {
		struct dedup_id id = random_id(seed);
		struct sets known = { { 0 } };
		struct dedup_positions p;
		double hits = 0;

		dedup_positions(&p, &id, c->policy.id_bytes, c, 0);
		hold(a, &p, c->memory.k, &known);
		if (b)
			hold(b, &p, c->memory.k, &known);
		for (int w = 0; w < SET_WORDS; w++)
			for (uint64_t left = known.word[w]; left; left &= left - 1) {
				of_set[64 * w + __builtin_ctzll(left)]++;
				hits++;
			}
		seen->by_probe += hits * hits;
		seen->known += hits;
	}
	for (int set = 0; set < SETS; set++)
		seen->by_set += pow(of_set[set] - seen->known / SETS, 2);
	seen->tried += (double)probes * SETS;
}

/* What status says of a filter whose arrays are those of one set. */
static double rate_by_bits(const struct dedup_config *c, const struct sets *a, const struct sets *b,
			   uint32_t set)
{
	struct dedup_block *blocks = aligned_alloc(64, (size_t)c->memory.blocks * sizeof(*blocks));
	double fpr;

	assert_non_null(blocks);
	memset(blocks, 0, (size_t)c->memory.blocks * sizeof(*blocks));
	for (uint32_t i = 0; i < c->memory.m; i++) {
		bool in_a = a[i].word[set / 64] >> set % 64 & 1;

		if (c->memory.layout == DEDUP_COUNTDOWN) {
			*dedup_cell(blocks, i) = in_a;
			continue;
		}
		*dedup_flat_word(blocks, c->memory.places, 0, i) |= (uint64_t)in_a << i % 64;
		if (b[i].word[set / 64] >> set % 64 & 1)
			*dedup_flat_word(blocks, c->memory.places, 1, i) |= dedup_bits_mask(i);
	}
	fpr = stats_fill(c, blocks, 0, FILL_ALL).fpr;
	free(blocks);
	return fpr;
}

/* Over several secrets, where the scheme has one. */
static struct seen simulate(struct dedup_config *c, uint32_t n, uint64_t probes)
{
	bool keyed = c->memory.hash == DEDUP_FAST || c->memory.hash == DEDUP_SIPHASH;
	struct seen sum = { 0 };
	uint64_t seed = 1 + c->memory.hash + 10 * c->memory.layout;

	for (int round = 0, rounds = keyed ? 4 : 1; round < rounds; round++) {
		struct seen seen = { 0 };
		struct sets *a, *b = NULL;

		for (int i = 0; i < DEDUP_KEYS; i++)
			c->secrets.key[i] = random_next(&seed);
		a = learn(c, n, &seed);
		if (c->memory.layout == DEDUP_FLAT)
			b = learn(c, n, &seed);
		try_fresh(c, a, b, probes / rounds, &seed, &seen);
		for (uint32_t set = 0; set < SETS; set += SETS / STATUSES)
			sum.by_bits += rate_by_bits(c, a, b, set) / STATUSES / rounds;
		free(a);
		free(b);
		sum.tried += seen.tried;
		sum.known += seen.known;
		sum.by_set += seen.by_set;
		sum.by_probe += seen.by_probe;
	}
	return sum;
}

/* FIPS has powers of 2 for m; for other m the computed rate is too high. */
static const struct row {
	const char *name;
	enum dedup_layout layout;
	enum dedup_hash_scheme hash;
	double fpr;
	uint32_t capacity, probes, m, k;
	bool loose;
} ROWS[] = {
#define K 1000
#define ROW(name_, layout_, hash_, fpr_, ids, tries, ...)                                     \
	{                                                                                     \
		.name = name_, .layout = DEDUP_##layout_, .hash = DEDUP_##hash_, .fpr = fpr_, \
		.capacity = ids, .probes = tries, ##__VA_ARGS__                               \
	}
#define FLAT(hash, fpr, ...) ROW("flat-" #hash "-" #fpr, FLAT, hash, fpr, __VA_ARGS__)
#define CELLS(hash, fpr, ...) ROW("countdown-" #hash "-" #fpr, COUNTDOWN, hash, fpr, __VA_ARGS__)
	FLAT(FAST, 1e-2, 100, 40 * K),
	FLAT(FAST, 1e-4, 100, 400 * K),
	FLAT(FAST, 1e-6, 100, 2000 * K),
	FLAT(SIPHASH, 1e-2, 100, 40 * K),
	FLAT(SIPHASH, 1e-4, 100, 400 * K),
	FLAT(SIPHASH, 1e-6, 100, 2000 * K),
	FLAT(COLIBRI, 1e-2, 100, 40 * K),
	FLAT(COLIBRI, 1e-4, 100, 100 * K),
	FLAT(COLIBRI, 1e-6, 100, 200 * K),
	FLAT(TEZOS, 1e-2, 100, 40 * K),
	FLAT(TEZOS, 1e-4, 100, 400 * K),
	FLAT(TEZOS, 1e-6, 100, 2000 * K),
	FLAT(FNV1A, 1e-2, 100, 40 * K),
	FLAT(FNV1A, 1e-3, 20, 400 * K),
	FLAT(FNV1A, 1e-4, 100, 400 * K, .k = 6),
	FLAT(FNV1A, 1e-5, 100, 1000 * K, .k = 7),
	FLAT(FNV1A, 1e-6, 100, 2000 * K, .k = 10),
	FLAT(FIPS, 1e-2, 1000, 40 * K),
	FLAT(FIPS, 1e-3, 1000, 400 * K),
	FLAT(FIPS, 1e-4, 1000, 2000 * K),
	FLAT(FIPS, 1e-5, 1000, 4000 * K),
	ROW("flat-FIPS-large", FLAT, FIPS, 1e-6, 1000, 4000 * K, .m = 16384),
	ROW("flat-FIPS-k-32", FLAT, FIPS, 1e-6, 100, 4000 * K, .m = 8192, .k = 32),
	ROW("flat-FIPS-odd", FLAT, FIPS, 1e-4, 200, 800 * K, .m = 8191, .k = 9, .loose = true),
	ROW("flat-FIPS-even", FLAT, FIPS, 1e-4, 200, 800 * K, .m = 6300, .k = 9, .loose = true),
	CELLS(FAST, 1e-2, 100, 40 * K),
	CELLS(FAST, 1e-4, 100, 400 * K),
	CELLS(FAST, 1e-6, 100, 2000 * K),
	CELLS(SIPHASH, 1e-2, 100, 40 * K),
	CELLS(SIPHASH, 1e-4, 100, 400 * K),
	CELLS(SIPHASH, 1e-6, 100, 2000 * K),
	CELLS(COLIBRI, 1e-2, 100, 40 * K),
	CELLS(COLIBRI, 1e-4, 100, 100 * K),
	CELLS(COLIBRI, 1e-6, 100, 300 * K),
	CELLS(FIPS, 1e-2, 100, 40 * K),
	CELLS(FIPS, 1e-4, 100, 1000 * K),
	CELLS(FIPS, 1e-5, 100, 2000 * K),
	CELLS(FIPS, 1e-6, 100, 4000 * K),
	CELLS(FNV1A, 1e-2, 100, 40 * K, .k = 1),
	CELLS(FNV1A, 1e-4, 100, 400 * K),
	CELLS(FNV1A, 1e-6, 100, 2000 * K),
	CELLS(TEZOS, 1e-2, 100, 40 * K),
	CELLS(TEZOS, 1e-4, 100, 400 * K),
	CELLS(TEZOS, 1e-6, 100, 2000 * K),
};

static struct dedup_config plan_of(const struct row *row)
{
	struct filter_spec spec = {
		.layout = row->layout,
		.hash = row->hash,
		.capacity = row->capacity,
		.fpr_e18 = SPEC_FPR(row->fpr),
		.bits = row->m,
		.hashes = row->k,
		.window_ns = 600000000000,
		.streams = { { SPEC_GSP } },
		.streams_cnt = 1,
	};
	struct dedup_config c;

	assert_int_equal(plan_config(&spec, CPUS, HZ, &c), 0);
	return c;
}

/* The promised rate, the rate computed from so many ids, the rate computed from the bits: none is
 * too low, and the latter two are not far too high.
 */
static void rate_is_as_promised(void **state)
{
	const struct row *row = *state;
	struct dedup_config c = plan_of(row);
	double ids = plan_ids(&c, CPUS, row->fpr),
	       computed = layout_of(c.memory.layout)->rate(&c, ids);
	struct seen seen = simulate(&c, ids, row->probes);
	double rate = seen.known / seen.tried;
	double error = sqrt(seen.by_set + seen.by_probe) / seen.tried;

	print_message("# %s: m %u k %u, %g ids: promised %.3g, computed %.3g, by the bits %.3g, "
		      "seen %.3g +- %.2g\n",
		      row->name, c.memory.m, c.memory.k, ids, plan_fpr(&c), computed, seen.by_bits,
		      rate, error);
	assert_true(error < 0.15 * computed);
	assert_true(rate <= plan_fpr(&c) + 3 * error);
	assert_true(rate <= computed + 3 * error);
	assert_true(rate <= seen.by_bits + 3 * error);
	if (row->loose)
		return;
	assert_true(rate >= 0.9 * computed - 3 * error);
	assert_true(rate >= 0.9 * seen.by_bits - 3 * error);
}

#define MANY 1000000
#define TRIES 10000000

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* 2^32 draws of three quarters as many bits: every third bit is drawn twice as often. */
static void uneven_draws_count(void **state)
{
	struct dedup_config c = { .memory.hash = DEDUP_FAST,
				  .memory.m = 3U << 30,
				  .memory.k = 1,
				  .secrets.key = { 7, 9 },
				  .policy.id_bytes = ID_BYTES };
	double expected = array_rate(DEDUP_FAST, c.memory.m, 1, MANY) * TRIES, found = 0;
	uint32_t *set = calloc(MANY, sizeof(*set));
	struct dedup_positions p;
	uint64_t seed = 3;

	(void)state;
	assert_non_null(set);
	for (int i = 0; i < MANY + TRIES; i++) {
		struct dedup_id id = random_id(&seed);

		dedup_positions(&p, &id, c.policy.id_bytes, &c, 0);
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

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++)
		add_test(ROWS[i].name, rate_is_as_promised, NULL, NULL, &ROWS[i]);
	add_test("uneven_draws_count", uneven_draws_count, NULL, NULL, NULL);
	return run_added_tests("array_rate");
}
