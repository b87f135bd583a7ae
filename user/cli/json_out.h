/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* JSON for programs, as all verbs print it. */
#ifndef XDP_DEDUP_JSON_OUT_H
#define XDP_DEDUP_JSON_OUT_H

#include <json-c/json.h>
#include <stdio.h>

/* Adds a member to the object `o`. */
#define ADD(key, value) json_object_object_add(o, key, value)

#define json_bool json_object_new_boolean
#define json_double json_object_new_double
#define json_u64 json_object_new_uint64

/* NULL: null. */
static inline json_object *json_text(const char *text)
{
	return text ? json_object_new_string(text) : NULL;
}

/* Prints it on stdout, in several lines, and frees it. */
static inline void json_print(json_object *o)
{
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED));
	json_object_put(o);
}

#endif
