// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Filters before they are loaded: how large flat and countdown are, how many probes they take,
 * which rate they keep; and the streams of any layout.
 */
#include "unit.h"

#include "flat.h"
#include "hand.h"
#include "plan.h"
#include "layout.h"
#include "sim.h"
#include "streams.h"

#define MS 1000000ULL
#define S (1000 * MS)
#define HZ 250

static struct filter_spec spec_of(enum dedup_layout layout, enum dedup_hash_scheme hash,
				  uint64_t capacity, double fpr)
{
	return (struct filter_spec){
		.layout = layout,
		.hash = hash,
		.capacity = capacity,
		.fpr_e18 = SPEC_FPR(fpr),
		.window_ns = 600 * S,
		.streams = { { SPEC_GSP, .ports = { { 8001, 8001 } }, .ports_cnt = 1 } },
		.streams_cnt = 1,
	};
}

static struct dedup_config plan_of(const struct filter_spec *spec)
{
	struct dedup_config c;

	assert_null(layout_of(spec->layout)->refusal(spec));
	assert_int_equal(plan_config(spec, 2, HZ, &c), 0);
	return c;
}

static const char NEEDS_FLAT[] =
	"--hash colibri, fips, fnv1a and tezos need --layout flat or countdown";
static const char BITS_FLAT[] = "--bits is for --layout flat (countdown has --index-bits)";
static const char HASHES_NOT[] = "--hashes is for --layout flat and countdown";
static const char INDEX_COUNTDOWN[] = "--index-bits and --countdown-bits are for --layout countdown";
static const char TEZOS_POWER[] = "with --hash tezos --bits is a power of 2, from 2 to 16777216";
static const char TEZOS_BITS[] =
	"SHA-256 has 256 bits: with --hash tezos so many --hashes times the bits of an index "
	"(--index-bits, or log2 of --bits) must not be more";

static const struct refusal_row {
	enum dedup_layout layout;
	enum dedup_hash_scheme hash;
	uint32_t bits, hashes, index_bits, countdown_bits;
	const char *says; /* NULL: fine */
} REFUSALS[] = {
	{ DEDUP_BLOCKED, DEDUP_SIPHASH, 0, 0, 0, 0, NULL },
	{ DEDUP_BLOCKED, DEDUP_COLIBRI, 0, 0, 0, 0, NEEDS_FLAT },
	{ DEDUP_BLOCKED, DEDUP_TEZOS, 0, 0, 0, 0, NEEDS_FLAT },
	{ DEDUP_BLOCKED, DEDUP_FAST, 1, 0, 0, 0, BITS_FLAT },
	{ DEDUP_BLOCKED, DEDUP_FAST, 0, 1, 0, 0, HASHES_NOT },
	{ DEDUP_BLOCKED, DEDUP_FAST, 0, 0, 1, 0, INDEX_COUNTDOWN },
	{ DEDUP_BLOCKED, DEDUP_FAST, 0, 0, 0, 1, INDEX_COUNTDOWN },
	{ DEDUP_FLAT, DEDUP_FAST, 1, 1, 0, 0, NULL },
	{ DEDUP_FLAT, DEDUP_COLIBRI, 3, 32, 0, 0, NULL },
	{ DEDUP_FLAT, DEDUP_FAST, 0, 0, 1, 0, INDEX_COUNTDOWN },
	{ DEDUP_FLAT, DEDUP_FAST, 0, 0, 0, 1, INDEX_COUNTDOWN },
	{ DEDUP_FLAT, DEDUP_TEZOS, 0, 32, 0, 0, NULL },
	{ DEDUP_FLAT, DEDUP_TEZOS, 1, 0, 0, 0, TEZOS_POWER },
	{ DEDUP_FLAT, DEDUP_TEZOS, 2, 0, 0, 0, NULL },
	{ DEDUP_FLAT, DEDUP_TEZOS, 1000, 0, 0, 0, TEZOS_POWER },
	{ DEDUP_FLAT, DEDUP_TEZOS, 1 << 24, 0, 0, 0, NULL },
	{ DEDUP_FLAT, DEDUP_TEZOS, 1 << 25, 0, 0, 0, TEZOS_POWER },
	{ DEDUP_FLAT, DEDUP_TEZOS, 1 << 24, 10, 0, 0, NULL },
	{ DEDUP_FLAT, DEDUP_TEZOS, 1 << 24, 11, 0, 0, TEZOS_BITS },
	{ DEDUP_FLAT, DEDUP_TEZOS, 1 << 8, 32, 0, 0, NULL },
	{ DEDUP_FLAT, DEDUP_TEZOS, 1 << 9, 29, 0, 0, TEZOS_BITS },
	{ DEDUP_COUNTDOWN, DEDUP_FAST, 0, 5, 24, 24, NULL },
	{ DEDUP_COUNTDOWN, DEDUP_FAST, 64, 0, 0, 0, BITS_FLAT },
	{ DEDUP_COUNTDOWN, DEDUP_TEZOS, 0, 32, 0, 1, NULL },
	{ DEDUP_COUNTDOWN, DEDUP_TEZOS, 0, 16, 16, 0, NULL },
	{ DEDUP_COUNTDOWN, DEDUP_TEZOS, 0, 17, 16, 0, TEZOS_BITS },
};

TEST(refusals_are_told)
{
	for (size_t i = 0; i < ARRAY_SIZE(REFUSALS); i++) {
		const struct refusal_row *row = &REFUSALS[i];
		struct filter_spec spec = spec_of(row->layout, row->hash, 1000, 1e-3);
		const char *says;

		spec.bits = row->bits;
		spec.hashes = row->hashes;
		spec.index_bits = row->index_bits;
		spec.countdown_bits = row->countdown_bits;
		says = layout_of(spec.layout)->refusal(&spec);
		if (!says != !row->says || (says && strcmp(says, row->says)))
			fail_msg("row %zu: %s", i, says ? says : "taken");
	}
}

/* m and k of what is asked for; 0: whatever keeps the rate. */
static const struct pick_row {
	uint32_t m, k;
	enum dedup_layout layout;
	enum dedup_hash_scheme hash;
	uint64_t capacity;
	double fpr;
	uint32_t bits, hashes, index_bits; /* 0: not given */
} PICKS[] = {
	{ 9586, 7, DEDUP_FLAT, DEDUP_COLIBRI, 1000, 0.01, 0, 0, 0 },
	{ 20000, 7, DEDUP_FLAT, DEDUP_COLIBRI, 1000, 0.01, 20000, 0, 0 },
	{ 3, 1, DEDUP_FLAT, DEDUP_COLIBRI, 10, 0.9, 0, 0, 0 },
	{ 8192, 5, DEDUP_FLAT, DEDUP_FIPS, 100, 1e-4, 0, 0, 0 },
	{ 500, 5, DEDUP_FLAT, DEDUP_FIPS, 100, 1e-4, 500, 0, 0 },
	{ 8192, 9, DEDUP_FLAT, DEDUP_FIPS, 100, 1e-4, 0, 9, 0 },
	{ 0, 1, DEDUP_FLAT, DEDUP_FNV1A, 100, 1e-2, 0, 0, 0 },
	{ 0, 4, DEDUP_FLAT, DEDUP_FAST, 100, 1e-2, 0, 4, 0 },
	{ 77, 8, DEDUP_FLAT, DEDUP_SIPHASH, 100, 1e-2, 77, 0, 0 },
	{ 77, 1, DEDUP_FLAT, DEDUP_FAST, 100, 0.99, 77, 0, 0 },
	{ 77, 32, DEDUP_FLAT, DEDUP_SIPHASH, 100, 1e-11, 77, 0, 0 },
	{ 9, 5, DEDUP_FLAT, DEDUP_FAST, 100, 1e-2, 9, 5, 0 },
	{ 1 << 24, 10, DEDUP_FLAT, DEDUP_TEZOS, 10, 1e-18, 1 << 24, 0, 0 },
	{ 1 << 20, 1, DEDUP_COUNTDOWN, DEDUP_TEZOS, 100, 1e-2, 0, 0, 20 },
	{ 16, 7, DEDUP_COUNTDOWN, DEDUP_FAST, 1000, 1e-2, 0, 0, 4 },
	{ 1 << 10, 25, DEDUP_COUNTDOWN, DEDUP_TEZOS, 1000, 1e-18, 0, 0, 10 },
	{ 0, 6, DEDUP_COUNTDOWN, DEDUP_FAST, 1000, 1e-2, 0, 6, 0 },
};

TEST(picks_follow_the_scheme)
{
	for (size_t i = 0; i < ARRAY_SIZE(PICKS); i++) {
		const struct pick_row *row = &PICKS[i];
		struct filter_spec spec = spec_of(row->layout, row->hash, row->capacity, row->fpr);
		struct dedup_config c;

		spec.bits = row->bits;
		spec.hashes = row->hashes;
		spec.index_bits = row->index_bits;
		c = plan_of(&spec);
		if ((row->m && c.memory.m != row->m) || (row->k && c.memory.k != row->k))
			fail_msg("row %zu: m = %u, k = %u", i, c.memory.m, c.memory.k);
		if (!row->m) {
			assert_true(plan_fpr(&c) <= row->fpr * (1 + 1e-9));
			/* A smaller one would not do. */
			c.memory.m -= c.memory.layout == DEDUP_FLAT ? 1 : c.memory.m / 2;
			assert_true(layout_of(c.memory.layout)->rate(&c, plan_ids(&c, 2, row->fpr)) >
				    row->fpr);
		}
		assert_true(c.memory.layout == row->layout && c.memory.hash == row->hash);
	}
}

/* Ids of one hash are one id to any filter, however large; and what is too large is refused. */
static const struct {
	enum dedup_layout layout;
	enum dedup_hash_scheme hash;
	uint64_t capacity;
	double fpr;
	int err;
	double hash_rate; /* of ids with one hash, if the filter is planned */
} PLANS[] = {
	{ DEDUP_BLOCKED, DEDUP_FAST, 1000000, 1e-15, -ENOTUNIQ, 0 },
	{ DEDUP_BLOCKED, DEDUP_FAST, 1, 9.3e-10, -ENOTUNIQ, 0 },
	{ DEDUP_BLOCKED, DEDUP_FAST, 1000000, 1e-9, 0, 3 * 0x1p-32 },
	{ DEDUP_FLAT, DEDUP_FAST, 1000, 9.3e-10, -ENOTUNIQ, 0 },
	{ DEDUP_FLAT, DEDUP_FAST, 1000, 1e-9, 0, 3 * 0x1p-32 },
	{ DEDUP_COUNTDOWN, DEDUP_FAST, 100, 9.3e-10, -ENOTUNIQ, 0 },
	{ DEDUP_COUNTDOWN, DEDUP_FAST, 100, 1e-9, 0, 3 * 0x1p-32 },
	{ DEDUP_BLOCKED, DEDUP_SIPHASH, 1000000, 1.4e-13, -ENOTUNIQ, 0 },
	{ DEDUP_BLOCKED, DEDUP_SIPHASH, 1000000, 1e-12, 0, 2e6 * 0x1p-64 },
	{ DEDUP_BLOCKED, DEDUP_SIPHASH, 1000, 1e-15, 0, 2e3 * 0x1p-64 },
	{ DEDUP_COUNTDOWN, DEDUP_FNV1A, 100, 5e-18, -ENOTUNIQ, 0 },
	{ DEDUP_FLAT, DEDUP_TEZOS, 100, 1e-17, 0, 1e-20 },
	{ DEDUP_FLAT, DEDUP_FAST, 1000000000, 1e-4, -EOVERFLOW, 0 },
	{ DEDUP_FLAT, DEDUP_TEZOS, 1000000000, 1e-4, -EOVERFLOW, 0 },
	{ DEDUP_FLAT, DEDUP_COLIBRI, 1000000000, 1e-4, -EOVERFLOW, 0 },
	{ DEDUP_FLAT, DEDUP_COLIBRI, 10, 1e-12, -EDOM, 0 },
	{ DEDUP_COUNTDOWN, DEDUP_FAST, 1000000000, 1e-4, -EOVERFLOW, 0 },
	/* One step in 8,192 leaves one probe: no capacity is low enough. */
	{ DEDUP_FLAT, DEDUP_FIPS, 1, 1e-6, -EOPNOTSUPP, 0 },
};

TEST(rates_that_no_filter_keeps_are_refused)
{
	for (size_t i = 0; i < ARRAY_SIZE(PLANS); i++) {
		struct filter_spec spec =
			spec_of(PLANS[i].layout, PLANS[i].hash, PLANS[i].capacity, PLANS[i].fpr);
		struct dedup_config c = { .memory.m = 7 };
		int err = plan_config(&spec, 2, HZ, &c);

		if (err != PLANS[i].err)
			fail_msg("row %zu: %d", i, err);
		if (err)
			assert_int_equal(c.memory.m, 7);
		else
			assert_true(layout_of(spec.layout)->rate(&c, plan_ids(&c, 2, spec_fpr(&spec))) +
					    PLANS[i].hash_rate <=
				    spec_fpr(&spec));
	}
}

/* Not rounded on the way: people compare what they wrote with what status shows. */
TEST(rates_are_kept_to_the_digit)
{
	static const double ROWS[] = { 0.0079, 0.0082, 0.00395, 0.00412, 0.03, 0.3, 1e-4, 1e-9 };

	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		struct filter_spec spec = spec_of(DEDUP_BLOCKED, DEDUP_FAST, 1000, ROWS[i]);

		assert_int_equal(spec.fpr_e18, llround(ROWS[i] * 1e18));
		assert_int_equal(plan_of(&spec).memory.fpr_e18, spec.fpr_e18);
	}
}

TEST(fips_own_size_refuses_what_it_cannot_keep)
{
	struct filter_spec spec = spec_of(DEDUP_FLAT, DEDUP_FIPS, 1, 1e-6);
	struct dedup_config c;

	spec.hashes = 12;
	assert_int_equal(plan_config(&spec, 2, HZ, &c), -EOPNOTSUPP);
	spec.bits = 1 << 16;
	c = plan_of(&spec);
	assert_true(plan_fpr(&c) <= 1e-6 * (1 + 1e-9) && c.memory.capacity == 1);
	spec.bits = 1 << 13; /* asked for in so many words: told, not refused */
	c = plan_of(&spec);
	assert_true(plan_fpr(&c) > 1e-6 && c.memory.capacity == 1);
	spec = spec_of(DEDUP_FLAT, DEDUP_FIPS, 1000, 1e-5);
	c = plan_of(&spec);
	assert_true(c.memory.m == 8192 && plan_fpr(&c) <= 1e-5 * (1 + 1e-9) &&
		    c.memory.capacity < 200);
}

/* Places and memory go with m; numbers are in their ranges; marks suffice. */
static void check_parameters(const struct dedup_config *c)
{
	assert_true(c->memory.k >= 1 && c->memory.k <= DEDUP_HASHES_MAX);
	assert_true(c->memory.m >= 1 || c->memory.layout == DEDUP_BLOCKED);
	if (c->memory.layout == DEDUP_BLOCKED) {
		assert_int_equal(c->memory.places, c->memory.blocks);
		assert_int_equal(c->memory.k, c->memory.words * c->memory.bits);
		assert_true((uint64_t)c->memory.segment_places * DEDUP_MARKS >= c->memory.places);
	} else if (c->memory.layout == DEDUP_FLAT) {
		assert_int_equal(c->memory.places, (c->memory.m + 511ULL) / 512);
		assert_int_equal(c->memory.blocks, 2 * c->memory.places);
		assert_int_equal(c->memory.segment_places, c->memory.places);
	} else {
		assert_int_equal(c->memory.m & (c->memory.m - 1), 0);
		assert_in_range(c->memory.m, 2, 1 << 24);
		assert_int_equal(c->memory.blocks, (c->memory.m + 15) / 16);
		assert_int_equal((c->memory.places + 1) & c->memory.places, 0);
		assert_int_equal(c->memory.segment_places, (c->memory.places + 1023) / 1024);
		assert_true((uint64_t)c->memory.segment_places * DEDUP_MARKS >= c->memory.places);
	}
	if (c->memory.hash == DEDUP_TEZOS) {
		assert_int_equal(c->memory.m & (c->memory.m - 1), 0);
		assert_true(c->memory.k * (uint32_t)__builtin_ctz(c->memory.m) <= 256);
	}
	assert_int_equal(c->memory.known_cnt & (c->memory.known_cnt - 1), 0);
	if (c->memory.hash == DEDUP_COLIBRI || c->memory.hash == DEDUP_FIPS ||
	    c->memory.hash == DEDUP_TEZOS)
		assert_true(
			(c->memory.known_cnt == 64 || c->memory.known_cnt / 2 < c->memory.capacity) &&
			(c->memory.known_cnt == 65536 ||
			 (c->memory.known_cnt >= 64 && c->memory.known_cnt >= c->memory.capacity)));
	else
		assert_int_equal(c->memory.known_cnt, 0);
	assert_true(plan_bytes(c) == 64ULL * c->memory.blocks + 64ULL * c->memory.known_cnt);
}

/* The hand's promises, as hand.h needs them. */
static void check_paces(const struct dedup_config *c, uint64_t window_ns)
{
	assert_true(c->memory.window_ns == window_ns);
	assert_true(c->memory.tick_ns >= MS / 10 && c->memory.tick_ns <= 10 * MS);
	/* Twice round in a window, if it must be. */
	assert_true(c->memory.window_ns / c->memory.tick_ns * DEDUP_STEP_PLACES >=
		    2ULL * c->memory.places);
	assert_true(c->memory.busy_tick_ns <= c->memory.tick_ns && c->memory.busy_tick_ns <= MS);
	assert_true(c->memory.stale_ns >= 10 * c->memory.tick_ns && c->memory.stale_ns <= 2000 * MS);
	assert_true(c->memory.stale_jiffies == c->memory.stale_ns * HZ / S + 1);
	assert_true(c->memory.late_ns >= c->memory.tick_ns &&
		    c->memory.late_ns <= 2 * c->memory.tick_ns + S / HZ);
	/* All countdowns but one, which may come at once, take a window, and a little more. */
	if (c->memory.layout == DEDUP_COUNTDOWN && c->memory.places > 1) {
		double rest = (double)c->memory.countdown_ns * (c->memory.places - 1);

		assert_true(rest >= (double)c->memory.window_ns * (1 + 1.0 / 1024));
		assert_true(rest <= (double)c->memory.window_ns * (1 + 1.0 / 64) + c->memory.places);
	}
	/* A window's ids, two windows' in countdown, and what overload adds, in whole claims. */
	assert_true(c->memory.turn_ids > c->memory.capacity);
	if (c->memory.layout == DEDUP_COUNTDOWN && c->memory.places > 1)
		assert_true(c->memory.full_ids > 2 * c->memory.turn_ids);
	assert_true(c->memory.full_ids >=
		    c->memory.turn_ids + 2 * c->memory.claim + c->memory.capacity / 64);
	/* Those of even traffic that come while a step is late. */
	assert_true((double)c->memory.full_ids >=
		    c->memory.capacity *
			    (1 + (double)c->memory.late_ns / c->memory.window_ns + 1.0 / 64));
}

static bool may_lose_more(const struct filter_spec *spec, const struct dedup_config *c)
{
	return c->memory.capacity == 1 ||
	       (spec->hash == DEDUP_COLIBRI && !spec->bits && !spec->hashes);
}

static void check_promise(const struct filter_spec *spec, const struct dedup_config *c,
			  unsigned int cpus)
{
	double rate = layout_of(c->memory.layout)->rate(c, plan_ids(c, cpus, spec_fpr(spec)));

	assert_true(rate <= plan_fpr(c) * (1 + 1e-9) + 1e-18);
	assert_true(plan_fpr(c) <= 1);
	assert_true(c->memory.capacity >= 1 && c->memory.capacity <= spec->capacity);
	/* An m that was not given is large enough. */
	if (!spec->bits && !spec->index_bits && spec->hash != DEDUP_COLIBRI &&
	    (spec->hash != DEDUP_FIPS || spec->layout != DEDUP_FLAT))
		assert_true(c->memory.capacity == spec->capacity);
	if (!may_lose_more(spec, c) && plan_fpr(c) > spec_fpr(spec) * (1 + 1e-9) + 1e-18)
		fail_msg("layout %u hash %u capacity %llu -> %llu fpr %g -> %g bits %u hashes %u "
			 "index %u "
			 "countdown %u cpus %u m %u k %u",
			 spec->layout, spec->hash, (unsigned long long)spec->capacity,
			 c->memory.capacity, spec_fpr(spec), plan_fpr(c), spec->bits, spec->hashes,
			 spec->index_bits, spec->countdown_bits, cpus, c->memory.m, c->memory.k);
	assert_true(plan_fpr(c) >= spec_fpr(spec) * (1 - 1e-9) - 1e-18);
	assert_true(plan_ids(c, cpus, spec_fpr(spec)) >=
		    c->memory.full_ids + 2.0 * cpus * c->memory.claim);
}

/* Of sizes that are given: fewer ids, and no fewer than must be. */
TEST(capacity_is_lowered_for_the_rate)
{
	static const struct {
		enum dedup_layout layout;
		enum dedup_hash_scheme hash;
		uint32_t bits, index_bits, hashes;
	} ROWS[] = {
		{ DEDUP_FLAT, DEDUP_FAST, 10000, 0, 4 },
		{ DEDUP_FLAT, DEDUP_FIPS, 0, 0, 0 },
		{ DEDUP_FLAT, DEDUP_COLIBRI, 0, 0, 3 },
		{ DEDUP_FLAT, DEDUP_COLIBRI, 90000, 0, 0 },
		{ DEDUP_FLAT, DEDUP_FNV1A, 1 << 20, 0, 0 },
		{ DEDUP_COUNTDOWN, DEDUP_FAST, 0, 12, 3 },
		{ DEDUP_COUNTDOWN, DEDUP_TEZOS, 0, 16, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		struct filter_spec spec = spec_of(ROWS[i].layout, ROWS[i].hash, 100000, 1e-3);
		struct dedup_config c, full;
		uint32_t m, k;

		spec.bits = ROWS[i].bits;
		spec.index_bits = ROWS[i].index_bits;
		spec.hashes = ROWS[i].hashes;
		c = plan_of(&spec);
		assert_in_range(c.memory.capacity, 2, 99999);
		check_promise(&spec, &c, 2);
		assert_true(fabs(plan_fpr(&c) / 1e-3 - 1) < 1e-9);
		/* With one more they would not do. */
		m = c.memory.m, k = c.memory.k;
		spec.capacity = c.memory.capacity + 1;
		full = plan_of(&spec);
		if (full.memory.m == m && full.memory.k == k)
			assert_int_equal(full.memory.capacity, c.memory.capacity);
		else
			assert_int_equal(spec.hash, DEDUP_COLIBRI); /* whose m goes with it */
	}
}

/* Whatever is asked for, and not refused, can be loaded, or is refused by its size. */
TEST(any_spec_makes_a_plan_or_none)
{
	uint64_t seed = 5;
	int planned = 0, refused = 0;

	for (int i = 0; i < 4000; i++) {
		uint64_t r = random_next(&seed);
		struct filter_spec spec =
			spec_of(r % 3, r / 4 % 6, 1 + random_next(&seed) % (1ULL << (r / 16 % 40)),
				pow(10, -18.0 * (random_next(&seed) % 10000) / 10000));
		unsigned int cpus = 1 + r / 1024 % 300;
		struct dedup_config c;

		if (spec_fpr(&spec) >= 1)
			continue;
		spec.window_ns = 100 * MS + random_next(&seed) % (1ULL << (20 + r / 4096 % 31));
		r = random_next(&seed);
		spec.bits = r % 3 ? 0 : 1 + random_next(&seed) % (1ULL << (r / 8 % 32));
		spec.hashes = r / 512 % 2 ? 0 : 1 + r / 1024 % 32;
		spec.index_bits = r / 65536 % 2 ? 0 : 1 + r / (1 << 20) % 24;
		spec.countdown_bits = (r >> 32) % 2 ? 0 : 1 + (r >> 33) % 24;
		if (spec.layout == DEDUP_BLOCKED)
			spec.bits = spec.hashes = spec.index_bits = spec.countdown_bits = 0;
		else if (spec.layout == DEDUP_FLAT)
			spec.index_bits = spec.countdown_bits = (r >> 60) == 0;
		else
			spec.bits = (r >> 60) == 0;
		if (layout_of(spec.layout)->refusal(&spec)) {
			refused++;
			continue;
		}
		if (plan_config(&spec, cpus, HZ, &c))
			continue;
		check_parameters(&c);
		check_paces(&c, spec.window_ns);
		check_promise(&spec, &c, cpus);
		planned++;
	}
	assert_true(planned > 1000 && refused > 100);
}

/* A stream of this profile, whose name is `name`. Ports and destinations: so many, from `first` on. */
static void add_stream(struct filter_spec *spec, const char *name, const char *profile,
		       uint32_t realm, uint32_t first, uint32_t ports, uint32_t to)
{
	struct spec_stream *s = &spec->streams[spec->streams_cnt++];

	profile_stream(s, name, profile);
	s->stream.realm = realm;
	s->ports_cnt = ports;
	s->to_cnt = to;
	s->to4_cnt = to;
	for (uint32_t i = 0; i < ports; i++)
		s->ports[i] = (struct dedup_ports){ first + 2 * i, first + 2 * i };
	for (uint32_t i = 0; i < to; i++)
		s->to[i] = (struct dedup_prefix){ { first + i, 0 }, { UINT32_MAX, 0 } };
}

/* Without streams. */
static const struct filter_spec SPEC = { .capacity = 1000, .fpr_e18 = SPEC_FPR(1e-3), .window_ns = S };

#define GSP "layer = udp\ndecoder = gsp"
#define FEED "layer = udp\nid = payload+0:20"
#define WORD "layer = udp\nid = payload+0:8"
#define PAIR "layer = udp\nid = payload+0:4 payload+4:4"
#define RING "layer = ethernet\nid = frame+6:6 tag+0:6"
#define MIRROR "layer = ip\nid = packet\nforwarded = yes"

TEST(streams_are_planned)
{
	struct filter_spec spec = SPEC;
	char says[STREAMS_SAYS_MAX];
	struct dedup_config c;

	add_stream(&spec, "a", FEED, 7, 9000, 2, 1);
	add_stream(&spec, "ring", RING, 3, 0, 0, 0);
	add_stream(&spec, "b", FEED, 7, 9002, 1, 1);
	add_stream(&spec, "gsp", GSP, 9, 8001, 1, 0);
	assert_null(streams_refusal(&spec, says));
	c = plan_of(&spec);
	assert_int_equal(c.policy.streams_cnt, 4);
	assert_string_equal(c.policy.streams[2].name, "b");
	/* Realms are numbered in their order; their keys and the digest's are the loader's. */
	assert_true(c.policy.streams[0].realm == 0 && c.policy.streams[1].realm == 1 &&
		    c.policy.streams[2].realm == 0 && c.policy.streams[3].realm == 2);
	assert_true(!c.policy.streams[0].realm_key && !c.secrets.digest_key[0]);
	/* 9002 is a's second one already. */
	assert_int_equal(c.policy.ports_cnt, 3);
	assert_true(c.policy.streams[0].ports_first == 0 && c.policy.streams[0].ports_cnt == 2);
	assert_true(c.policy.streams[2].ports_first == 1 && c.policy.streams[2].ports_cnt == 1);
	assert_true(c.policy.streams[3].ports_first == 2 && c.policy.ports[2].lo == 8001);
	assert_true(c.policy.streams[1].ports_cnt == 0 && c.policy.streams[1].to_cnt == 0);
	assert_int_equal(c.policy.to_cnt, 2);
	assert_true(c.policy.streams[0].to_first == 0 && c.policy.streams[0].to_cnt == 1);
	assert_true(c.policy.streams[2].to_first == 1 && c.policy.streams[2].to4_cnt == 1);
	assert_true(c.policy.to[1].addr[0] == 9002);
	assert_int_equal(c.policy.id_bytes, 32);
	assert_true(c.policy.frames && !c.policy.forwarded &&
		    c.policy.receiver == DEDUP_ONE_INTERFACE);
	spec.several = true;
	assert_int_equal(plan_of(&spec).policy.receiver, DEDUP_SEVERAL_INTERFACES);
	spec.forwarded = true;
	c = plan_of(&spec);
	assert_true(c.policy.receiver == DEDUP_ANYONE && c.policy.forwarded &&
		    c.policy.streams[1].forwarded);
}

/* What one stream makes of the filter. Adjacent: an id that the packet program need not copy: whole
 * words, one behind the other.
 */
TEST(streams_alone)
{
	static const struct {
		const char *profile;
		uint32_t id_bytes, adjacent, frames, forwarded;
	} ROWS[] = {
		{ FEED, 24, 0, 0, 0 },
		{ PAIR, 16, 0, 0, 0 },
		{ "layer = udp\nid = ip+12:4 payload:64", 16, 0, 0, 0 },
		{ "layer = udp\nid = frame+6:6", 8, 0, 1, 0 },
		{ "layer = udp\nid = payload\nrequire = end-1:1 == 0x00", 8, 0, 1, 0 },
		{ RING, 16, 0, 1, 0 },
		{ MIRROR, 8, 0, 1, 1 },
		{ "layer = udp\nid = payload+8:32", 32, 1, 0, 0 },
		{ WORD, 8, 1, 0, 0 },
		{ "layer = udp\nid = payload+8:8 payload+16:8", 16, 1, 0, 0 },
		{ "layer = udp\nid = payload+8:8 payload+0:8", 16, 0, 0, 0 },
		{ "layer = udp\nid = payload+0:8 payload+9:8", 16, 0, 0, 0 },
		{ "layer = udp\nid = payload+0:8/0xffffffffffffff00", 8, 0, 0, 0 },
		{ "layer = udp\nid = payload+0:8 payload:100", 16, 0, 0, 0 },
		{ "layer = udp\nid = payload+0:8 ip+8:8", 16, 0, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		struct filter_spec spec = SPEC;
		struct dedup_config c;

		add_stream(&spec, "x", ROWS[i].profile, 0, 80, 1, 1);
		c = plan_of(&spec);
		assert_int_equal(c.policy.streams_cnt, 1);
		assert_int_equal(c.policy.id_bytes, ROWS[i].id_bytes);
		if (c.policy.streams[0].adjacent != ROWS[i].adjacent)
			fail_msg("%s", ROWS[i].profile);
		assert_int_equal(c.policy.frames, ROWS[i].frames);
		assert_int_equal(c.policy.receiver,
				 ROWS[i].forwarded ? DEDUP_ANYONE : DEDUP_ONE_INTERFACE);
		assert_int_equal(c.policy.forwarded, ROWS[i].forwarded);
	}
}

/* Nothing but GSP/1: the filter is that of --port, whatever the stream's name and realm. */
TEST(gsp_is_of_port)
{
	struct filter_spec spec = spec_of(DEDUP_BLOCKED, DEDUP_FAST, 1000, 1e-3), stream = spec;
	struct dedup_config plain, c;

	spec.streams[0].to[0] = (struct dedup_prefix){ { 8001, 0 }, { UINT32_MAX, 0 } };
	spec.streams[0].to_cnt = spec.streams[0].to4_cnt = 1;
	stream.streams_cnt = 0;
	add_stream(&stream, "events", GSP, 5, 8001, 1, 1);
	plain = plan_of(&spec);
	c = plan_of(&stream);
	assert_string_equal(c.policy.streams[0].name, "events");
	memcpy(c.policy.streams[0].name, plain.policy.streams[0].name, DEDUP_STREAM_NAME);
	c.asked = plain.asked;
	assert_memory_equal(&c, &plain, sizeof(c));
	assert_int_equal(c.policy.receiver, DEDUP_NAMED);

	stream.streams[0].to_cnt = stream.streams[0].to4_cnt = 0;
	stream.streams[0].stream.forwarded = 1;
	c = plan_of(&stream);
	assert_true(dedup_is_gsp(&c) && c.policy.forwarded && c.policy.receiver == DEDUP_ANYONE);
}

static const struct {
	const char *a, *b; /* profiles */
	enum dedup_hash_scheme hash;
	uint32_t realm;	    /* b's; a's is 0 */
	uint32_t ports, to; /* of each */
	const char *says;   /* NULL: fine */
} STREAMS[] = {
	{ FEED, WORD, DEDUP_FAST, 1, 1, 1, NULL },
	{ FEED, FEED, DEDUP_FAST, 0, 1, 1, NULL },
	{ FEED, WORD, DEDUP_FAST, 0, 1, 1,
	  "a and b cannot share a realm: an id has 3 words of 8 bytes in one and 1 in the other" },
	{ GSP, "layer = udp\nid = payload+0:32", DEDUP_SIPHASH, 0, 1, 1, NULL },
	{ FEED, FEED, DEDUP_FAST, 0, 16, 0, NULL },
	{ FEED, FEED, DEDUP_FAST, 0, 17, 0, "all streams together have at most 32 ports or ranges" },
	{ FEED, FEED, DEDUP_FAST, 0, 1, 17, "all streams together have at most 32 destinations" },
	{ FEED, FEED, DEDUP_FIPS, 0, 1, 0, NULL },
	{ GSP, "layer = udp\nid = frame+1:32", DEDUP_TEZOS, 0, 1, 0, NULL },
	{ GSP, "layer = udp\nid = frame+1:25", DEDUP_TEZOS, 0, 1, 0,
	  "take ids of one length: those of a have 32 bytes, those of b 25" },
	{ FEED, FEED, DEDUP_COLIBRI, 1, 1, 0,
	  "--hash colibri, fips, fnv1a and tezos have no key, and so one realm: a and b would" },
	{ WORD, "layer = udp\nid = payload+8:4 payload+0:4", DEDUP_FNV1A, 0, 1, 0,
	  "a and b cannot share a realm" },
	{ PAIR, PAIR, DEDUP_FNV1A, 0, 1, 0,
	  "take ids of one unmasked segment: those of a are others" },
	{ "layer = udp\nid = payload+0:8 payload+16:8", PAIR, DEDUP_FNV1A, 0, 1, 0,
	  "those of a are others" },
	{ "layer = udp\nid = payload+0:8 ip+8:8", PAIR, DEDUP_FNV1A, 0, 1, 0,
	  "those of a are others" },
	{ "layer = udp\nid = payload+0:8 payload+8:8", "layer = udp\nid = frame+0:8 frame+8:8",
	  DEDUP_FNV1A, 0, 1, 0, NULL },
	{ WORD, "layer = udp\nid = payload+0:8/0xff00ffffffffffff", DEDUP_FIPS, 0, 1, 0,
	  "those of b are others" },
	{ WORD, "layer = udp\nid = payload", DEDUP_FIPS, 0, 1, 0, "those of b are others" },
};

TEST(streams_go_together_or_not)
{
	for (size_t i = 0; i < ARRAY_SIZE(STREAMS); i++) {
		struct filter_spec spec = SPEC;
		char says[STREAMS_SAYS_MAX];
		const char *is;

		spec.hash = STREAMS[i].hash;
		add_stream(&spec, "a", STREAMS[i].a, 0, 1000, STREAMS[i].ports, STREAMS[i].to);
		add_stream(&spec, "b", STREAMS[i].b, STREAMS[i].realm, 2000, STREAMS[i].ports,
			   STREAMS[i].to);
		is = streams_refusal(&spec, says);
		if (!is != !STREAMS[i].says || (is && !strstr(is, STREAMS[i].says)))
			fail_msg("row %zu: %s", i, is ? is : "taken");
	}
}

/* Equal lists are stored once: 16 streams may share 32 ports and destinations. */
TEST(streams_share_ports_and_destinations)
{
	struct filter_spec spec = SPEC;
	char says[STREAMS_SAYS_MAX];
	struct dedup_config c;

	for (int i = 0; i < DEDUP_STREAMS_MAX; i++)
		add_stream(&spec, "x", WORD, i, 1000, DEDUP_PORTS_MAX, DEDUP_TO_MAX);
	assert_null(streams_refusal(&spec, says));
	c = plan_of(&spec);
	assert_true(c.policy.streams_cnt == 16 && c.policy.ports_cnt == 32 && c.policy.to_cnt == 32);
	assert_true(c.policy.streams[15].realm == 15 && c.policy.streams[15].ports_cnt == 32);
}

UNIT_MAIN()
