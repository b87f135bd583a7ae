// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "vectors.h"

#include <stdio.h>
#include <string.h>

#include "exact_model.h"

#define FILES_MAX 4

json_object *vectors_of(const char *name, const char *key)
{
	static struct {
		char path[64];
		json_object *all;
	} files[FILES_MAX];
	char path[64];
	int i = 0;

	snprintf(path, sizeof(path), "tests/vectors/%s.json", name);
	while (files[i].all && strcmp(files[i].path, path))
		assert_true(++i < FILES_MAX);
	if (!files[i].all) {
		snprintf(files[i].path, sizeof(files[i].path), "%s", path);
		files[i].all = json_object_from_file(path);
	}
	assert_non_null(files[i].all);
	return member(files[i].all, key);
}

json_object *vector_row(json_object *array, size_t i)
{
	return i < json_object_array_length(array) ? json_object_array_get_idx(array, i) : NULL;
}

uint64_t vector_nth(json_object *array, size_t i)
{
	assert_true(i < json_object_array_length(array));
	return json_object_get_uint64(json_object_array_get_idx(array, i));
}

struct id vector_id(uint64_t i)
{
	uint64_t big_endian = __builtin_bswap64(i);
	struct id id = { 0 };

	exact_sha256(&big_endian, sizeof(big_endian), id.bytes);
	return id;
}

struct id id_from_hex(const char *hex)
{
	struct id id = { 0 };

	assert_int_equal(from_hex(hex, id.bytes, sizeof(id)), sizeof(id));
	return id;
}
