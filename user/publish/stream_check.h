/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Creates the JetStream stream, if the user asked for that, and checks that it suits. */
#ifndef XDP_DEDUP_PUBLISH_STREAM_CHECK_H
#define XDP_DEDUP_PUBLISH_STREAM_CHECK_H

#include <nats/nats.h>

#include "publish_options.h"

#define SERVER_TEXT_MAX 512 /* of a message for people */
#define STREAM_SUBJECTS_MAX 16

/* Headers of each message. */
#define HEADER_ID "Nats-Msg-Id"
#define HEADER_STREAM "Dedup-Stream"
#define HEADER_SOURCE "Dedup-Source"
#define HEADER_ARRIVAL "Dedup-Arrival"
#define HEADER_MACHINE "Dedup-Machine"
#define HEADER_SECRET "Dedup-Secret"

/* What the stream must suit. The strings are the caller's. */
struct stream_wish {
	const char *secret;			   /* its name; NULL: no id is hashed */
	const char *subjects[STREAM_SUBJECTS_MAX]; /* with `*` for the machine */
	int subjects_cnt;
};

/* Returns the stream's duplicate window, in ns. Or, with text[SERVER_TEXT_MAX]: -EINVAL if the
 * stream does not suit, or does not exist; -EAGAIN if that cannot be found out now.
 */
int64_t stream_check(natsConnection *nc, const struct publish_options *o,
		     const struct stream_wish *want, char *text);

#endif
