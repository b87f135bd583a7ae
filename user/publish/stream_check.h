/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Creates the JetStream streams, with --create, and checks that they meet the requirements. */
#ifndef XDP_DEDUP_PUBLISH_STREAM_CHECK_H
#define XDP_DEDUP_PUBLISH_STREAM_CHECK_H

#include <nats/nats.h>

#include "id_rule.h"
#include "publish_options.h"
#include "subject.h"

#define SERVER_TEXT_MAX 512 /* of a message for people */
#define STREAMS_MAX 16	    /* of a filter */

/* Headers of each message. */
#define HEADER_ID "Nats-Msg-Id"
#define HEADER_STREAM "Dedup-Stream"
#define HEADER_SOURCE "Dedup-Source"
#define HEADER_ARRIVAL "Dedup-Arrival"
#define HEADER_MACHINE "Dedup-Machine"

/* What the publisher requires of the JetStream streams. */
struct stream_requirements {
	struct id_rule rules[STREAMS_MAX]; /* of the filter's streams that are published */
	int rules_cnt;
	uint32_t serial; /* changes with each change of the requirements */
};

/* Properties of a stream that let it forget ids, or lose events. */
enum { STREAM_TRAPS_CNT = 5 };

/* The result of a check. */
struct stream_fit {
	uint32_t serial;  /* of the requirements */
	uint32_t untaken; /* a bit for each of the filter's streams that no stream takes */
	char reason[SERVER_TEXT_MAX]; /* why that is, for one of them */
	uint64_t window_ns;	      /* the shortest duplicate window */
	uint32_t traps;		      /* a bit for each trap of the first stream that has one */
	char trapped[SUBJECT_MAX];    /* this stream */
};

/* Checks the streams, and the rules of ids. Returns 0, and sets *out; or, with
 * text[SERVER_TEXT_MAX], -EINVAL if none of the filter's streams is taken, as no JetStream stream
 * exists, suits, or has their subjects; -EPROTO if another machine makes other ids;
 * -EAGAIN if that is unknown now.
 */
int stream_check(natsConnection *nc, const struct publish_options *o,
		 const struct stream_requirements *required, struct stream_fit *out, char *text);

/* Logs the traps that are new since the check before. */
void stream_check_log_traps(const struct stream_fit *fit, const struct stream_fit *before);

#endif
