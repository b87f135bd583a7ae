// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ids of every length, 1 to 64 bytes: where each scheme looks for them, against the plain model,
 * which hashes messages of any length.
 */
#include "unit.h"

#include "block.h"
#include "model_hash.h"
#include "gsp.h"
#include "positions.h"
#include "sha256.h"
#include "spec.h"

#define IDS 40

static const struct kind {
	const char *name;
	enum dedup_hash_scheme hash;
	uint32_t m, k;
} KINDS[] = {
	{ "fast", DEDUP_FAST, 999983, 7 },     { "siphash", DEDUP_SIPHASH, 999983, 7 },
	{ "colibri", DEDUP_COLIBRI, 9586, 7 }, { "fips", DEDUP_FIPS, 8192, 5 },
	{ "fnv1a", DEDUP_FNV1A, 999983, 3 },   { "fnv1a-single", DEDUP_FNV1A, 999983, 1 },
	{ "tezos", DEDUP_TEZOS, 1 << 16, 16 },
};

/* Of so many bytes, of which the last `zeros` are 0; behind them zeros. */
static struct dedup_id random_id(uint64_t *seed, uint32_t bytes, uint32_t zeros)
{
	struct dedup_id id = { 0 };

	for (uint32_t i = 0; i + zeros < bytes; i++)
		id.byte[i] = random_next(seed);
	return id;
}

static void check_positions(const struct dedup_config *cfg, const struct dedup_id *id)
{
	uint32_t plain[MODEL_PROBES_MAX];
	struct dedup_positions p;

	dedup_positions(&p, id, cfg->policy.id_bytes, cfg, 0);
	model_positions_of(cfg, id->byte, plain);
	for (uint32_t i = 0; i < cfg->memory.k; i++)
		assert_int_equal(p.index[i], plain[i]);
}

TEST_ROWS(try_kind, KINDS)
{
	uint64_t seed = 1;

	for (uint32_t bytes = 1; bytes <= DEDUP_ID_BYTES_MAX; bytes++)
		for (int n = 0; n < IDS; n++) {
			struct dedup_config cfg = { .memory.layout = DEDUP_FLAT,
						    .memory.hash = row->hash,
						    .memory.m = row->m,
						    .memory.k = row->k,
						    .policy.id_bytes = bytes };
			struct dedup_id id = random_id(&seed, bytes, n % 3 * bytes / 4);

			for (int i = 0; i < DEDUP_KEYS; i++)
				cfg.secrets.key[i] = random_next(&seed);
			check_positions(&cfg, &id);
		}
}

/* Layout blocked: the bits of a probe, against the model's. */
TEST(blocks_take_ids_of_any_length)
{
	uint64_t seed = 2;

	for (uint32_t bytes = 1; bytes <= DEDUP_ID_BYTES_MAX; bytes++)
		for (int n = 0; n < IDS; n++) {
			struct dedup_config cfg = { .memory.hash = n % 2 ? DEDUP_FAST : DEDUP_SIPHASH,
						    .memory.blocks = 1000,
						    .memory.words = 2,
						    .memory.bits = 4,
						    .policy.id_bytes = bytes };
			struct dedup_id id = random_id(&seed, bytes, 0);
			uint64_t expected[1000][4] = { 0 };
			uint32_t plain[MODEL_PROBES_MAX], cnt;
			struct dedup_probe p;

			cfg.secrets.key[n % DEDUP_KEYS] = random_next(&seed);
			dedup_probe(&p, dedup_hash(&id, dedup_id_words(bytes), &cfg, 0),
				    cfg.memory.blocks, cfg.memory.words, cfg.memory.bits);
			cnt = model_positions_of(&cfg, id.byte, plain);
			for (uint32_t i = 0; i < cnt; i++)
				expected[plain[i] / 256][plain[i] / 64 % 4] |= 1ULL << plain[i] % 64;
			for (uint32_t w = 0; w < cfg.memory.words; w++)
				assert_true(expected[p.block][p.offset[w] / 8] == p.mask[w]);
		}
}

/* What lies behind a packet's id is another id, or nothing. */
TEST(only_the_ids_own_words_are_looked_at)
{
	const uint32_t key[DEDUP_KEYS] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
	uint64_t seed = 3;

	for (uint32_t words = 1; words < DEDUP_ID_WORDS_MAX; words++) {
		struct dedup_id id = random_id(&seed, 8 * words, 0), more = id, none = { 0 };

		more.word[words] = none.word[words] = random_next(&seed);
		assert_true(dedup_hash_fast(&id, words, key, 0) ==
			    dedup_hash_fast(&more, words, key, 0));
		assert_true(dedup_siphash(id.word, words, key, 0) ==
			    dedup_siphash(more.word, words, key, 0));
		assert_true(dedup_is_no_id(&none, words));
		assert_false(dedup_is_no_id(&none, words + 1));
		more = dedup_id_copy(&more, words);
		assert_memory_equal(&more, &id, sizeof(id));
	}
}

/* Also where the padding takes a block of its own. */
TEST(a_message_of_any_length_is_hashed)
{
	uint64_t seed = 4;

	for (uint32_t bytes = 1; bytes <= DEDUP_ID_BYTES_MAX; bytes++)
		for (uint32_t before = 0; before <= 1; before++) {
			struct dedup_id id = random_id(&seed, DEDUP_ID_BYTES_MAX, 0);
			struct dedup_sha_message m = { &id, bytes, before, 0x01020304 };
			uint8_t text[4 + DEDUP_ID_BYTES_MAX] = { 1, 2, 3, 4 }, digest[32];
			struct dedup_sha sha;

			memcpy(text + 4, id.byte, bytes);
			model_sha256(text + (before ? 0 : 4), (before ? 4 : 0) + bytes, digest);
			dedup_sha256(&sha, &m);
			for (int i = 0; i < 32; i++)
				assert_int_equal(sha.state[i / 4] >> (24 - 8 * (i % 4)) & 0xff,
						 digest[i]);
		}
}

TEST(gsp_ids_have_one_length)
{
	assert_int_equal(SPEC_GSP_ID_BYTES, GSP_ID_BYTES);
}

UNIT_MAIN()
