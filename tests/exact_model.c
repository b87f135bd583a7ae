// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "support.h"

#include "exact_model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The i-th prime, from 2 on. */
static uint32_t prime(uint32_t i)
{
	for (uint32_t n = 2;; n++) {
		uint32_t d = 2;

		while (n % d)
			d++;
		if (d == n && i-- == 0)
			return n;
	}
}

/* SHA-256's constants are the first 32 bits behind the point of primes' roots. */
static uint32_t fraction(long double root)
{
	return (root - floorl(root)) * 4294967296.0L;
}

static uint32_t rotate_right(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static uint32_t rotated_sum(uint32_t x, int a, int b, int c)
{
	return rotate_right(x, a) ^ rotate_right(x, b) ^ rotate_right(x, c);
}

static void sha256_block(uint32_t hash[8], const uint8_t block[64])
{
	static uint32_t constants[64];
	uint32_t w[64], s[8];

	for (int t = 0; t < 64 && !constants[63]; t++)
		constants[t] = fraction(cbrtl(prime(t)));
	for (int t = 0; t < 16; t++)
		w[t] = (uint32_t)block[4 * t] << 24 | block[4 * t + 1] << 16 |
		       block[4 * t + 2] << 8 | block[4 * t + 3];
	for (int t = 16; t < 64; t++)
		w[t] = w[t - 16] + w[t - 7] +
		       (rotate_right(w[t - 15], 7) ^ rotate_right(w[t - 15], 18) ^ w[t - 15] >> 3) +
		       (rotate_right(w[t - 2], 17) ^ rotate_right(w[t - 2], 19) ^ w[t - 2] >> 10);
	memcpy(s, hash, sizeof(s));
	for (int t = 0; t < 64; t++) {
		uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
		uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
		uint32_t t1 = s[7] + rotated_sum(s[4], 6, 11, 25) + choice + constants[t] + w[t];
		uint32_t t2 = rotated_sum(s[0], 2, 13, 22) + majority;

		for (int i = 7; i > 0; i--)
			s[i] = s[i - 1];
		s[4] += t1;
		s[0] = t1 + t2;
	}
	for (int i = 0; i < 8; i++)
		hash[i] += s[i];
}

void exact_sha256(const void *bytes, size_t len, uint8_t digest[32])
{
	static uint32_t start[8];
	uint8_t last[128] = { 0 };
	size_t whole = len / 64 * 64, rest = len - whole, end = rest < 56 ? 64 : 128;
	uint32_t hash[8];

	for (int i = 0; i < 8 && !start[7]; i++)
		start[i] = fraction(sqrtl(prime(i)));
	memcpy(hash, start, sizeof(hash));
	for (size_t i = 0; i < whole; i += 64)
		sha256_block(hash, (const uint8_t *)bytes + i);
	if (rest)
		memcpy(last, (const uint8_t *)bytes + whole, rest);
	last[rest] = 0x80;
	for (int i = 0; i < 8; i++)
		last[end - 1 - i] = (uint64_t)len * 8 >> 8 * i;
	for (size_t i = 0; i < end; i += 64)
		sha256_block(hash, last + i);
	for (int i = 0; i < 32; i++)
		digest[i] = hash[i / 4] >> (24 - 8 * (i % 4));
}

uint64_t exact_fnv1a(const void *bytes, size_t len)
{
	uint64_t h = 14695981039346656037ULL;

	for (size_t i = 0; i < len; i++) {
		h ^= ((const uint8_t *)bytes)[i];
		h *= 1099511628211ULL;
	}
	return h;
}

/* A number from its bytes, lowest first. */
static uint64_t little_endian(const void *bytes, int len)
{
	uint64_t value = 0;

	for (int i = len - 1; i >= 0; i--)
		value = value << 8 | ((const uint8_t *)bytes)[i];
	return value;
}

static uint64_t rotate_left(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate_left(v[1], 13) ^ v[0];
	v[3] = rotate_left(v[3], 16) ^ v[2];
	v[0] = rotate_left(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotate_left(v[1], 17) ^ v[2];
	v[3] = rotate_left(v[3], 21) ^ v[0];
	v[2] = rotate_left(v[2], 32);
}

static uint32_t words_of(const struct dedup_config *cfg)
{
	return (cfg->id_bytes + 7) / 8;
}

/* Eight of the id's bytes as a number; those beyond its end are 0. */
static uint64_t id_word(const struct dedup_config *cfg, const uint8_t *id, uint32_t i)
{
	uint32_t left = cfg->id_bytes - 8 * i;

	return little_endian(id + 8 * i, left < 8 ? left : 8);
}

/* SipHash-1-3 of an id. */
static uint64_t siphash(const struct dedup_config *cfg, const uint8_t *id)
{
	uint64_t k0 = (uint64_t)cfg->key[1] << 32 | cfg->key[0];
	uint64_t k1 = (uint64_t)cfg->key[3] << 32 | cfg->key[2];
	uint64_t v[4];
	uint32_t words = words_of(cfg);

	memcpy(v, "uespemosmodnarodarenegylsetybdet", sizeof(v));
	v[0] ^= k0;
	v[1] ^= k1;
	v[2] ^= k0;
	v[3] ^= k1;
	for (uint32_t i = 0; i <= words; i++) {
		uint64_t in = i < words ? id_word(cfg, id, i) : (uint64_t)words * 8 << 56;

		v[3] ^= in;
		sip_round(v);
		v[0] ^= in;
	}
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* NH: the sum of products of two halves, each with a word of the key added to it. */
static uint64_t nh(const struct dedup_config *cfg, const uint8_t *id)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < words_of(cfg); i++) {
		uint32_t a = id_word(cfg, id, i) + cfg->key[2 * i];
		uint32_t b = (id_word(cfg, id, i) >> 32) + cfg->key[2 * i + 1];

		sum += (uint64_t)a * b;
	}
	return (sum ^ sum >> 32) * 0x9e3779b97f4a7c15;
}

static uint64_t keyed(const struct dedup_config *cfg, const uint8_t *id)
{
	return cfg->hash == DEDUP_SIPHASH ? siphash(cfg, id) : nh(cfg, id);
}

/* A fraction of 2^32ths of n. */
static uint32_t scale(uint32_t x, uint32_t n)
{
	return (uint64_t)x * n >> 32;
}

static void mixed_positions(const struct dedup_config *cfg, uint64_t h, uint32_t *at)
{
	for (uint32_t i = 0; i < cfg->k; i++) {
		h = (h ^ h >> 32) * 0xd6e8feb86659fd93;
		at[i] = scale(h >> 32, cfg->m);
	}
}

static void keyed_positions(const struct dedup_config *cfg, const uint8_t *id, uint32_t *at)
{
	mixed_positions(cfg, keyed(cfg, id), at);
}

/* In a block, `words` of its half's four words have up to `bits` bits each: six bits of a
 * product say which one, from the top of it for an even word, from bit 33 for an odd one.
 */
static void blocked_positions(const struct dedup_config *cfg, const uint8_t *id, uint32_t *at)
{
	uint64_t h = keyed(cfg, id), mix = h ^ h >> 32;
	uint32_t block = scale(h >> 32, cfg->blocks), n = 0;

	for (uint32_t w = 0; w < cfg->words; w++) {
		uint64_t g = mix * (w < 2 ? 0xd6e8feb86659fd93 : 0xa0761d6478bd642f);
		uint32_t word = cfg->words == 4 ? w : h / 8 % 4;

		if (cfg->words == 2 && w == 1)
			word = (word + 1 + (h % 0x80000000 * 3 >> 31)) % 4;
		for (uint32_t b = 0; b < cfg->bits; b++) {
			uint32_t before = w % 2 * cfg->bits + b;

			at[n++] = block * 256 + word * 64 + (g >> (4 + 6 * before)) % 64;
		}
	}
}

static void colibri_positions(const struct dedup_config *cfg, const uint8_t *id, uint32_t *at)
{
	for (uint32_t i = 0; i < cfg->k; i++) {
		uint8_t message[4 + DEDUP_ID_BYTES_MAX] = { i >> 24, i >> 16, i >> 8, i }, d[32];

		memcpy(message + 4, id, cfg->id_bytes);
		exact_sha256(message, 4 + cfg->id_bytes, d);
		at[i] = ((uint32_t)d[0] << 24 | d[1] << 16 | d[2] << 8 | d[3]) % cfg->m;
	}
}

static void fips_positions(const struct dedup_config *cfg, const uint8_t *id, uint32_t *at)
{
	size_t len = cfg->id_bytes, used = len;
	uint8_t d[32];

	while (used > 16 && !id[used - 1])
		used--;
	exact_sha256(id, len > 16 && used == 16 ? 16 : len, d);
	for (uint32_t i = 0; i < cfg->k; i++)
		at[i] = (little_endian(d, 8) + i * little_endian(d + 8, 8)) % cfg->m;
}

static void fnv1a_positions(const struct dedup_config *cfg, const uint8_t *id, uint32_t *at)
{
	uint64_t h = exact_fnv1a(id, cfg->id_bytes);

	mixed_positions(cfg, h, at);
	at[0] = h % cfg->m;
}

static void tezos_positions(const struct dedup_config *cfg, const uint8_t *id, uint32_t *at)
{
	uint32_t bit = 0;
	uint8_t d[32];

	exact_sha256(id, cfg->id_bytes, d);
	for (uint32_t i = 0; i < cfg->k; i++) {
		at[i] = 0;
		for (uint32_t value = 1; value < cfg->m; value *= 2, bit++)
			at[i] += (d[bit / 8] >> bit % 8 & 1) * value;
	}
}

uint32_t exact_positions_of(const struct dedup_config *cfg, const uint8_t *id,
			    uint32_t at[EXACT_PROBES_MAX])
{
	static void (*const SCHEMES[])(const struct dedup_config *, const uint8_t *, uint32_t *) = {
		[DEDUP_FAST] = keyed_positions,	     [DEDUP_SIPHASH] = keyed_positions,
		[DEDUP_COLIBRI] = colibri_positions, [DEDUP_FIPS] = fips_positions,
		[DEDUP_FNV1A] = fnv1a_positions,     [DEDUP_TEZOS] = tezos_positions,
	};

	if (cfg->layout == DEDUP_BLOCKED) {
		blocked_positions(cfg, id, at);
		return cfg->words * cfg->bits;
	}
	SCHEMES[cfg->hash](cfg, id, at);
	return cfg->k;
}

uint32_t exact_positions(const struct dedup_config *cfg, const struct id *id,
			 uint32_t at[EXACT_PROBES_MAX])
{
	assert_int_equal(cfg->id_bytes, sizeof(*id));
	return exact_positions_of(cfg, id->bytes, at);
}

/* How many places two ids have in common. */
static uint32_t shared_places(const struct dedup_config *cfg, const struct id *a, const struct id *b)
{
	uint32_t at[2][EXACT_PROBES_MAX], shared = 0;
	uint32_t cnt = exact_positions(cfg, a, at[0]);

	exact_positions(cfg, b, at[1]);
	for (uint32_t i = 0; i < cnt; i++)
		for (uint32_t j = 0; j < cnt; j++)
			shared += at[0][i] == at[1][j];
	return shared;
}

struct id exact_id_sharing(const struct dedup_config *cfg, const struct id *id, uint32_t places)
{
	struct id other;

	do
		other = id_fresh();
	while (shared_places(cfg, id, &other) != places);
	return other;
}

void exact_start(struct exact *m, const struct dedup_config *cfg)
{
	*m = (struct exact){ .cfg = cfg };
	m->size = cfg->layout == DEDUP_BLOCKED ? cfg->blocks * 256 : cfg->m;
	if (cfg->layout == DEDUP_COUNTDOWN) {
		m->left = calloc(m->size, sizeof(*m->left));
		assert_non_null(m->left);
		return;
	}
	m->current = calloc(m->size, 1);
	m->previous = calloc(m->size, 1);
	assert_true(m->current && m->previous);
}

void exact_stop(struct exact *m)
{
	free(m->current);
	free(m->previous);
	free(m->left);
}

static bool is_none(const struct id *id)
{
	return !memcmp(id, &NO_ID, sizeof(*id));
}

static bool is_known(const struct exact *m, const uint32_t *at, uint32_t cnt)
{
	bool in_current = true, in_previous = true, above_0 = true;

	for (uint32_t i = 0; i < cnt; i++) {
		if (m->cfg->layout == DEDUP_COUNTDOWN) {
			above_0 = above_0 && m->left[at[i]];
			continue;
		}
		in_current = in_current && m->current[at[i]];
		in_previous = in_previous && m->previous[at[i]];
	}
	return m->cfg->layout == DEDUP_COUNTDOWN ? above_0 : in_current || in_previous;
}

/* In countdown these cells become so many, else these bits are set. */
static void put(struct exact *m, const uint32_t *at, uint32_t cnt, uint32_t left)
{
	for (uint32_t i = 0; i < cnt; i++) {
		if (m->cfg->layout == DEDUP_COUNTDOWN)
			m->left[at[i]] = left;
		else
			m->current[at[i]] = 1;
	}
}

bool exact_test(const struct exact *m, const struct id *id)
{
	uint32_t at[EXACT_PROBES_MAX];

	return !is_none(id) && is_known(m, at, exact_positions(m->cfg, id, at));
}

static int learn(struct exact *m, const struct id *id, bool refresh)
{
	uint32_t at[EXACT_PROBES_MAX], cnt;
	bool known;

	if (is_none(id))
		return -EINVAL;
	cnt = exact_positions(m->cfg, id, at);
	known = is_known(m, at, cnt);
	if (!known || refresh)
		put(m, at, cnt, m->cfg->places);
	return !known;
}

int exact_see(struct exact *m, const struct id *id)
{
	return learn(m, id, false);
}

int exact_add(struct exact *m, const struct id *id)
{
	return learn(m, id, m->cfg->layout == DEDUP_COUNTDOWN);
}

int exact_remove(struct exact *m, const struct id *id)
{
	uint32_t at[EXACT_PROBES_MAX], cnt;
	bool known;

	if (is_none(id))
		return -EINVAL;
	cnt = exact_positions(m->cfg, id, at);
	known = is_known(m, at, cnt);
	put(m, at, cnt, 0);
	return known;
}

void exact_rotate(struct exact *m)
{
	if (m->cfg->layout == DEDUP_COUNTDOWN) {
		for (uint32_t i = 0; i < m->size; i++)
			m->left[i] -= m->left[i] > 0;
		return;
	}
	memcpy(m->previous, m->current, m->size);
	memset(m->current, 0, m->size);
}

void exact_reset(struct exact *m)
{
	if (m->cfg->layout == DEDUP_COUNTDOWN) {
		memset(m->left, 0, m->size * sizeof(*m->left));
		return;
	}
	memset(m->current, 0, m->size);
	memset(m->previous, 0, m->size);
}

uint32_t exact_set(const struct exact *m)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < m->size; i++)
		cnt += m->cfg->layout == DEDUP_COUNTDOWN ? m->left[i] > 0 : m->current[i];
	return cnt;
}
