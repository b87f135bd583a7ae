/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events that are published, and held until the engine has stored them: sends them, sends them
 * again, gives them up. It has the connection and the table of messages, and tells the intake the
 * outcome of each event.
 */
#ifndef XDP_DEDUP_PUBLISH_OUTBOX_H
#define XDP_DEDUP_PUBLISH_OUTBOX_H

#include <stdint.h>

#include "intake.h"
#include "log_rate.h"
#include "pending.h"
#include "pending_ids.h"
#include "server.h"

#define OUTBOX_BUCKETS 16 /* of times until an acknowledgement: the first one, doubled each time */
#define OUTBOX_BUCKET_NS 250000

struct outbox_counters {
	uint64_t sent; /* messages, with those sent again */
	uint64_t acknowledged;
	uint64_t duplicate; /* of these, the engine knew them */
	uint64_t retried;
	uint64_t late;	    /* sent so long after the arrival that the id may be forgotten */
	uint64_t copies;    /* of pending events, which were not sent */
	uint64_t too_large; /* messages that the server does not take */
	uint64_t refused;   /* answers that were errors */
	uint64_t given_up;
	uint64_t connections;
	uint64_t ack_bucket[OUTBOX_BUCKETS + 1]; /* the last one: longer */
};

struct outbox {
	const struct publish_options *options;
	const struct publish_streams *streams;
	struct intake *intake;
	struct server *server;
	enum server_state state;
	struct pending pending;
	struct pending_ids ids; /* of events whose further copies pass */
	uint64_t stored_ns;	/* when the engine last stored a message */
	uint64_t asked_ns;	/* when the stream was last asked for, as no server had it */
	uint64_t window_ns;	/* the stream's duplicate window */
	uint64_t slow_until_ns; /* until then nothing is sent: the server is slow */
	uint32_t wish_serial;	/* of the streams' wish that the server has */
	struct log_rate refused_log, given_up_log; /* of messages, and of events */
	struct outbox_counters counters;
};

/* Makes an empty outbox, which begins to connect. Returns 0, and the caller closes it; or -errno
 * (logged).
 */
int outbox_open(struct outbox *o, const struct publish_options *options,
		struct publish_streams *streams, struct intake *intake);

/* Ends the connection. First gives up all events, and logs how many of them are wanted. */
void outbox_close(struct outbox *o);

/* Takes an event, which belongs to the outbox from then on; there must be room (pending_has_room()). */
void outbox_add(struct outbox *o, struct intake_event *e);

/* Takes answers, and follows the connection: when server_fd() is readable. Returns its state. */
enum server_state outbox_follow(struct outbox *o);

/* Sends what is due: called some 50 times a second. */
void outbox_look(struct outbox *o);

#endif
