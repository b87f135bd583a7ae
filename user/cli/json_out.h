/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* JSON for programs, as all verbs print it. */
#ifndef XDP_DEDUP_JSON_OUT_H
#define XDP_DEDUP_JSON_OUT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
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

static inline json_object *json_itself(json_object *o)
{
	return o;
}

/* Makes what the value's type says. */
#define JSON(value) \
	_Generic((value), bool: json_bool, double: json_double, char *: json_text,            \
		 const char *: json_text, json_object *: json_itself, default: json_u64)(value)

/* Makes null unless `known`, or of 0. */
#define JSON_IF(known, value) ((known) ? JSON(value) : NULL)
#define JSON_NONZERO(value) JSON_IF(value, value)

/* Makes a list of an item for each i below cnt. */
#define JSON_LIST(i, cnt, item)                                   \
	({                                                        \
		json_object *list_ = json_object_new_array();     \
		for (uint32_t i = 0; i < (uint32_t)(cnt); i++)    \
			json_object_array_add(list_, JSON(item)); \
		list_;                                            \
	})

/* Makes an object of a list of facts (facts.h). */
#define JSON_OBJECT(facts)                                 \
	({                                                 \
		json_object *o = json_object_new_object(); \
		facts o;                                   \
	})
#define ADD_FACT(key, help, value) ADD(#key, JSON(value));
#define ADD_GAUGE(key, metric, help, value) ADD(#key, JSON(value));

/* Both print it and free it: on stdout, in several lines; on one line. Every control character is
 * escaped. A byte that is not UTF-8 becomes U+FFFD.
 */
void json_print(json_object *o);
void json_print_line(FILE *to, json_object *o);

#endif
