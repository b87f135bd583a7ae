/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Creates the JetStream stream, with --create, and checks that it meets the requirements. */
#ifndef XDP_DEDUP_PUBLISH_STREAM_CHECK_H
#define XDP_DEDUP_PUBLISH_STREAM_CHECK_H

#include <nats/nats.h>

#include "id_rule.h"
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

/* What the publisher requires of the stream. */
struct stream_requirements {
	char subjects[STREAM_SUBJECTS_MAX][SUBJECT_MAX]; /* with `*` for the machine */
	int subjects_cnt;
	struct id_rule rules[STREAM_SUBJECTS_MAX];
	int rules_cnt;
	uint32_t serial; /* changes with each change of the requirements */
};

/* The result of a check. */
struct stream_fit {
	uint32_t serial;    /* of the requirements */
	uint32_t untaken;   /* a bit for each subject that the stream does not take */
	uint64_t window_ns; /* its duplicate window */
};

/* Checks the stream. Returns 0, and sets *out; text[SERVER_TEXT_MAX] then names the first subject
 * that the stream does not take, if there is one. Or returns, with text, -EINVAL if the stream does
 * not suit, takes no subject, or does not exist; -EPROTO if another machine makes other ids;
 * -EAGAIN if that is unknown now.
 */
int stream_check(natsConnection *nc, const struct publish_options *o,
		 const struct stream_requirements *required, struct stream_fit *out, char *text);

#endif
