/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes ids of an open filter's streams as the packet program does. Logs nothing. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "id.h"
#include "open_filter.h"

/* Sets f->stream to the stream of this name. Returns 0; -ENOENT if there is none. */
int stream_select(struct filter *f, const char *name);

/* Return how many bytes of a message stream_make_id() takes for stream n, at least and at most. */
size_t stream_input_min(const struct dedup_config *c, uint32_t n);
size_t stream_input_max(const struct dedup_config *c, uint32_t n);

/* Makes an id of f->stream from an application's bytes of a message: first the bytes of the
 * profile's fields, in the packet's order; then, if the id has a digest, the whole UDP payload, IP
 * packet or frame. For GSP/1, and for ids without a digest, missing bytes count as zeros; but a
 * numbered stream needs all bytes of source and number. Returns 0; or, with id[] all zero: -EINVAL
 * if there are too many bytes, or if a digest's input or a number is missing; -EDESTADDRREQ if the
 * filter has several streams and none is selected.
 */
int stream_make_id(const struct filter *f, const void *bytes, size_t len,
		   uint8_t id[DEDUP_ID_BYTES_MAX]);

/* How many bytes of each word of an id are passed to an application. */
struct stream_form {
	uint8_t bytes[DEDUP_ID_WORDS_MAX];
};
struct stream_form stream_form_of(const struct dedup_config *c, uint32_t n);

/* Writes an id's bytes of this form one after the other. Returns how many there are. */
size_t stream_form_bytes(const struct stream_form *form, const struct dedup_id *id,
			 uint8_t bytes[DEDUP_ID_BYTES_MAX]);

/* Writes the bytes of the fields of an id of stream n, and then those of its digest, if it has one:
 * the reverse of stream_make_id(). Returns how many there are.
 */
size_t stream_id_bytes(const struct dedup_config *c, uint32_t n, const struct dedup_id *id,
		       uint8_t bytes[DEDUP_ID_BYTES_MAX]);

/* Makes the lookup key *out of an id of stream_make_id(), or of GSP/1. The key points to *copy,
 * which becomes a copy of the id. Returns 0; -EINVAL for the all-zero id; -EDESTADDRREQ if the
 * filter has several streams and none is selected.
 */
int stream_seek(const struct filter *f, const uint8_t *id, struct dedup_id *copy,
		struct dedup_lookup_key *out);
