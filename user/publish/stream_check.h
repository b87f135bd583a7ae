/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Creates the JetStream streams, with --create, and checks that they meet the requirements. */
#pragma once

#include <nats/nats.h>

#include "id_rule.h"
#include "publish_options.h"
#include "subject.h"

#define STREAMS_MAX 16 /* of a filter */

/* What the publisher requires of the JetStream streams. */
struct stream_requirements {
	struct id_rule rules[STREAMS_MAX]; /* of the filter's streams that are published */
	int rules_cnt;
	uint32_t serial; /* changes with each change of the requirements */
};

/* The result of a check. */
struct stream_fit {
	uint32_t serial; /* of the requirements */
	/* A bit for each of the filter's streams whose ids others make in another way; if there is
	 * one, also for each of which no machine has a rule.
	 */
	uint32_t refused;
	uint32_t untaken; /* for each of them that no JetStream stream takes, or that is refused */
	bool takes_none;  /* all of them are untaken, and at least one is refused */
	uint64_t window_ns; /* the shortest duplicate window */
};

/* Checks the streams, and the rules of ids, and logs what is wrong, or may do harm. Returns 0, and
 * sets *out; -EINVAL if none of the filter's streams is taken, as no JetStream stream exists,
 * suits, or has their subjects; or -EAGAIN if that, or how other machines make ids, is unknown now.
 */
int stream_check(natsConnection *nc, const struct publish_options *o,
		 const struct stream_requirements *required, struct stream_fit *out);
