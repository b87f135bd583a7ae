/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* JSON for programs, as all verbs print it. */
#ifndef XDP_DEDUP_JSON_OUT_H
#define XDP_DEDUP_JSON_OUT_H

#include <json-c/json.h>
#include <stdint.h>

/* Adds a member to the object `o`. */
#define ADD(key, value) json_object_object_add(o, key, value)

json_object *json_u64(uint64_t value);
json_object *json_text(const char *text); /* NULL: null */

/* Prints it on stdout, in several lines. It stays the caller's. */
void json_print(json_object *o);

#endif
