/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The message of an event: its subject, its headers, and the packet's payload. */
#ifndef XDP_DEDUP_PUBLISH_MESSAGE_H
#define XDP_DEDUP_PUBLISH_MESSAGE_H

#include <nats/nats.h>

#include "intake.h"

#define HEADER_ID "Nats-Msg-Id"
#define HEADER_STREAM "Dedup-Stream"
#define HEADER_SOURCE "Dedup-Source"   /* 192.0.2.1:8001, or [2001:db8::1]:8001 */
#define HEADER_ARRIVAL "Dedup-Arrival" /* RFC 3339, in UTC, with nanoseconds */
#define HEADER_MACHINE "Dedup-Machine"

/* Makes the message of an event. Returns it, and the caller destroys it; or NULL, with *ret_why. */
natsMsg *message_make(const struct publish_streams *s, const struct intake_event *e,
		      const char *reply, const char **ret_why);

#endif
