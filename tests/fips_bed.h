/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the tests of FIPS share: its vectors, and filters to try things with. */
#ifndef XDP_DEDUP_TESTS_FIPS_BED_H
#define XDP_DEDUP_TESTS_FIPS_BED_H

#include "said.h"

#include "fips.h"

#define V1_BITS FIPS_BITS(FIPS_V1_SIZE_CLASS)

/* Of a filter's bits, in hex; the project's own takes one block only. */
const char *sha256_of(const struct fips_filter *f);

uint32_t vector_number(json_object *o, const char *key);
json_object *vectors(const char *key);
size_t from_hex(const char *hex, uint8_t *out, size_t size);
struct fips_item item_from_hex(const char *hex);
struct fips_item nth_item(uint64_t n);
struct fips_filter empty_filter(uint32_t k, uint32_t size_class);
void insert_items(struct fips_filter *f, uint64_t first, uint64_t end);

/* Holds these items; of v1. */
struct fips_filter filter_with(uint64_t first, uint64_t end);

/* Of so many bits; of v1. */
struct fips_filter filter_with_bits(uint32_t bits);

struct fips_filter filter_from(json_object *items, uint32_t size_class);

#endif
