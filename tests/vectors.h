/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* tests/vectors/NAME.json: what was computed without this project. */
#ifndef XDP_DEDUP_TESTS_VECTORS_H
#define XDP_DEDUP_TESTS_VECTORS_H

#include "fips_bed.h"
#include "packet.h"

/* What a file has under this key; it lives as long as the process. */
json_object *vectors_of(const char *name, const char *key);

/* The i-th object of an array; NULL behind the last one. */
json_object *vector_row(json_object *array, size_t i);

uint64_t vector_nth(json_object *array, size_t i);

/* The vectors' i-th id: SHA-256 of i as 64 bits, big-endian. */
struct id vector_id(uint64_t i);

/* An id from its 64 digits. */
struct id id_from_hex(const char *hex);

#endif
