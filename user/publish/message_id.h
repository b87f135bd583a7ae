/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nats-Msg-Id: equal for two copies of one event on any machine, and different for two events.
 * An id of at most 32 bytes is written in hex. Other ids are hashed with a secret that the machines
 * share (HMAC-SHA-256, RFC 2104): otherwise an attacker could compute the id in advance, publish
 * another message with it, and suppress the event. Not thread-safe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "xdp-dedup-streams.h"

/* Differs between versions that make other ids of one event. */
#ifdef DEDUP_NEXT_FORMAT /* tests build a publisher of the version after this one */
#define MESSAGE_ID_FORMAT 2
#else
#define MESSAGE_ID_FORMAT 1
#endif
#define MESSAGE_ID_MAX 256    /* bytes, with the 0 at the end */
#define MESSAGE_SECRET_MIN 32 /* bytes of a secret */
#define MESSAGE_SECRET_MAX 4096
#define MESSAGE_SECRET_NAME_MAX 17 /* 16 hex digits, and the 0 */

struct message_secret {
	struct evp_mac_ctx_st *mac; /* libcrypto's, with the secret in it; NULL: no secret */
	char name[MESSAGE_SECRET_NAME_MAX]; /* by which machines tell secrets apart */
};

/* Reads the secret, a file that only its owner may read: root, or the user of this process.
 * Returns 0, and the caller frees *out; or -errno (logged).
 */
int message_secret_read(const char *path, struct message_secret *out);
void message_secret_free(struct message_secret *s); /* accepts one of zeros */

/* Returns NULL if the stream's events can be published, else the reason: "its ..." */
const char *message_id_obstacle(const struct xdp_dedup_stream *s);

/* Returns whether ids of the stream are hashed. */
bool message_id_is_hashed(const struct xdp_dedup_stream *s);

/* One event of a stream. */
struct message_event {
	const struct xdp_dedup_identity *id;
	const void *payload;
	size_t len;
};

/* Writes the id of an event. realm: a name for the streams that share their ids, of at most 31
 * bytes, which begins it. The secret must have a mac if ids of the stream are hashed. Returns 0; or
 * -EIO, with any text in out, if libcrypto fails.
 */
int message_id_write(const struct xdp_dedup_stream *s, const char *realm,
		     const struct message_secret *secret, const struct message_event *e,
		     char out[MESSAGE_ID_MAX]);
