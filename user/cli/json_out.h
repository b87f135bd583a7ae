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

/* Both print it and free it: on stdout, in several lines; on one line. Every control character is
 * escaped. A byte that is not UTF-8 becomes U+FFFD.
 */
void json_print(json_object *o);
void json_print_line(FILE *to, json_object *o);

#endif
