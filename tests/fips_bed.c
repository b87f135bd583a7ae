// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fips_bed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t rotr(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void sha256_block(uint32_t h[8], const uint8_t *block)
{
	uint32_t w[64] = { 0 }, s[8];

	for (int i = 0; i < 64; i++)
		w[i] = i < 16 ? (uint32_t)block[4 * i] << 24 | block[4 * i + 1] << 16 |
					block[4 * i + 2] << 8 | block[4 * i + 3]
			      : w[i - 16] + w[i - 7] +
					(rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3) +
					(rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(s, h, sizeof(s));
	for (int i = 0; i < 64; i++) {
		uint32_t t1 = s[7] + (rotr(s[4], 6) ^ rotr(s[4], 11) ^ rotr(s[4], 25)) +
			      ((s[4] & s[5]) ^ (~s[4] & s[6])) + DEDUP_SHA_K[i] + w[i];
		uint32_t t2 = (rotr(s[0], 2) ^ rotr(s[0], 13) ^ rotr(s[0], 22)) +
			      ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += t1;
		s[0] = t1 + t2;
	}
	for (int i = 0; i < 8; i++)
		h[i] += s[i];
}

const char *sha256_of(const struct fips_filter *f)
{
	uint32_t h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	uint32_t bits = FIPS_BITS(f->size_class);
	uint8_t last[64] = { [0] = 0x80, [61] = bits >> 16, [62] = bits >> 8, [63] = bits };
	static char hex[65];

	for (uint32_t w = 0; w < bits / 64; w += 8)
		sha256_block(h, (const uint8_t *)(f->word + w));
	sha256_block(h, last);
	for (size_t i = 0; i < 8; i++)
		snprintf(hex + 8 * i, 9, "%08x", h[i]);
	return hex;
}

json_object *vector_get(json_object *o, const char *key)
{
	json_object *value;

	assert_true(json_object_object_get_ex(o, key, &value));
	return value;
}

const char *vector_text(json_object *o, const char *key)
{
	return json_object_get_string(vector_get(o, key));
}

uint32_t vector_number(json_object *o, const char *key)
{
	return json_object_get_int64(vector_get(o, key));
}

json_object *vectors(const char *key)
{
	static json_object *all; /* as long as the process */

	if (!all)
		all = json_object_from_file("tests/vectors/fips.json");
	assert_non_null(all);
	return vector_get(all, key);
}

size_t from_hex(const char *hex, uint8_t *out, size_t size)
{
	size_t len = strlen(hex) / 2;

	assert_true(len <= size);
	for (size_t i = 0; i < len; i++) {
		char byte[3] = { hex[2 * i], hex[2 * i + 1], 0 };

		out[i] = strtoul(byte, NULL, 16);
	}
	return len;
}

struct fips_item item_from_hex(const char *hex)
{
	struct fips_item item = { 0 };

	assert_int_equal(from_hex(hex, item.byte, sizeof(item)), sizeof(item));
	return item;
}

struct fips_item nth_item(uint64_t n)
{
	struct fips_item item = { "fips" };

	memcpy(item.byte + 8, &n, sizeof(n));
	return item;
}

struct fips_filter empty_filter(uint32_t k, uint32_t size_class)
{
	struct fips_filter f;

	memset(&f, 0xff, sizeof(f));
	assert_int_equal(fips_init(&f, k, size_class), 0);
	return f;
}

void insert_items(struct fips_filter *f, uint64_t first, uint64_t end)
{
	for (uint64_t n = first; n < end; n++) {
		struct fips_item item = nth_item(n);

		fips_insert(f, &item);
	}
}

struct fips_filter filter_with(uint64_t first, uint64_t end)
{
	struct fips_filter f = empty_filter(FIPS_V1_HASHES, FIPS_V1_SIZE_CLASS);

	insert_items(&f, first, end);
	return f;
}

struct fips_filter filter_with_bits(uint32_t bits)
{
	struct fips_filter f = filter_with(0, 0);

	for (uint32_t i = 0; i < bits; i++)
		f.word[i / 64] |= 1ULL << i % 64;
	return f;
}

struct fips_filter filter_from(json_object *items, uint32_t size_class)
{
	struct fips_filter f = empty_filter(FIPS_V1_HASHES, size_class);

	for (size_t i = 0; i < json_object_array_length(items); i++) {
		const char *hex = json_object_get_string(json_object_array_get_idx(items, i));
		struct fips_item item = item_from_hex(hex);

		fips_insert(&f, &item);
	}
	return f;
}
