// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "outbox.h"

#include <errno.h>
#include <stddef.h>

#include "clock.h"
#include "diag.h"
#include "envelope.h"

#define BURST_MAX 512 /* messages in a turn of the loop: each may wait for the send buffer */

static uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static void end_event(struct outbox *o, struct pending_slot *s, enum intake_outcome outcome)
{
	struct intake_event *e = pending_remove(&o->pending, s)->owner;

	if (e->stream->is.app_learns)
		pending_ids_remove(&o->ids, e);
	intake_end(o->intake, e, outcome);
}

/* The server takes no message of this size, so a copy would not help. */
static void leave_out(struct outbox *o, struct pending_slot *s)
{
	if (!o->counters.too_large++)
		diag_note("a message of %zu bytes is larger than the server takes" ADVICE
			  "raise max_payload there",
			  s->message->bytes);
	end_event(o, s, INTAKE_UNUSED);
}

/* Publishes the slot's message. If it cannot be sent now, it stays due. */
static void send_slot(struct outbox *o, struct pending_slot *s, uint64_t now)
{
	const struct intake_event *e = s->message->owner;
	struct envelope envelope;
	const struct server_message m = {
		.subject = e->stream->subject,
		.payload = e->payload,
		.len = e->len,
		.headers = envelope.headers,
		.slot = pending_number(&o->pending, s),
		.generation = s->generation,
	};
	int err;

	if (o->state != SERVER_UP)
		return;
	envelope_write(o->streams, e, &envelope);
	err = server_publish(o->server, &m);
	if (err) {
		pending_unsent(s, now);
		if (err == -EMSGSIZE)
			leave_out(o, s);
		return;
	}
	o->counters.sent++;
	o->counters.retried += s->first_sent_ns > 0;
	o->counters.late += s->message->arrival_ns + o->window_ns < now;
	pending_sent(s, now, o->options->ack_timeout_ns);
}

/* The slot's message was not stored. It is sent again after a while that grows, or given up. */
static void fail_slot(struct outbox *o, struct pending_slot *s, uint64_t now)
{
	if (pending_retry(s, now, o->options->retries))
		return;
	o->counters.given_up++;
	end_event(o, s, INTAKE_GIVEN_UP);
}

static void count_ack(struct outbox *o, const struct pending_slot *s, uint64_t now)
{
	uint64_t ns = now - s->first_sent_ns, upto = OUTBOX_BUCKET_NS;
	int i = 0;

	while (i < OUTBOX_BUCKETS && ns > upto) {
		upto *= 2;
		i++;
	}
	o->counters.ack_bucket[i]++;
	o->counters.acknowledged++;
	o->stored_ns = now;
}

static void take_answer(struct outbox *o, const struct server_answer *a, uint64_t now)
{
	struct pending_slot *s = pending_find(&o->pending, a->slot, a->generation);

	if (!s)
		return; /* it was answered before */
	if (a->answer.ok) {
		count_ack(o, s, now);
		o->counters.duplicate += a->answer.duplicate;
		end_event(o, s, INTAKE_STORED);
		return;
	}
	o->counters.refused++;
	if (!o->has_said)
		diag_note("the engine refuses a message: %s (%d)", a->answer.text, a->answer.code);
	o->has_said = true;
	/* While others are stored, it is this message's subject that nobody has. */
	if (!a->answer.is_away || o->stored_ns + o->options->ack_timeout_ns > s->due_ns) {
		fail_slot(o, s, now);
		return;
	}
	pending_postpone(s, now);
}

static void restart_slot(void *arg, struct pending_slot *s)
{
	(void)arg;
	pending_restart(s);
}

static void follow_connection(struct outbox *o, enum server_state state)
{
	if (state == o->state)
		return;
	o->state = state;
	if (state == SERVER_DOWN) {
		pending_each(&o->pending, restart_slot, NULL);
		diag_note("the connection is lost; %u messages are not acknowledged",
			  pending_count(&o->pending));
	}
	if (state != SERVER_UP)
		return;
	o->counters.connections++;
	o->window_ns = server_window_ns(o->server);
	o->has_said = false;
	diag_done("connected; %s goes to stream %s", o->options->filter, o->options->stream);
}

int outbox_open(struct outbox *o, const struct publish_options *options,
		struct publish_streams *streams, struct intake *intake)
{
	int err;

	*o = (struct outbox){ .options = options, .streams = streams, .intake = intake };
	err = pending_open(&o->pending, options->pending, options->pending_bytes)
		      ?: pending_ids_open(&o->ids, options->pending);
	if (err)
		diag_err(err, "out of memory");
	err = err ?: server_open(options, &streams->wish, &o->server);
	if (err)
		outbox_close(o);
	return err;
}

static void give_up_slot(void *arg, struct pending_slot *s)
{
	end_event(arg, s, INTAKE_GIVEN_UP);
}

void outbox_close(struct outbox *o)
{
	uint32_t left = pending_count(&o->pending);

	if (left) {
		pending_each(&o->pending, give_up_slot, o);
		diag_note("%u events were not acknowledged, and are wanted again", left);
	}
	server_close(o->server);
	pending_close(&o->pending);
	pending_ids_close(&o->ids);
}

void outbox_add(struct outbox *o, struct intake_event *e)
{
	if (e->stream->is.app_learns && !pending_ids_add(&o->ids, e)) {
		o->counters.copies++;
		intake_end(o->intake, e, INTAKE_UNUSED);
		return;
	}
	send_slot(o, pending_add(&o->pending, &e->pending), now_ns());
}

static void take_answers(struct outbox *o)
{
	uint64_t now = now_ns();
	struct server_answer a;

	while (server_take(o->server, &a))
		take_answer(o, &a, now);
}

enum server_state outbox_follow(struct outbox *o)
{
	enum server_state state = server_look(o->server);

	take_answers(o);
	follow_connection(o, state);
	return state;
}

static void send_due(void *arg, struct pending_slot *s)
{
	send_slot(arg, s, now_ns());
}

static void fail_late(void *arg, struct pending_slot *s)
{
	fail_slot(arg, s, now_ns());
}

void outbox_look(struct outbox *o)
{
	server_hurry(o->server);
	take_answers(o); /* before messages without an answer count as failed */
	if (o->state == SERVER_UP)
		pending_due(&o->pending, clock_ns(CLOCK_MONOTONIC_COARSE), BURST_MAX, send_due,
			    fail_late, o);
}
