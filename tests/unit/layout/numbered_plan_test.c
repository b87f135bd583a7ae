// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Filters with numbered streams, before they are loaded: which go together, how large the table of
 * sources is, what a change keeps, which configurations are sound, and what is promised.
 */
#include "unit.h"

#include "config_streams.h"
#include "kept.h"
#include "numbered.h"
#include "plan.h"
#include "sim.h"
#include "streams.h"

#define MS 1000000ULL
#define S (1000 * MS)
#define HZ 250
#define CAPACITY 1000

#define HASHED "layer = udp\nid = payload+8:4 payload+2:2"
#define OTHER_HASHED "layer = udp\nid = payload+0:20"
#define BITS_8 "layer = udp\nsource = payload+8:4\nsequence = payload+2:1"
#define BITS_12 "layer = udp\nsource = payload+8:4\nsequence = payload+2:2/0x0fff"
#define BITS_16 "layer = udp\nsource = payload+8:4\nsequence = payload+2:2"
#define BITS_32 "layer = udp\nsource = payload+0:10\nsequence = payload+10:4"
#define BITS_33 "layer = udp\nsequence = payload+10:5/0x01ffffffff"
#define BITS_64 "layer = udp\nsource = payload+0:10\nsequence = payload+10:8"
#define LITTLE_64 BITS_64 "le"
#define PART(of) "layer = udp\nid = payload[" of "]"
#define LONGEST "layer = udp\nsequence = payload+0:4\nhistory = 16M"

static void add_stream(struct filter_spec *spec, const char *name, const char *profile, uint32_t realm)
{
	struct spec_stream *s = &spec->streams[spec->streams_cnt];

	profile_stream(s, name, profile);
	s->stream.realm = realm;
	s->ports_cnt = 1;
	s->ports[0].lo = s->ports[0].hi = 8000 + spec->streams_cnt++;
}

/* Of stream a, and of stream b in another realm if there is a second profile. */
static struct filter_spec spec_of(const char *a, const char *b)
{
	struct filter_spec spec = { .capacity = CAPACITY,
				    .fpr_e18 = SPEC_FPR(1e-3),
				    .window_ns = 600 * S };

	add_stream(&spec, "a", a, 0);
	if (b)
		add_stream(&spec, "b", b, 1);
	return spec;
}

static struct dedup_config plan_of(const struct filter_spec *spec)
{
	struct dedup_config c;

	assert_int_equal(plan_config(spec, 2, HZ, &c), 0);
	return c;
}

static struct dedup_config plan_of_profiles(const char *a, const char *b)
{
	struct filter_spec spec = spec_of(a, b);

	return plan_of(&spec);
}

/* The table of sources. Jiffies are those of HZ; ring_blocks: of each source; 0: there is none. */
static const struct table_row {
	const char *name, *a, *b;
	uint32_t ring_blocks, number_bits;
	uint64_t reset_jiffies, idle_jiffies; /* a's; the table's */
	bool is_hashed;
} TABLES[] = {
	{ "table-hashed", HASHED, OTHER_HASHED, 0, 0, 0, 0, true },
	{ "table-8-bits", BITS_8, NULL, 1, 32, 5, 5 + HZ, false },
	{ "table-12-bits", BITS_12, NULL, 16, 32, 5, 5 + HZ, false },
	{ "table-16-bits", BITS_16, NULL, 256, 32, 5, 5 + HZ, false },
	{ "table-32-bits", BITS_32, NULL, 512, 32, 10 * HZ, 11 * HZ, false },
	{ "table-33-bits", BITS_33, NULL, 512, 40, 10 * HZ, 11 * HZ, false },
	{ "table-64-bits", BITS_64, NULL, 512, 40, 10 * HZ, 11 * HZ, false },
	{ "table-short-history", BITS_64 "\nhistory = 300", NULL, 2, 40, 10 * HZ, 11 * HZ, false },
	{ "table-longest-history", LONGEST, NULL, 65536, 32, 10 * HZ, 11 * HZ, false },
	/* 2.5 jiffies. */
	{ "table-short-reset", BITS_16 "\nreset = 10ms", NULL, 256, 32, 3, 3 + HZ, false },
	{ "table-of-both", BITS_16, BITS_64, 512, 40, 5, 11 * HZ, false },
	{ "table-of-both-turned", BITS_64, BITS_16, 512, 40, 10 * HZ, 11 * HZ, false },
	{ "table-and-ids", BITS_16, OTHER_HASHED, 256, 32, 5, 5 + HZ, true },
	{ "table-behind-ids", OTHER_HASHED, BITS_64, 512, 40, 0, 11 * HZ, true },
};

static void check_table(const struct table_row *row, const struct dedup_config *c, uint32_t sources)
{
	const struct dedup_sources *t = &c->sources;
	uint64_t blocks = c->memory.blocks + 2 * sources + 1 + sources * (3ULL + row->ring_blocks);

	assert_int_equal(t->sources, sources);
	assert_true(t->first == c->memory.blocks && t->buckets == 2 * sources);
	assert_true(t->slots == t->first + t->buckets + 1);
	assert_int_equal(t->slot_blocks, 3 + row->ring_blocks);
	assert_int_equal(t->number_bits, row->number_bits);
	assert_int_equal(t->idle_jiffies, row->idle_jiffies);
	assert_true(dedup_blocks(c) == blocks && plan_bytes(c) == 64 * blocks);
	for (uint32_t n = 0; n < c->policy.streams_cnt; n++)
		if (c->numbered[n].width)
			assert_int_equal(c->numbered[n].recovery.number_bits, row->number_bits);
}

/* With paths each of them also takes an entry of the map `accounts`. */
static void check_accounts(struct filter_spec *spec)
{
	uint64_t entry = sizeof(struct dedup_path_account);
	struct dedup_config c;

	spec->paths = 3;
	c = plan_of(spec);
	assert_true(dedup_accounts_cnt(&c.sources) == 7 * 3);
	assert_true(plan_bytes(&c) == 64 * dedup_blocks(&c) + 7 * 3 * entry);
	assert_true(plan_source_bytes(&c) == 64 * c.sources.slot_blocks + 3 * entry);
}

TEST_ROWS(sources_are_planned, TABLES)
{
	static const struct dedup_sources NONE = { 0 };
	struct filter_spec spec = spec_of(row->a, row->b);
	struct dedup_config c = plan_of(&spec);

	assert_true(streams_sound(&c));
	assert_int_equal(streams_any_hashed(&c), row->is_hashed);
	assert_int_equal(numbered_alone(&spec), !row->is_hashed);
	assert_int_equal(streams_any_numbered(&c), row->ring_blocks != 0);
	assert_int_equal(c.numbered[0].recovery.reset_jiffies, row->reset_jiffies);
	/* What is never used is small; but what was asked for is kept. */
	assert_int_equal(c.memory.capacity, row->is_hashed ? CAPACITY : 1);
	assert_int_equal(c.asked.capacity, CAPACITY);
	if (!row->ring_blocks) {
		assert_memory_equal(&c.sources, &NONE, sizeof(NONE));
		assert_int_equal(dedup_blocks(&c), c.memory.blocks);
		return;
	}
	check_table(row, &c, SPEC_SOURCES_DEFAULT);

	spec.sources = 7;
	c = plan_of(&spec);
	check_table(row, &c, 7);
	assert_memory_equal(&c.asked, &spec, sizeof(spec));
	check_accounts(&spec);
}

/* recovery.h cannot do with less. */
TEST(reset_is_two_jiffies_at_least)
{
	struct filter_spec spec = spec_of(BITS_16 "\nreset = 10ms", NULL);
	struct dedup_config c;

	assert_int_equal(plan_config(&spec, 2, 100, &c), 0);
	assert_int_equal(c.numbered[0].recovery.reset_jiffies, 2);
	assert_int_equal(plan_config(&spec, 2, 1000, &c), 0);
	assert_int_equal(c.numbered[0].recovery.reset_jiffies, 10);
}

/* Blocks have numbers of 32 bits. */
TEST(sources_that_are_too_many_are_refused)
{
	struct filter_spec spec = spec_of(LONGEST, NULL);
	struct dedup_config c = { .memory.m = 7, .asked.capacity = 7 };

	spec.sources = SPEC_SOURCES_MAX;
	assert_int_equal(plan_config(&spec, 2, HZ, &c), -EFBIG);
	spec.sources = 65532;
	assert_int_equal(plan_config(&spec, 2, HZ, &c), -EFBIG);
	assert_true(c.memory.m == 7 && c.asked.capacity == 7);
	spec.sources = 65531;
	assert_int_equal(plan_config(&spec, 2, HZ, &c), 0);
	assert_true(dedup_blocks(&c) > 4294900000 && streams_sound(&c));
	spec = spec_of(BITS_16, NULL);
	spec.sources = SPEC_SOURCES_MAX;
	assert_int_equal(plan_of(&spec).sources.sources, SPEC_SOURCES_MAX);
}

#define OTHER_NUMBERS \
	"a and b cannot share a realm: their numbers differ in width, byte order, history or reset"
#define KEYLESS "--hash colibri, fips, fnv1a and tezos are not for "

static const struct {
	const char *a, *b;
	enum dedup_hash_scheme hash;
	uint32_t realm; /* b's; a's is 0 */
	bool learn_app;
	const char *says; /* NULL: fine */
} REFUSALS[] = {
	{ BITS_16, BITS_16 "\ncount = payload+0:1", DEDUP_FAST, 0, false, NULL },
	{ BITS_16, HASHED, DEDUP_SIPHASH, 1, false, NULL },
	{ BITS_16, BITS_12, DEDUP_FAST, 0, false, OTHER_NUMBERS },
	{ BITS_16 "\nhistory = 4000", BITS_12, DEDUP_FAST, 0, false, OTHER_NUMBERS },
	{ BITS_64, LITTLE_64, DEDUP_FAST, 0, false, OTHER_NUMBERS },
	{ BITS_16, BITS_16 "\nhistory = 32000", DEDUP_FAST, 0, false, OTHER_NUMBERS },
	{ BITS_16, BITS_16 "\nreset = 21ms", DEDUP_FAST, 0, false, OTHER_NUMBERS },
	{ HASHED, BITS_16, DEDUP_FAST, 0, false, OTHER_NUMBERS },
	{ BITS_16, BITS_12 "\nreset = 1s", DEDUP_FAST, 1, false, NULL },
	{ BITS_16, "layer = udp\nsequence = payload+2:2", DEDUP_FAST, 0, false,
	  "a and b cannot share a realm: an id has 2 words" },
	{ HASHED, BITS_16, DEDUP_FAST, 1, true,
	  "--learn app is not for b: packets alone teach the numbers of a numbered stream" },
	{ HASHED, HASHED, DEDUP_FAST, 1, true, NULL },
	{ BITS_16, BITS_16, DEDUP_COLIBRI, 0, false, KEYLESS "a: it is a numbered stream" },
	{ BITS_16, BITS_16, DEDUP_FIPS, 0, false, KEYLESS "a: it is a numbered stream" },
	{ BITS_16, BITS_16, DEDUP_FNV1A, 0, false, KEYLESS "a: it is a numbered stream" },
	{ HASHED, BITS_16, DEDUP_TEZOS, 1, false, KEYLESS "b: it is a numbered stream" },
};

TEST(numbers_go_together_or_not)
{
	for (size_t i = 0; i < ARRAY_SIZE(REFUSALS); i++) {
		struct filter_spec spec = spec_of(REFUSALS[i].a, REFUSALS[i].b);
		const char *is, *says = REFUSALS[i].says;
		char refusal[STREAMS_SAYS_MAX];

		spec.hash = REFUSALS[i].hash;
		spec.learn_app = REFUSALS[i].learn_app;
		spec.streams[1].stream.realm = REFUSALS[i].realm;
		is = streams_refusal(&spec, refusal);
		if (!is != !says || (is && strncmp(is, says, strlen(says))))
			fail_msg("row %zu: %s", i, is ? is : "taken");
	}
}

/* A stream of this name goes on with what it knows if its numbers mean what they did. */
TEST(numbers_that_are_kept)
{
	static const struct {
		const char *old, *now;
		int is;
	} ROWS[] = {
		{ BITS_16, BITS_16, 0 },
		{ BITS_16, BITS_16 "\ncount = payload+0:1", 0 },
		{ BITS_16, BITS_16 "\nhistory = 65536\nreset = 20ms", 0 },
		{ BITS_16, BITS_16 "\nhistory = 32000", -1 },
		{ BITS_16, BITS_16 "\nreset = 30ms", -1 },
		{ BITS_16, BITS_12, -1 },
		{ BITS_64, LITTLE_64, -1 },
		{ LITTLE_64, LITTLE_64, 0 },
		{ PART("3:-4"), PART("3:-4"), 0 },
		{ PART("3:-4"), PART("4:-4"), -1 },
		{ PART("3:-4"), PART("3:-5"), -1 },
		{ PART(":9216"), PART("1:9216"), -1 },
		{ BITS_16, HASHED, -1 },
		{ HASHED, BITS_16, -1 },
		{ HASHED, HASHED, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		struct dedup_config old = plan_of_profiles(ROWS[i].old, NULL);
		struct dedup_config now = plan_of_profiles(ROWS[i].now, NULL);

		if (kept_stream(&old, &now, &now.policy.streams[0]) != ROWS[i].is)
			fail_msg("row %zu", i);
	}
}

/* `set` goes on with the memory of the filter, if that is enough. */
static const struct set_row {
	const char *name, *old, *now;
	int err;
} SETS[] = {
	{ "set-numbers", BITS_16, BITS_16, 0 },
	{ "set-shorter-numbers", BITS_64, BITS_16, 0 },
	{ "set-shorter-reset", BITS_16 "\nreset = 1s", BITS_16, 0 },
	{ "set-no-table", OTHER_HASHED, BITS_16, -ENOSPC },
	{ "set-longer-history", BITS_12 "\nreset = 1s", BITS_16, -ENOSPC },
	{ "set-longer-numbers", BITS_32, BITS_33, -ENOSPC },
	/* The hand of the filter would recycle sources earlier. */
	{ "set-longer-reset", BITS_16, BITS_16 "\nreset = 21ms", -ENOSPC },
	{ "set-ids-without-memory", BITS_16, HASHED, -ENOSPC },
	{ "set-ids", HASHED, OTHER_HASHED, 0 },
};

TEST_ROWS(set_keeps_the_table, SETS)
{
	struct dedup_config old = plan_of_profiles(row->old, NULL);
	struct dedup_config now = plan_of_profiles(row->now, NULL), next = now;

	assert_int_equal(plan_next_program(&old, &next), row->err);
	if (row->err) {
		assert_memory_equal(&next, &now, sizeof(now));
		return;
	}
	assert_true(plan_is_same_memory(&old, &next) && streams_sound(&next));
	assert_int_equal(next.numbered[0].recovery.number_bits, old.sources.number_bits);
}

/* Streams of a filter that had both can be changed to either. */
TEST(set_goes_from_both_to_each)
{
	static const char *const NOW[] = { BITS_16, OTHER_HASHED };
	struct dedup_config both = plan_of_profiles(BITS_16, OTHER_HASHED);

	for (size_t i = 0; i < ARRAY_SIZE(NOW); i++) {
		struct dedup_config c = plan_of_profiles(NOW[i], NULL);
		struct dedup_config back = plan_of_profiles(NOW[!i], NULL);

		assert_int_equal(plan_next_program(&both, &c), 0);
		assert_true(streams_sound(&c) && c.memory.capacity == CAPACITY);
		assert_int_equal(c.sources.sources, SPEC_SOURCES_DEFAULT);
		assert_int_equal(plan_next_program(&c, &back), 0);
	}
}

/* A memory for ids is enough for a plan of more: their number stays. */
TEST(set_keeps_a_smaller_memory_of_ids)
{
	struct filter_spec spec = spec_of(OTHER_HASHED, NULL);
	struct dedup_config old = plan_of(&spec), c;

	spec.capacity = 2 * CAPACITY;
	c = plan_of(&spec);
	assert_int_equal(plan_next_program(&old, &c), 0);
	assert_int_equal(c.memory.capacity, CAPACITY);
}

TEST(other_sources_are_another_memory)
{
	struct filter_spec spec = spec_of(BITS_16, NULL);
	struct dedup_config one = plan_of(&spec), other;

	other = plan_of(&spec);
	assert_true(plan_is_same_memory(&one, &other));
	spec.sources = 1000;
	other = plan_of(&spec);
	assert_false(plan_is_same_memory(&one, &other));
	other = plan_of_profiles(BITS_16 "\nreset = 1s", NULL);
	assert_false(plan_is_same_memory(&one, &other));
}

/* Fields of a configuration, and a value that no plan gives them. */
struct patch {
	size_t at;
	uint32_t value; /* of the field's 4 bytes, or of its first ones */
};
#define PATCH(field, value_)                                 \
	{                                                    \
		offsetof(struct dedup_config, field), value_ \
	}
#define RECOVERY numbered[0].recovery

static const struct {
	const char *profile;
	struct patch patches[5];
} SOUNDS[] = {
	{ BITS_8, { PATCH(numbered[0].width, 7), PATCH(RECOVERY.width, 7) } },
	{ BITS_64, { PATCH(numbered[0].width, 65) } },
	{ BITS_64, { PATCH(numbered[0].shift, 64) } },
	{ BITS_64, { PATCH(numbered[0].count_shift, 64) } },
	{ BITS_16, { PATCH(policy.streams[0].words, 6), PATCH(policy.streams[0].loads_cnt, 6) } },
	{ BITS_64, { PATCH(policy.streams[0].words, 5), PATCH(policy.streams[0].loads_cnt, 5) } },
	{ BITS_16, { PATCH(policy.streams[0].words, 0), PATCH(policy.streams[0].loads_cnt, 0) } },
	{ BITS_16, { PATCH(RECOVERY.width, 17) } },
	{ BITS_64, { PATCH(RECOVERY.width, 64) } },
	{ BITS_16, { PATCH(RECOVERY.number_bits, 40) } },
	{ BITS_64, { PATCH(RECOVERY.number_bits, 32), PATCH(sources.number_bits, 32) } },
	{ BITS_16, { PATCH(RECOVERY.ring_shift, 7) } },
	{ LONGEST,
	  { PATCH(RECOVERY.ring_shift, 25), PATCH(sources.account, 3 + 131072),
	    PATCH(sources.slot_blocks, 3 + 131072) } },
	/* Its blocks would be counted by a shift that is too long. */
	{ BITS_64, { PATCH(RECOVERY.ring_shift, 40) } },
	{ BITS_16,
	  { PATCH(RECOVERY.ring_shift, 17), PATCH(sources.account, 3 + 512),
	    PATCH(sources.slot_blocks, 3 + 512) } },
	{ BITS_16, { PATCH(sources.account, 3 + 128), PATCH(sources.slot_blocks, 3 + 128) } },
	{ BITS_16, { PATCH(sources.account, 3 + 300), PATCH(sources.slot_blocks, 3 + 300) } },
	{ BITS_16, { PATCH(sources.paths, 2) } },
	{ BITS_16, { PATCH(sources.slot_blocks, 3 + 257) } },
	{ BITS_16, { PATCH(sources.paths, 9), PATCH(sources.slot_blocks, 3 + 256 + 3 + 45 + 2048) } },
	{ BITS_16, { PATCH(RECOVERY.reset_jiffies, 1) } },
	{ BITS_16, { PATCH(sources.sources, 0) } },
	{ BITS_16, { PATCH(sources.first, 0), PATCH(sources.slots, 2049) } },
	{ BITS_16, { PATCH(sources.buckets, 0) } },
	{ BITS_16, { PATCH(sources.slots, 5) } },
	{ BITS_16, { PATCH(sources.slot_blocks, 3 + 65536) } },
	{ BITS_16, { PATCH(sources.number_bits, 33), PATCH(RECOVERY.number_bits, 33) } },
	{ BITS_16, { PATCH(sources.sources, 1U << 24) } },
};

/* With all patches of a row. Other fields are such that no other check refuses it. */
TEST(no_plan_says_so)
{
	for (size_t i = 0; i < ARRAY_SIZE(SOUNDS); i++) {
		struct dedup_config c = plan_of_profiles(SOUNDS[i].profile, NULL);

		assert_true(streams_sound(&c));
		for (const struct patch *p = SOUNDS[i].patches; p->at; p++)
			memcpy((char *)&c + p->at, &p->value, sizeof(p->value));
		if (!c.sources.buckets)
			c.sources.slots = c.sources.first + 1;
		if (streams_sound(&c))
			fail_msg("row %zu", i);
	}
}

TEST(a_table_may_be_for_more)
{
	struct dedup_config c = plan_of_profiles(BITS_16, NULL);

	c.sources.slot_blocks = c.sources.account = 3 + 65536;
	c.sources.number_bits = c.numbered[0].recovery.number_bits = 40;
	assert_true(streams_sound(&c));
}

TEST(promise_is_of_what_there_is)
{
	struct dedup_config ids = plan_of_profiles(HASHED, NULL);
	struct dedup_config numbers = plan_of_profiles(BITS_16, NULL);
	struct dedup_config both = plan_of_profiles(BITS_16, OTHER_HASHED);
	char says[PLAN_PROMISE_MAX];

	assert_string_equal(plan_promise(&ids, says),
			    "1000 ids a window of 10m, at most 0.001 of fresh events lost");
	assert_string_equal(plan_promise(&numbers, says),
			    "numbers of 1024 sources, no fresh ones lost");
	assert_string_equal(
		plan_promise(&both, says),
		"1000 ids a window of 10m, at most 0.001 of fresh events lost; numbers of 1024 sources, no fresh ones lost");
}

UNIT_MAIN()
