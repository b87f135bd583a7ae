/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The numbered streams of a filter (struct dedup_numbered), and the table of their sources. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

/* Returns whether both number their messages in one way, so that they can share a realm, or neither
 * is numbered.
 */
bool numbered_alike(const struct dedup_numbered *a, const struct dedup_numbered *b);

/* Returns NULL if a filter can have the spec's numbered streams; else a sentence for the user.
 * says: room for it, STREAMS_SAYS_MAX bytes.
 */
const char *numbered_refusal(const struct filter_spec *spec, char *says);

/* Fills in c->sources, except its first block and fields in jiffies, and the fields of c->numbered
 * that follow from it. c->policy and the rest of c->numbered are set.
 */
void numbered_plan(struct dedup_config *c);

/* Returns whether any stream is numbered. */
bool numbered_any(const struct filter_spec *spec);

/* Returns whether all streams are numbered, so that no id is hashed into the filter's memory. */
bool numbered_alone(const struct filter_spec *spec);
