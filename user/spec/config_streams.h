/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The streams of a configuration: at least one. Logs nothing. */
#ifndef XDP_DEDUP_CONFIG_STREAMS_H
#define XDP_DEDUP_CONFIG_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

/* Bytes of an id's segments; GSP/1: of an id. */
uint32_t stream_fields_bytes(const struct dedup_stream *s);

/* The number of the stream of this name; -1 if there is none. */
int stream_number(const struct dedup_config *c, const char *name);

/* Is stream n of GSP/1? */
bool stream_is_gsp(const struct dedup_config *c, uint32_t n);

/* Are the values that a profile gives a stream, and that are used as sizes and indices, in their
 * ranges?
 */
bool stream_sound(const struct dedup_stream *s, const struct dedup_numbered *n);

/* Are the values in the streams' configuration that are used as sizes and indices in their ranges? */
bool streams_sound(const struct dedup_config *c);

/* Is any stream numbered; is any not, so that its ids are hashed into the filter's memory? */
bool streams_any_numbered(const struct dedup_config *c);
bool streams_any_hashed(const struct dedup_config *c);

#endif
