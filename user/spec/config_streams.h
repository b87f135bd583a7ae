/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The streams of a configuration: at least one. Logs nothing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

/* Returns the bytes of an id's segments; for GSP/1, of an id. */
uint32_t stream_fields_bytes(const struct dedup_stream *s);

/* Returns the number of the stream of this name; -1 if there is none. */
int stream_number(const struct dedup_config *c, const char *name);

/* Returns whether stream n is GSP/1's. */
bool stream_is_gsp(const struct dedup_config *c, uint32_t n);

/* Returns whether the values that a profile gives a stream, and that are used as sizes and indices,
 * are in their ranges.
 */
bool stream_sound(const struct dedup_stream *s, const struct dedup_numbered *n);

/* Returns whether the sizes and indices in the streams' configuration are in their ranges. */
bool streams_sound(const struct dedup_config *c);

/* Return whether any stream is numbered, and whether any is not: its ids are hashed into memory. */
bool streams_any_numbered(const struct dedup_config *c);
bool streams_any_hashed(const struct dedup_config *c);
