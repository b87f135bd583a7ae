// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The packet program with every layout and scheme: what is known, learned, forgotten, and that what
 * it remembers of whole ids never changes an answer.
 */
#include "layout_runner.h"

#include "hand.h"
#include "ids.h"
#include "known_ids.h"
#include "layout.h"

static const enum dedup_hash_scheme HASHES[] = { DEDUP_FAST, DEDUP_SIPHASH, DEDUP_COLIBRI,
						 DEDUP_FIPS, DEDUP_FNV1A,   DEDUP_TEZOS };

enum { ALL_LAYOUTS = -1, ARRAYS = -2 };

/* Makes a filter that stands still of each layout, or of one, or of both arrays, with each scheme:
 * as the plan has it, and with the cache that the plan may leave out. `change` may be NULL.
 */
static void for_each_kind(int layout, void (*change)(struct dedup_config *cfg),
			  void (*check)(const struct dedup_config *cfg))
{
	char row[32];

	for (size_t i = 0; i < ARRAY_SIZE(LAYOUT_RUN_LARGE) * ARRAY_SIZE(HASHES) * 2; i++) {
		struct layout_parameters p = LAYOUT_RUN_LARGE[i / 2 / ARRAY_SIZE(HASHES)];
		bool is_array = p.layout != DEDUP_BLOCKED, other_cache = i % 2;
		struct dedup_config cfg;

		p.hash = HASHES[i / 2 % ARRAY_SIZE(HASHES)];
		if ((layout == ARRAYS && !is_array) || (layout >= 0 && p.layout != (uint32_t)layout) ||
		    (!is_array && (other_cache || p.hash > DEDUP_SIPHASH)))
			continue;
		cfg = layout_run_still_config(&p);
		if (other_cache)
			cfg.memory.known_cnt = cfg.memory.known_cnt ? 0 : 64;
		if (change)
			change(&cfg);
		fixture_load(&cfg);
		snprintf(row, sizeof(row), "%s %s", layout_of(p.layout)->name, hash_name(p.hash));
		fixture.row = row;
		check(fixture.filter.config);
		fixture_unload(NULL);
	}
}

/* What is learned, and what is only tested, stops where it should. */
static void try_limit(const struct dedup_config *cfg)
{
	struct dedup_state *st = fixture.filter.state;
	struct id known, fresh = id_fresh();

	fixture_learn(&known, 1);
	for (uint32_t i = 1; i < cfg->memory.claim; i++) {
		struct id more;

		fixture_learn(&more, 1);
	}
	assert_int_equal(st->learned, cfg->memory.claim);
	st->limit = st->learned + cfg->memory.claim - 1;
	expect_event(&fresh, XDP_PASS, DEDUP_REASON_unlearned);
	expect_event(&fresh, XDP_PASS, DEDUP_REASON_unlearned);
	expect_ihave(&fresh, 1, XDP_PASS, DEDUP_REASON_ihave_new);
	expect_event(&known, XDP_DROP, DEDUP_REASON_duplicate);
	expect_ihave(&known, 1, XDP_DROP, DEDUP_REASON_ihave_duplicate);
	assert_int_equal(ids_test(&fixture.filter, fresh.bytes), 0);

	st->limit = st->learned;
	assert_int_equal(ids_see(&fixture.filter, fresh.bytes), -ENOSPC);
	assert_int_equal(ids_add(&fixture.filter, fresh.bytes), -ENOSPC);
	assert_int_equal(ids_see(&fixture.filter, known.bytes), 1);
	st->limit++;
	assert_int_equal(ids_see(&fixture.filter, fresh.bytes), 0);
	assert_int_equal(ids_see(&fixture.filter, fresh.bytes), 1);
	expect_event(&fresh, XDP_DROP, DEDUP_REASON_duplicate);
}

TEST(past_the_limit_nothing_is_learned)
{
	for_each_kind(ALL_LAYOUTS, NULL, try_limit);
}

static void learn_app(struct dedup_config *cfg)
{
	cfg->asked.learn_app = 1;
}

static void try_app(const struct dedup_config *cfg)
{
	struct dedup_state *st = fixture.filter.state;
	struct id id = id_fresh();

	(void)cfg;
	for (int i = 0; i < 3; i++)
		expect_event(&id, XDP_PASS, DEDUP_REASON_new);
	expect_ihave(&id, 1, XDP_PASS, DEDUP_REASON_ihave_new);
	assert_int_equal(st->learned, 0);
	assert_int_equal(ids_test(&fixture.filter, id.bytes), 0);
	assert_int_equal(ids_add(&fixture.filter, id.bytes), 0);
	expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
	expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
	expect_ihave(&id, 1, XDP_DROP, DEDUP_REASON_ihave_duplicate);
	/* The application's learning is limited, too. */
	st->limit = st->learned;
	id = id_fresh();
	assert_int_equal(ids_add(&fixture.filter, id.bytes), -ENOSPC);
	expect_event(&id, XDP_PASS, DEDUP_REASON_new);
}

TEST(learn_app_leaves_learning_to_the_application)
{
	for_each_kind(ALL_LAYOUTS, learn_app, try_app);
}

/* The hand rests at place 0, clears what is behind it, and rests again. Learned while it
 * rests or clears, an id is known until it clears that id's own array. `asked` has a bit
 * for each state in which a packet asks: none of them may change what the next one says,
 * nor may it matter whether a packet taught the id or the library.
 */
static void try_ages(const struct dedup_config *cfg)
{
	struct dedup_state *st = fixture.filter.state;
	struct dedup_block *array[2] = { fixture.filter.blocks,
					 fixture.filter.blocks + cfg->memory.places };

	for (uint32_t row = 0; row < 2 * 2 * 32; row++) {
		uint32_t learned = row / 32 % 2, asked = row % 32;
		struct id id = id_fresh();

		for (uint32_t age = 0; age < 5; age++) {
			uint32_t epoch = dedup_hand_epoch(st->hand);
			bool known = age >= learned && age < 3;

			if (age == learned && row < 2 * 32)
				expect_event(&id, XDP_PASS, DEDUP_REASON_new);
			else if (age == learned)
				assert_int_equal(ids_see(&fixture.filter, id.bytes), 0);
			assert_int_equal(ids_test(&fixture.filter, id.bytes), known);
			if (asked >> age & 1 && known)
				expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
			else if (asked >> age & 1)
				expect_ihave(&id, 1, XDP_PASS, DEDUP_REASON_ihave_new);
			if (age % 2 == 0) {
				st->hand = (uint64_t)epoch << 32 | 1;
				continue;
			}
			memset(array[(epoch & 1) ^ 1], 0, cfg->memory.places * sizeof(**array));
			st->hand = (uint64_t)(epoch + 1) << 32;
		}
		memset(fixture.filter.blocks, 0, cfg->memory.blocks * sizeof(**array));
		st->hand = ((uint64_t)dedup_hand_epoch(st->hand) + 2) << 32;
	}
}

TEST(a_flat_id_is_known_for_two_generations)
{
	for_each_kind(DEDUP_FLAT, NULL, try_ages);
}

/* Another id of the same dedup_hash_fast(): NH is a sum, and two of its terms change places. */
static struct id id_of_same_hash(const struct dedup_config *cfg, const struct id *id)
{
	uint32_t words[GSP_ID_BYTES / 4], other[GSP_ID_BYTES / 4];
	struct id twin;

	memcpy(words, id, sizeof(words));
	memcpy(other, id, sizeof(other));
	for (int i = 0; i < 2; i++) {
		other[i] = words[2 + i] + cfg->secrets.key[2 + i] - cfg->secrets.key[i];
		other[2 + i] = words[i] + cfg->secrets.key[i] - cfg->secrets.key[2 + i];
	}
	memcpy(&twin, other, sizeof(twin));
	return twin;
}

static uint64_t fast_hash(const struct id *id)
{
	struct dedup_id key = id_key(id);

	return dedup_hash_fast(&key, GSP_ID_WORDS, fixture.filter.config->secrets.key, 0);
}

static void some_known(struct dedup_config *cfg)
{
	cfg->memory.known_cnt = 64;
}

static void try_twins(const struct dedup_config *cfg)
{
	for (int n = 0; n < 20 && cfg->memory.hash != DEDUP_FAST; n++) {
		struct id id = id_fresh(), twin = id_of_same_hash(cfg, &id);

		assert_true(fast_hash(&id) == fast_hash(&twin));
		expect_event(&id, XDP_PASS, DEDUP_REASON_new);
		expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
		expect_ihave(&twin, 1, XDP_PASS, DEDUP_REASON_ihave_new);
		expect_event(&twin, XDP_PASS, DEDUP_REASON_new);
		expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
	}
}

TEST(ids_of_one_hash_are_told_apart)
{
	for_each_kind(ARRAYS, some_known, try_twins);
}

/* One entry of `known_ids`, and an id for it. */
struct entry {
	struct dedup_known line[2];
	struct dedup_id id;
	uint32_t words;
	uint64_t hash;
};

static struct dedup_known_entry lines_of(struct entry *e)
{
	return (struct dedup_known_entry){ &e->line[0], &e->line[1] };
}

static bool holds(struct entry *e, uint64_t age, uint64_t known_version)
{
	return dedup_known_holds(lines_of(e), (struct dedup_known_id){ &e->id, e->words, e->hash },
				 age, known_version);
}

static void put(struct entry *e, uint64_t until, uint64_t known_version)
{
	dedup_known_put(lines_of(e), (struct dedup_known_id){ &e->id, e->words, e->hash }, until,
			known_version);
}

/* Whatever of an entry another processor has not written yet. */
static void try_half_written(const struct entry *empty, uint64_t until, uint64_t known_version)
{
	struct entry e = *empty, whole, old;

	assert_false(holds(&e, 0, known_version));
	put(&e, until, known_version);
	assert_true(holds(&e, 0, known_version));
	assert_true(holds(&e, until - 1, known_version));
	assert_false(holds(&e, until, known_version));
	assert_false(holds(&e, 0, known_version + 1));
	whole = e;
	e.hash++;
	assert_false(holds(&e, 0, known_version));

	/* An older entry of the same id, which was void sooner or is void now. */
	old = whole;
	put(&old, until - 50, known_version);
	old.line[0].until = whole.line[0].until;
	assert_false(holds(&old, 0, known_version));
	for (uint32_t i = 0; i < e.words; i++) {
		old = whole;
		++*dedup_known_word(lines_of(&old), i);
		assert_false(holds(&old, 0, known_version));
	}
}

TEST(a_half_written_entry_holds_nothing)
{
	for (uint64_t n = 1; n < 200; n++)
		for (uint32_t words = 1; words <= DEDUP_ID_WORDS_MAX; words++) {
			struct entry e = { .words = words, .hash = n << 32 | n };

			for (uint32_t i = 0; i < words; i++)
				e.id.word[i] = n * (i + 1);
			try_half_written(&e, 100 + n, n % 3);
		}
}

static uint32_t long_bytes;

static void long_ids(struct dedup_config *cfg)
{
	cfg->policy.id_bytes = cfg->policy.streams[0].bytes = long_bytes;
	cfg->policy.streams[0].words = dedup_id_words(long_bytes);
}

/* Ids of more bytes than a packet of today has: what follows is 0 in both. */
static void try_long_ids(const struct dedup_config *cfg)
{
	(void)cfg;
	for (int n = 0; n < 20; n++) {
		struct dedup_id by_packet = { 0 }, by_call = { 0 };
		struct id a = id_fresh(), b = id_fresh();

		memcpy(by_packet.byte, &a, sizeof(a));
		memcpy(by_call.byte, &b, sizeof(b));
		expect_event(&a, XDP_PASS, DEDUP_REASON_new);
		expect_event(&a, XDP_DROP, DEDUP_REASON_duplicate);
		assert_int_equal(ids_test(&fixture.filter, by_packet.byte), 1);
		assert_int_equal(ids_see(&fixture.filter, by_call.byte), 0);
		expect_event(&b, XDP_DROP, DEDUP_REASON_duplicate);
		expect_event(&b, XDP_DROP, DEDUP_REASON_duplicate);
	}
}

TEST(ids_of_up_to_64_bytes_are_found)
{
	static const uint32_t BYTES[] = { 52, 33, 40, 48, 49, 56, 63, 64 };

	for (size_t i = 0; i < ARRAY_SIZE(BYTES); i += tries(8, 1)) {
		long_bytes = BYTES[i];
		for_each_kind(ARRAYS, long_ids, try_long_ids);
	}
}

ROOT_MAIN(NULL, fixture_unload)
