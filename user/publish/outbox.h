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

struct outbox_counters {
	uint64_t sent; /* messages, with those sent again */
	uint64_t acknowledged;
	uint64_t duplicate; /* acknowledged messages whose id the engine knew */
	uint64_t retried;
	uint64_t late;	 /* sent after the duplicate window: the engine may have forgotten the id */
	uint64_t copies; /* copies of pending events, which were not sent */
	uint64_t too_large; /* messages that the server does not take */
	uint64_t refused;   /* answers that were errors */
	uint64_t given_up;
	uint64_t connections;
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
