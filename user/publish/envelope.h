/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The headers of a message: the event's id, its stream, source, arrival time and machine. */
#ifndef XDP_DEDUP_PUBLISH_ENVELOPE_H
#define XDP_DEDUP_PUBLISH_ENVELOPE_H

#include "endpoints.h"
#include "intake.h"
#include "message_id.h"
#include "server.h"

#define ENVELOPE_HEADERS_MAX 7
#define ENVELOPE_TIME_MAX 48

struct envelope {
	struct server_header headers[ENVELOPE_HEADERS_MAX]; /* ends with one without a name */
	char id[MESSAGE_ID_MAX];
	char source[ENDPOINT_TEXT_MAX];	 /* 192.0.2.1:8001, or [2001:db8::1]:8001 */
	char arrival[ENVELOPE_TIME_MAX]; /* RFC 3339, in UTC, with nanoseconds */
};

/* Writes the envelope of an event. The headers point into *out, and to strings of *s. Returns 0; or
 * -EIO if the event's id cannot be computed.
 */
int envelope_write(const struct publish_streams *s, const struct intake_event *e,
		   struct envelope *out);

#endif
