/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Creates the JetStream stream, if the user asked for that, and checks that it suits. */
#ifndef XDP_DEDUP_PUBLISH_STREAM_CHECK_H
#define XDP_DEDUP_PUBLISH_STREAM_CHECK_H

#include <nats/nats.h>

#include "publish_options.h"
#include "subject.h"

#define SERVER_TEXT_MAX 512 /* of a message for people */
#define STREAM_SUBJECTS_MAX 16

/* Headers of each message. */
#define HEADER_ID "Nats-Msg-Id"
#define HEADER_STREAM "Dedup-Stream"
#define HEADER_SOURCE "Dedup-Source"
#define HEADER_ARRIVAL "Dedup-Arrival"
#define HEADER_MACHINE "Dedup-Machine"
#define HEADER_SECRET "Dedup-Secret"

/* What the stream must suit. */
struct stream_wish {
	const char *secret; /* its name, the caller's; NULL: no id is hashed */
	char subjects[STREAM_SUBJECTS_MAX][SUBJECT_MAX]; /* with `*` for the machine */
	int subjects_cnt;
	uint32_t serial; /* another one for each wish */
};

/* How the stream suits a wish. */
struct stream_fit {
	uint32_t serial;    /* of the wish */
	uint32_t untaken;   /* a bit for each subject that the stream does not take */
	uint64_t window_ns; /* its duplicate window */
};

/* Returns 0, and *out; text[SERVER_TEXT_MAX] then names the first subject that is not taken, if
 * there is one. Or, with text, -EINVAL if the stream does not suit, takes no subject, or does not
 * exist; -EAGAIN if that cannot be found out now.
 */
int stream_check(natsConnection *nc, const struct publish_options *o,
		 const struct stream_wish *want, struct stream_fit *out, char *text);

#endif
