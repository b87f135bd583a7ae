// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "outbox.h"

#include <errno.h>
#include <stdio.h>

#include "clock.h"
#include "diag.h"
#include "message.h"
#include "units.h"

#define ANSWERS_MAX 512		 /* answers per turn of the event loop */
#define BURST_MAX 512		 /* messages per turn of the event loop */
#define RECHECK_NS 3000000000ULL /* between two checks of the stream */
#define SLOW_NS 100000000ULL /* after a message that took longer, sending pauses for this time */

static void end_event(struct outbox *o, struct pending_slot *s, enum intake_outcome outcome)
{
	intake_end(o->intake, pending_remove(&o->pending, s), outcome);
}

/* Ends the event of a message that is too large for the server. */
static void end_too_large(struct outbox *o, struct pending_slot *s)
{
	if (!o->counters.too_large++)
		diag_note("a message of %zu bytes is larger than JetStream takes" ADVICE
			  "raise max_payload of the servers, or max_msg_size of the stream",
			  s->event->len);
	end_event(o, s, INTAKE_UNUSED);
}

/* Gives up the event of the slot, and logs why; NULL: the log has the reason for all of its kind. */
static void give_up(struct outbox *o, struct pending_slot *s, uint64_t now, const char *why)
{
	if (why)
		log_rate_note(&o->given_up_log, now, 1, "an event of %s/%s is given up: %s",
			      o->options->filter, s->event->stream->is.name, why);
	o->counters.given_up++;
	end_event(o, s, INTAKE_UNUSED);
}

/* Schedules a message that was not stored for another attempt; after the last one, gives it up. */
static void fail_slot(struct outbox *o, struct pending_slot *s, uint64_t now, const char *why)
{
	if (!pending_retry(s, now, o->options->retries))
		give_up(o, s, now, why);
}

/* Makes the slot's message, and publishes it. Returns as server_publish() does. */
static int publish(struct outbox *o, const struct pending_slot *s, const char **ret_why)
{
	char reply[SERVER_REPLY_MAX];
	natsMsg *m;

	server_write_reply(o->server, pending_number(&o->pending, s), s->generation, reply);
	m = message_make(o->streams, s->event, reply, ret_why);
	return m ? server_publish(o->server, m, ret_why) : -EIO;
}

/* Publishes the slot's message. It stays due while the connection is down, the server is slow, or
 * the filter has changed and other machines are not known to make equal ids.
 */
static void send_slot(struct outbox *o, struct pending_slot *s, uint64_t now)
{
	const char *why = NULL;

	if (o->state != SERVER_UP || now < o->slow_until_ns ||
	    o->fit.serial != o->streams->requirements.serial)
		return;
	if (s->event->stream->is_untaken) {
		give_up(o, s, now, NULL);
		return;
	}
	switch (publish(o, s, &why)) {
	case 0:
		o->counters.sent++;
		o->counters.retried += s->first_sent_ns > 0;
		o->counters.late += s->event->received_ns + o->fit.window_ns < now;
		pending_sent(s, now, o->options->ack_timeout_ns);
		break;
	case -EMSGSIZE:
		end_too_large(o, s);
		break;
	case -EAGAIN:
		pending_unsent(s, now);
		break;
	default:
		s->attempts++;
		fail_slot(o, s, now, why);
	}
	if (clock_ns(CLOCK_MONOTONIC) > now + SLOW_NS)
		o->slow_until_ns = clock_ns(CLOCK_MONOTONIC) + SLOW_NS;
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

/* Has the stream checked again, as no server takes a message: somebody may have changed or deleted
 * the stream.
 */
static void recheck_stream(struct outbox *o, uint64_t now)
{
	if (now < o->rechecked_ns + RECHECK_NS)
		return;
	o->rechecked_ns = now;
	server_require(o->server, &o->streams->requirements);
}

static void take_answer(struct outbox *o, const struct server_answer *a, uint64_t now)
{
	struct pending_slot *s = pending_find(&o->pending, a->slot, a->generation);
	uint64_t since_ns;
	char why[ANSWER_TEXT_MAX + 16];

	if (!s)
		return; /* an earlier answer has ended it */
	/* A cluster that changes its leader may lose what it is storing, so it is asked again. */
	since_ns = s->first_sent_ns > o->connected_ns ? s->first_sent_ns : o->connected_ns;
	if (a->answer.is_in_progress && now < since_ns + o->options->ack_timeout_ns) {
		pending_postpone(s, now, PENDING_IN_PROGRESS_NS + (now - since_ns));
		return;
	}
	if (a->answer.ok) {
		count_ack(o, s, a->time_ns);
		o->counters.duplicate += a->answer.duplicate;
		end_event(o, s, INTAKE_STORED);
		return;
	}
	if (a->answer.is_too_large) {
		end_too_large(o, s);
		return;
	}
	if (a->answer.is_unavailable)
		recheck_stream(o, now);
	o->counters.refused++;
	snprintf(why, sizeof(why), "%s (%d)", a->answer.text, a->answer.code);
	log_rate_note(&o->refused_log, now, 1, "the engine refuses a message: %s", why);
	/* If other messages are stored, the stream exists, but does not take this subject. */
	if (!a->answer.is_unavailable || o->stored_ns + o->options->ack_timeout_ns > s->due_ns) {
		fail_slot(o, s, now, why);
		return;
	}
	pending_postpone(s, now, PENDING_UNAVAILABLE_NS);
}

/* Updates which streams JetStream takes, and logs each change. */
static void apply_fit(struct outbox *o)
{
	for (int i = 0; i < o->streams->cnt && o->fit.serial == o->streams->requirements.serial; i++) {
		struct publish_stream *one = o->streams->now[i];
		bool is_untaken = one->is_published && o->fit.untaken >> one->required_n & 1;

		if (is_untaken && !one->is_untaken)
			diag_err(0, "events of %s/%s are given up: %s", o->options->filter,
				 one->is.name,
				 o->fit.refused >> one->required_n & 1
					 ? "another machine makes other ids"
					 : "JetStream does not take them");
		else if (one->is_untaken && !is_untaken)
			diag_done("events of %s/%s go to stream %s now", o->options->filter,
				  one->is.name, o->options->stream);
		one->is_untaken = is_untaken;
	}
}

int outbox_open(struct outbox *o, const struct publish_options *options,
		struct publish_streams *streams, struct intake *intake)
{
	int err;

	*o = (struct outbox){ .options = options, .streams = streams, .intake = intake };
	err = pending_open(&o->pending, options->pending, options->pending_bytes);
	if (err)
		diag_err(err, "out of memory");
	err = err ?: server_open(options, &streams->requirements, &o->server);
	o->requirements_serial = streams->requirements.serial;
	if (err)
		outbox_close(o);
	return err;
}

void outbox_close(struct outbox *o)
{
	uint32_t left = pending_count(&o->pending);

	if (left)
		diag_note("%u events were not acknowledged", left);
	for (struct pending_slot *s = NULL; (s = pending_next(&o->pending, s));)
		end_event(o, s, INTAKE_LEFT);
	log_rate_flush(&o->refused_log);
	log_rate_flush(&o->given_up_log);
	server_close(o->server);
	pending_close(&o->pending);
}

void outbox_add(struct outbox *o, struct intake_event *e)
{
	struct pending_slot *slot = pending_add(&o->pending, e);

	if (slot) {
		send_slot(o, slot, clock_ns(CLOCK_MONOTONIC));
	} else {
		o->counters.copies++;
		intake_end(o->intake, e, INTAKE_UNUSED);
	}
}

/* Handles at most ANSWERS_MAX answers, as the loop has other work. Returns whether none is left. */
static bool take_answers(struct outbox *o)
{
	static struct server_answer answers[ANSWERS_MAX];
	uint32_t cnt = server_take(o->server, answers, ANSWERS_MAX);
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (cnt)
		intake_read_streams(o->intake); /* ids are for the filter as it is now */
	for (uint32_t i = 0; i < cnt; i++)
		take_answer(o, &answers[i], now);
	if (cnt == ANSWERS_MAX)
		server_wake(o->server);
	return cnt < ANSWERS_MAX;
}

enum server_state outbox_receive(struct outbox *o)
{
	bool published = outbox_publishes(o);
	enum server_state state = server_update(o->server, &o->fit);

	take_answers(o);
	if (o->state == SERVER_UP && state != SERVER_UP) {
		for (struct pending_slot *s = NULL; (s = pending_next(&o->pending, s));)
			pending_restart(s);
		diag_note("the connection is lost; %u messages are not acknowledged",
			  pending_count(&o->pending));
	}
	if (o->state != SERVER_UP && state == SERVER_UP) {
		o->connected_ns = clock_ns(CLOCK_MONOTONIC);
		o->counters.connections++;
	}
	o->state = state;
	if (state == SERVER_UP)
		apply_fit(o);
	if (!published && outbox_publishes(o))
		diag_done("connected; %s goes to stream %s", o->options->filter, o->options->stream);
	return state;
}

/* Sends messages that are due, and retries those whose answer is late. */
static void send_all_due(struct outbox *o, uint64_t now, bool has_all_answers)
{
	uint32_t most = BURST_MAX;
	char why[64];

	snprintf(why, sizeof(why), "no answer within %s", FORMAT_TIME(o->options->ack_timeout_ns));
	for (struct pending_slot *s = NULL; (s = pending_next(&o->pending, s));) {
		if (now < s->due_ns)
			continue;
		if (s->is_sent && has_all_answers)
			fail_slot(o, s, now, why);
		else if (!s->is_sent && most && most--)
			send_slot(o, s, clock_ns(CLOCK_MONOTONIC));
	}
}

void outbox_send_due(struct outbox *o)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC_COARSE);
	bool has_all;

	if (o->requirements_serial != o->streams->requirements.serial)
		server_require(o->server, &o->streams->requirements);
	o->requirements_serial = o->streams->requirements.serial;
	server_check_timeouts(o->server);
	/* If answers are left, no message times out: its answer may be among them. */
	has_all = take_answers(o);
	if (o->state == SERVER_UP)
		send_all_due(o, now, has_all);
	log_rate_flush_due(&o->refused_log, now);
	log_rate_flush_due(&o->given_up_log, now);
}
