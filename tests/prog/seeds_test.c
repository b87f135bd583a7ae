// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Two systems that the filter can stand in for, by their own tests' names and by vectors
 * that were computed without it: Colibri's gossip filter (its groups 8 and 9 are about its
 * source text) and a bit array with a single hash. Through the packet program and through the library.
 */
#include "layout_runner.h"

#include "bits.h"
#include "array_size.h"
#include "hand.h"
#include "model_hash.h"
#include "ids.h"
#include "positions.h"
#include "stats.h"
#include "fips_fixture.h"
#include "xdp-dedup.h"

#define FILTER_NAME "t" /* the fixture's */

static struct dedup_positions positions_of(const struct id *id, const struct dedup_config *cfg)
{
	struct dedup_positions p;
	struct dedup_id key = id_key(id);

	dedup_positions(&p, &key, cfg->policy.id_bytes, cfg, 0);
	return p;
}

TEST(ids_are_those_of_the_vectors)
{
	json_object_object_foreach(vectors_of("generational", "ids"), i, hex)
	{
		struct id id = vector_id(strtoull(i, NULL, 10));
		struct id expected = id_from_hex(json_object_get_string(hex));

		assert_memory_equal(&id, &expected, sizeof(id));
	}
}

/* Colibri: n = 1000, p = 0.01, and what it makes of that. */

static struct fill fill_now(void)
{
	return stats_fill(fixture.filter.config, fixture.filter.blocks, fixture.filter.state->hand,
			  FILL_ALL);
}

static void load_colibri(void)
{
	struct dedup_config cfg = layout_run_config(&(struct layout_parameters){
		.layout = DEDUP_FLAT, .hash = DEDUP_COLIBRI, .capacity = 1000, .fpr = 0.01 });

	fixture_load(&cfg);
	assert_int_equal(fixture.filter.config->memory.m, 9586);
	assert_int_equal(fixture.filter.config->memory.k, 7);
}

/* The current array as Colibri has it: ceil(m / 8) bytes. */
static size_t array_bytes(void)
{
	return (fixture.filter.config->memory.m + 7) / 8;
}

/* Bits that there is memory for. */
static uint64_t array_bits(void)
{
	return fixture.filter.config->memory.blocks / 2 * (uint64_t)DEDUP_BLOCK_BITS;
}

static const uint8_t *array_now(void)
{
	uint64_t array = dedup_hand_epoch(fixture.filter.state->hand) & 1;

	return (const uint8_t *)(fixture.filter.blocks + array * fixture.filter.config->memory.places);
}

static void insert(uint64_t first, uint64_t cnt)
{
	for (uint64_t i = first; i < first + cnt; i++) {
		struct id id = vector_id(i);

		layout_run_packet(&id);
	}
}

TEST(group_1_size_filter_math)
{
	json_object *rows = vectors_of("colibri", "size"), *row;
	uint64_t m;
	uint32_t k;

	for (size_t nth = 0; (row = vector_row(rows, nth)); nth++) {
		double n = number(row, "n"), p = number(row, "p");

		textbook_size(n, p, &m, &k);
		assert_int_equal(m, vector_number(row, "m"));
		assert_int_equal(k, vector_number(row, "k"));
	}
}

TEST(group_2_constructor_allocates_correctly)
{
	load_colibri();
	assert_int_equal(array_bytes(), 9586 / 8 + 1);
	assert_true(array_bits() >= 9586);
	assert_true(fill_now().set_current == 0 && fill_now().current == 0);
}

TEST(group_3_no_false_negatives)
{
	load_colibri();
	insert(0, 1000);
	for (uint64_t i = 0; i < 1000; i++) {
		struct id id = vector_id(i);

		assert_true(layout_run_ask(&id));
		assert_true(layout_run_packet(&id));
		assert_int_equal(ids_test(&fixture.filter, id.bytes), 1);
	}
}

static void expect_array(const char *sha256)
{
	uint8_t digest[32], expected[32];

	model_sha256(array_now(), array_bytes(), digest);
	from_hex(sha256, expected, sizeof(expected));
	assert_memory_equal(digest, expected, sizeof(digest));
}

/* To the last bit, and the last false positive. */
static void empirical_fpr(size_t n)
{
	json_object *run = json_object_array_get_idx(vectors_of("colibri", "runs"), n);
	uint64_t from = vector_number(run, "queries_from"), by_packet = 0, by_call = 0;
	uint64_t queries = vector_number(run, "queries");

	load_colibri();
	insert(vector_number(run, "first_id"), vector_number(run, "inserted"));
	for (uint64_t i = from; i < from + queries; i++) {
		struct id id = vector_id(i);

		by_packet += layout_run_ask(&id);
		by_call += ids_test(&fixture.filter, id.bytes);
	}
	assert_int_equal(by_packet, vector_number(run, "false_positives"));
	assert_int_equal(by_call, by_packet);
	assert_true((double)by_packet / queries < 0.015);
	assert_int_equal(fill_now().set_current, vector_number(run, "set_bits"));
	assert_true(fill_now().current == number(run, "occupancy"));
	expect_array(text(run, "bytes_sha256"));
}

TEST(group_4_and_5_empirical_fpr)
{
	empirical_fpr(0); /* with the primary seed */
	fixture_unload(state);
	empirical_fpr(1);
}

TEST(group_6_reset_clears_all_bits)
{
	load_colibri();
	insert(0, 1000);
	assert_true(fill_now().set_current > 0);
	layout_run_pass_reset();
	for (uint32_t i = 0; i < fixture.filter.config->memory.blocks; i++)
		assert_memory_equal(&fixture.filter.blocks[i], &(struct dedup_block){ 0 },
				    sizeof(struct dedup_block));
	/* And takes those bits again. */
	insert(0, 1000);
	expect_array(
		text(json_object_array_get_idx(vectors_of("colibri", "runs"), 0), "bytes_sha256"));
}

TEST(group_7_positions_are_the_vectors)
{
	json_object *rows = vectors_of("colibri", "positions"), *row;

	for (size_t nth = 0; (row = vector_row(rows, nth)); nth++) {
		json_object *at = member(row, "at");
		struct dedup_config cfg = { .memory.layout = DEDUP_FLAT,
					    .memory.hash = DEDUP_COLIBRI,
					    .policy.id_bytes = GSP_ID_BYTES };
		uint32_t plain[MODEL_PROBES_MAX];
		struct id id = id_from_hex(text(row, "id"));
		struct dedup_positions p;

		cfg.memory.m = vector_number(row, "m");
		cfg.memory.k = json_object_array_length(at);
		p = positions_of(&id, &cfg);
		model_positions(&cfg, &id, plain);
		for (uint32_t i = 0; i < cfg.memory.k; i++) {
			assert_int_equal(p.index[i], vector_nth(at, i));
			assert_int_equal(plain[i], vector_nth(at, i));
		}
	}
}

/* In any order, of two filters with a secret each; packet by packet, and by calls. */
TEST(group_7_hash_is_the_same_in_every_instance)
{
	uint8_t first[9586 / 8 + 1];

	load_colibri();
	insert(0, 500);
	memcpy(first, array_now(), sizeof(first));
	fixture_unload(state);
	load_colibri();
	for (uint64_t i = 500; i--;)
		ids_see(&fixture.filter, vector_id(i).bytes);
	assert_memory_equal(array_now(), first, sizeof(first));
}

/* As stats_fill() has it, as the library has it, as one counts it. */
static void expect_occupancy(uint64_t set_bits)
{
	struct xdp_dedup_filter *f;
	struct xdp_dedup_stats s;
	uint64_t counted = 0;

	for (size_t i = 0; i < array_bytes(); i++)
		for (uint8_t byte = array_now()[i]; byte; byte &= byte - 1)
			counted++;
	assert_int_equal(counted, set_bits);
	assert_int_equal(fill_now().set_current, set_bits);
	assert_true(fill_now().current == set_bits / 9586.0);

	assert_int_equal(xdp_dedup_open(FILTER_NAME, &f), 0);
	assert_int_equal(xdp_dedup_stats(f, &s, sizeof(s)), 0);
	assert_int_equal(s.m, 9586);
	assert_int_equal(s.k, 7);
	assert_string_equal(s.layout, "flat");
	assert_string_equal(s.hash, "colibri");
	assert_int_equal(s.set_bits, set_bits);
	assert_true(s.occupancy == set_bits / 9586.0);
	xdp_dedup_close(f);
}

/* An id's seven bits, less those that coincide. */
TEST(group_10_one_id_sets_its_bits)
{
	for (uint64_t i = 0; i < 20; i++) {
		uint32_t at[MODEL_PROBES_MAX], distinct = 0;
		struct id id = vector_id(i);

		load_colibri();
		layout_run_packet(&id);
		model_positions(fixture.filter.config, &id, at);
		for (int a = 0; a < 7; a++) {
			bool first = true;

			for (int b = 0; b < a; b++)
				first = first && at[b] != at[a];
			distinct += first;
		}
		expect_occupancy(distinct);
	}
}

TEST(group_10_occupancy_is_the_vectors)
{
	json_object *run = json_object_array_get_idx(vectors_of("colibri", "runs"), 0);

	load_colibri();
	expect_occupancy(0);
	insert(0, 1000);
	expect_occupancy(vector_number(run, "set_bits"));
	layout_run_pass_reset();
	expect_occupancy(0);
}

/* A bit array and FNV-1a: five tests, each of the packet program, of the library on a
 * filter's memory, and of an array of words.
 */

static const uint32_t SIZES[] = { 1, 2, 63, 64, 65, 100, 9586, 95850 };

static void load_bit_array(uint32_t m)
{
	struct dedup_config cfg = layout_run_config(&(struct layout_parameters){
		.layout = DEDUP_FLAT, .hash = DEDUP_FNV1A, .m = m, .k = 1 });

	fixture_load(&cfg);
	assert_int_equal(fixture.filter.config->memory.m, m);
}

/* Adds a key, either way. Was it new? */
static bool add_key(const struct id *id, bool by_packet)
{
	return by_packet ? !layout_run_packet(id) : !ids_see(&fixture.filter, id->bytes);
}

static bool has_key(const struct id *id)
{
	bool by_packet = layout_run_ask(id);

	assert_int_equal(ids_test(&fixture.filter, id->bytes), by_packet);
	return by_packet;
}

TEST(added_key_is_present)
{
	for (size_t s = 0; s < ARRAY_SIZE(SIZES); s++) {
		load_bit_array(SIZES[s]);
		for (uint64_t i = 0; i < 500; i++) {
			struct id id = vector_id(i);

			add_key(&id, i % 2);
			assert_true(has_key(&id));
		}
	}
}

TEST(empty_filter_returns_false)
{
	for (size_t s = 0; s < ARRAY_SIZE(SIZES); s++) {
		load_bit_array(SIZES[s]);
		for (uint64_t i = 0; i < 500; i++) {
			struct id id = vector_id(i);

			assert_false(has_key(&id));
		}
		assert_int_equal(fill_now().set_current, 0);
	}
}

/* Exactly the single bit at hash mod m: of m = 1, bit 0 of word 0. */
TEST(bit_array_boundary)
{
	for (size_t s = 0; s < ARRAY_SIZE(SIZES); s++) {
		for (uint64_t i = 0; i < 6; i += tries(5, 1)) {
			struct id id = vector_id(i);
			uint64_t bit = model_fnv1a(&id, sizeof(id)) % SIZES[s];
			const __u64 *words;

			load_bit_array(SIZES[s]);
			words = (const __u64 *)array_now();
			assert_true(add_key(&id, i % 2));
			assert_true(has_key(&id));
			assert_true(words[bit / 64] == 1ULL << bit % 64);
			assert_true(dedup_bits_test(words, bit));
			assert_int_equal(dedup_bits_count(words, SIZES[s]), 1);
			assert_int_equal(fill_now().set_current, 1);
			assert_false(add_key(&id, !(i % 2)));
		}
	}
}

TEST(hash_is_deterministic)
{
	uint8_t first[95850 / 8 + 1];

	for (int instance = 0; instance < 4; instance++) {
		load_bit_array(95850);
		for (uint64_t i = 0; i < 200; i++) {
			struct id id = vector_id(i);

			add_key(&id, instance % 2);
		}
		for (uint64_t i = 0; i < 200; i++) {
			struct id id = vector_id(i);

			assert_true(has_key(&id));
		}
		if (!instance)
			memcpy(first, array_now(), sizeof(first));
		assert_memory_equal(array_now(), first, sizeof(first));
	}
}

TEST(new_allocates_at_least_m_bits)
{
	json_object *rows = vectors_of("bit-array", "capacity"), *row;

	for (size_t nth = 0; (row = vector_row(rows, nth)); nth++) {
		uint64_t m = vector_number(row, "m"), capacity = vector_number(row, "capacity");

		assert_int_equal(dedup_bits_capacity(m), capacity);
		load_bit_array(m);
		assert_true(array_bits() >= capacity);
		assert_int_equal(array_bits() % 64, 0);
	}
	for (uint64_t m = 1; m < 2000; m++) {
		assert_true(dedup_bits_capacity(m) >= m && dedup_bits_capacity(m) < m + 64);
		assert_int_equal(dedup_bits_capacity(m) % 64, 0);
	}
}

/* Keys of any length as plain numbers; those of 32 bytes in the filter too. */
TEST(fnv_positions_are_the_vectors)
{
	json_object *rows = vectors_of("bit-array", "positions"), *row;

	for (size_t nth = 0; (row = vector_row(rows, nth)); nth++) {
		uint8_t key[64];
		size_t len = from_hex(text(row, "key"), key, sizeof(key));
		uint64_t h = strtoull(text(row, "fnv1a64"), NULL, 16);

		assert_true(model_fnv1a(key, len) == h);
		json_object_object_foreach(member(row, "at"), m, at)
		{
			uint64_t bit = json_object_get_uint64(at);
			struct dedup_config cfg = { .memory.hash = DEDUP_FNV1A,
						    .memory.k = 1,
						    .policy.id_bytes = len };
			struct dedup_id id = { 0 };
			struct dedup_positions p;
			__u64 *words;

			cfg.memory.m = strtoul(m, NULL, 10);
			assert_int_equal(h % cfg.memory.m, bit);
			words = calloc(dedup_bits_capacity(cfg.memory.m) / 64, sizeof(*words));
			assert_false(dedup_bits_test(words, bit));
			dedup_bits_set(words, bit);
			assert_true(words[bit / 64] == 1ULL << bit % 64);
			assert_int_equal(dedup_bits_count(words, cfg.memory.m), 1);
			words[bit / DEDUP_WORD_BITS] &= ~dedup_bits_mask(bit);
			assert_int_equal(dedup_bits_count(words, cfg.memory.m), 0);
			free(words);
			memcpy(id.byte, key, len);
			dedup_positions(&p, &id, cfg.policy.id_bytes, &cfg, 0);
			assert_int_equal(p.index[0], bit);
		}
	}
}

ROOT_MAIN(NULL, fixture_unload)
