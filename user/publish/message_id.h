/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nats-Msg-Id: equal for two copies of one event on any machine, and different for two events.
 * An id of at most 32 bytes is written in hex. Others are hashed under a secret that the machines
 * share (HMAC-SHA-256, RFC 2104): whoever could compute such an id in advance could take its
 * place. Not for several threads.
 */
#ifndef XDP_DEDUP_PUBLISH_MESSAGE_ID_H
#define XDP_DEDUP_PUBLISH_MESSAGE_ID_H

#include <stdbool.h>
#include <stddef.h>

#include "xdp-dedup-streams.h"

#define MESSAGE_ID_MAX 256    /* bytes, with the 0 at the end */
#define MESSAGE_SECRET_MIN 32 /* bytes of a secret */
#define MESSAGE_SECRET_MAX 4096
#define MESSAGE_SECRET_NAME_MAX 17 /* 16 hex digits, and the 0 */

struct message_secret {
	struct evp_mac_ctx_st *mac; /* of libcrypto, with the secret in it; NULL: there is none */
	char name[MESSAGE_SECRET_NAME_MAX]; /* by which machines tell secrets apart */
};

/* Reads the secret, a file that only its owner may read: root, or the user of this process.
 * Returns 0, and the caller frees *out; or -errno (logged).
 */
int message_secret_read(const char *path, struct message_secret *out);
void message_secret_free(struct message_secret *s); /* one that is all zeros, too */

/* Can the events of the stream be published? NULL: yes. Else why not, as "its ..." */
const char *message_id_obstacle(const struct xdp_dedup_stream *s);

/* Are ids of the stream hashed? */
bool message_id_is_hashed(const struct xdp_dedup_stream *s);

/* One event of a stream. */
struct message_event {
	const struct xdp_dedup_identity *id;
	const void *payload;
	size_t len;
};

/* Writes the id of an event. realm: NULL if the filter has one stream; else a name for the streams
 * that share their ids. The secret is one if ids of the stream are hashed. Returns 0; or -EIO, with
 * any text in out, if libcrypto cannot hash.
 */
int message_id_write(const struct xdp_dedup_stream *s, const char *realm,
		     const struct message_secret *secret, const struct message_event *e,
		     char out[MESSAGE_ID_MAX]);

#endif
