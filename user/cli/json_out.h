/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* JSON for programs, as all verbs print it. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Adds a member to the object `o`. */
#define ADD(key, value) json_object_object_add(o, key, value)

#define json_bool json_object_new_boolean
#define json_double json_object_new_double
#define json_u64 json_object_new_uint64

/* Makes a string; null of NULL. */
static inline json_object *json_text(const char *text)
{
	return text ? json_object_new_string(text) : NULL;
}

static inline json_object *json_itself(json_object *o)
{
	return o;
}

/* Makes JSON of the value's type. */
#define JSON(value) \
	_Generic((value), bool: json_bool, double: json_double, char *: json_text,            \
		 const char *: json_text, json_object *: json_itself, default: json_u64)(value)

/* Make null if not `known`, or if the value is 0. */
#define JSON_IF(known, value) ((known) ? JSON(value) : NULL)
#define JSON_NONZERO(value) JSON_IF(value, value)

/* Makes a list with an item for each i below cnt. */
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

/* Print an object to stdout on several lines, or to a file on one line, and free it. Every control
 * character is escaped. A byte that is not UTF-8 becomes U+FFFD.
 */
void json_print(json_object *o);
void json_print_line(FILE *to, json_object *o);

/* Does what json_print_line() does, for a <script> of a page: the output has no "<". Does not free
 * the object.
 */
void json_print_in_page(FILE *to, json_object *o);
