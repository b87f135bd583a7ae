/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Publishes events, and keeps each until the engine has stored it: sends, retries, gives up. The
 * outbox owns the connection and the table of pending messages, and passes the outcome of each
 * event to the intake.
 */
#pragma once

#include <stdint.h>

#include "log_rate.h"
#include "pending.h"
#include "server.h"

#define OUTBOX_BUCKETS 16 /* of times until an acknowledgement; each twice the one before */
#define OUTBOX_BUCKET_NS 250000

/* Counters, and the help of their metrics. */
#define OUTBOX_COUNTERS(X)                                                                                       \
	X(sent, "Messages sent, with those sent again.")                                                         \
	X(acknowledged, "Messages that the engine has stored.")                                                  \
	X(duplicate, "Acknowledged messages whose id the engine knew.")                                          \
	X(retried, "Messages sent again.")                                                                       \
	X(late, "Messages sent after the duplicate window: they may be there twice.")                            \
	X(copies, "Copies of pending events, which were not sent.")                                              \
	X(too_large, "Messages larger than the server takes, which were left out.")                              \
	X(refused, "Answers of the engine that were errors.")                                                    \
	X(given_up,                                                                                              \
	  "Events given up: after all retries, their subject is not taken, or another machine makes other ids.") \
	X(connections, "Connections that were made.")

struct outbox_counters {
#define X(member, help) uint64_t member;
	OUTBOX_COUNTERS(X)
#undef X
	uint64_t ack_bucket[OUTBOX_BUCKETS + 1]; /* the last one: longer times */
};

struct outbox {
	const struct publish_options *options;
	const struct publish_streams *streams;
	struct intake *intake;
	struct server *server;
	enum server_state state;
	uint64_t connected_ns; /* when it became SERVER_UP last */
	struct pending pending;
	uint64_t stored_ns;	/* when the engine last stored a message */
	uint64_t rechecked_ns;	/* when a recheck of the stream was last requested */
	struct stream_fit fit;	/* of the last check of the stream */
	uint64_t slow_until_ns; /* nothing is sent before this time: the server is slow */
	struct log_rate refused_log, given_up_log; /* refused messages; events given up */
	struct outbox_counters counters;
};

/* Makes an empty outbox, and begins to connect. Returns 0, and the caller closes *o; or -errno
 * (logged).
 */
int outbox_open(struct outbox *o, const struct publish_options *options,
		struct publish_streams *streams, struct intake *intake);

/* Returns whether it publishes: there is a connection, and a stream that suits. */
static inline bool outbox_publishes(const struct outbox *o)
{
	return o->state == SERVER_UP && !o->fit.takes_none;
}

/* Ends all pending events, logs how many there are, and closes the connection. */
void outbox_close(struct outbox *o);

/* Publishes an event, and owns it from now on; an intake_fn, for an outbox with room (pending_room()). */
void outbox_add(void *outbox, struct intake_event *e);

/* Handles answers and changes of the connection; server->fd is readable. Returns the new state. */
enum server_state outbox_receive(struct outbox *o);

/* Sends due messages, and retries late ones. The caller calls it some 50 times a second. */
void outbox_send_due(struct outbox *o);
