// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fips_bed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact_model.h"

const char *sha256_of(const struct fips_filter *f)
{
	static char hex[65];
	uint8_t digest[32];

	exact_sha256(f->word, FIPS_BYTES(f->size_class), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	return hex;
}

uint32_t vector_number(json_object *o, const char *key)
{
	return json_object_get_int64(member(o, key));
}

json_object *vectors(const char *key)
{
	static json_object *all; /* as long as the process */

	if (!all)
		all = json_object_from_file("tests/vectors/fips.json");
	assert_non_null(all);
	return member(all, key);
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
