/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The two forms in which status shows a filter. */
#pragma once

#include <json-c/json.h>

#include "senders_view.h"
#include "status.h"

/* Prints the status for people to stdout. */
void status_print(const struct status *s);

/* Makes an object for programs. The caller frees it with json_object_put(). */
json_object *status_json(const struct status *s);

/* Reads the senders of the filter's numbered streams, at most `max` (sender_list_read()). The
 * caller calls sender_list_free(&out->list).
 */
void status_read_senders(const struct status *s, uint32_t max, struct senders_view *out);

/* Makes a view of the filter's senders, with an empty list. */
struct senders_view status_senders_view(const struct status *s);

/* Makes an object of an interface: its name, state and mode. The caller frees it, or adds to it. */
json_object *iface_json(const struct status_iface *f);

/* Adds the parameters of the layout to the object `o`; spec: as layout.h has it for facts(). */
void add_layout_facts(json_object *o, const struct filter_spec *spec, const struct dedup_config *c);

/* Makes an object of what is lost behind the filter. The caller frees it with json_object_put(). */
json_object *behind_json(const struct status_behind *b);

/* Makes a list of objects with `key` and `text`. The caller frees it with json_object_put(). */
json_object *advice_json(const struct advice *advice, int cnt);
