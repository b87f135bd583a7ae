// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "outbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "clock.h"
#include "diag.h"
#include "endpoints.h"
#include "units.h"

#define NS_PER_S 1000000000
#define REPLY_MAX 128
#define TIME_MAX 48
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

/* In RFC 3339, in UTC. */
static void write_time(uint64_t ns, char out[TIME_MAX])
{
	static char text[TIME_MAX]; /* of this second */
	static time_t second;
	time_t now = ns / NS_PER_S;
	struct tm tm;

	if (now != second)
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", gmtime_r(&now, &tm));
	second = now;
	snprintf(out, TIME_MAX, "%.32s.%09uZ", text, (unsigned int)(ns % NS_PER_S));
}

/* As in 192.0.2.1:8001, or [2001:db8::1]:8001. */
static void write_source(const struct intake_event *e, char out[ENDPOINT_TEXT_MAX])
{
	const struct sockaddr_in6 *six = &e->from.ipv6;
	struct endpoint source = { .port = ntohs(six->sin6_port) }; /* sin_port has this offset, too */

	if (e->from.any.sa_family == AF_INET)
		inet_ntop(AF_INET, &e->from.ipv4.sin_addr, source.address, sizeof(source.address));
	else if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
		inet_ntop(AF_INET, six->sin6_addr.s6_addr + 12, source.address,
			  sizeof(source.address));
	else
		inet_ntop(AF_INET6, &six->sin6_addr, source.address, sizeof(source.address));
	format_endpoint(&source, out);
}

/* Makes the message of the slot's event. Returns it, and the caller destroys it; or NULL, with
 * *ret_why.
 */
static natsMsg *make_message(const struct outbox *out, const struct pending_slot *slot,
			     const char **ret_why)
{
	const struct publish_options *o = out->options;
	const struct intake_event *e = slot->event;
	const struct message_event of = { &e->id, e->payload, e->len };
	char subject[SUBJECT_MAX], id[MESSAGE_ID_MAX], source[ENDPOINT_TEXT_MAX], arrival[TIME_MAX];
	char reply[REPLY_MAX];
	const struct {
		const char *name, *value;
	} headers[] = {
		{ "Nats-Msg-Id", id },		 { "Dedup-Stream", e->stream->is.name },
		{ "Dedup-Source", source },	 { "Dedup-Arrival", arrival },
		{ "Dedup-Machine", o->machine },
	};
	natsMsg *m = NULL;
	natsStatus err;

	if (message_id_write(&e->stream->is, e->stream->realm, &out->streams->secret, &of, id)) {
		*ret_why = "libcrypto cannot hash its id";
		return NULL;
	}
	subject_write(o->subject, e->stream->is.name, o->machine, subject_shard(id, o->shards),
		      subject);
	snprintf(reply, sizeof(reply), "%s.%u-%u", out->server->inbox,
		 pending_number(&out->pending, slot), slot->generation);
	write_source(e, source);
	write_time(e->arrival_ns, arrival);
	err = natsMsg_Create(&m, subject, reply, e->payload, e->len);
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers) && !err; i++)
		err = natsMsgHeader_Set(m, headers[i].name, headers[i].value);
	if (!err)
		return m;
	natsMsg_Destroy(m);
	*ret_why = server_error_text(err);
	return NULL;
}

/* Publishes the slot's message. It stays due while the connection is down, the server is slow, or
 * the filter has changed and other machines are not known to make equal ids.
 */
static void send_slot(struct outbox *o, struct pending_slot *s, uint64_t now)
{
	const char *why = NULL;
	natsMsg *m;

	if (o->state != SERVER_UP || now < o->slow_until_ns ||
	    o->fit.serial != o->streams->requirements.serial)
		return;
	if (s->event->stream->is_untaken) {
		give_up(o, s, now, NULL);
		return;
	}
	m = make_message(o, s, &why);
	switch (m ? server_publish(o->server, m, &why) : -EIO) {
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
		pending_postpone(s, now, PENDING_UNSENT_NS);
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

void outbox_add(void *outbox, struct intake_event *e)
{
	struct outbox *o = outbox;
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

	if (o->server->required.serial != o->streams->requirements.serial)
		server_require(o->server, &o->streams->requirements);
	server_check_timeouts(o->server);
	/* If answers are left, no message times out: its answer may be among them. */
	has_all = take_answers(o);
	if (o->state == SERVER_UP)
		send_all_due(o, now, has_all);
	log_rate_flush_due(&o->refused_log, now);
	log_rate_flush_due(&o->given_up_log, now);
}
