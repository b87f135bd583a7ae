/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The numbered streams of a filter (struct dedup_numbered), and the table of their sources. */
#ifndef XDP_DEDUP_NUMBERED_H
#define XDP_DEDUP_NUMBERED_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

/* Do both number their messages in one way, so that they can share a realm, or neither? */
bool numbered_alike(const struct dedup_numbered *a, const struct dedup_numbered *b);

/* A sentence that says why a filter cannot have the spec's numbered streams, or NULL. `says` has
 * STREAMS_SAYS_MAX bytes for it.
 */
const char *numbered_refusal(const struct filter_spec *spec, char *says);

/* Fills in c->sources, but for its first block and what is in jiffies, and what c->numbered has of
 * it. c->policy and the rest of c->numbered are there.
 */
void numbered_plan(struct dedup_config *c);

/* Is any stream numbered? */
bool numbered_any(const struct filter_spec *spec);

/* Is no id to be hashed into the filter's memory, as all streams are numbered? */
bool numbered_alone(const struct filter_spec *spec);

#endif
