// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The publisher's outbox inside the test, step by step, with fake_server.py: what becomes of an
 * event, what is logged, and what is counted.
 */
#include "parts.h"

#include <poll.h>

#include "gossip.h"
#include "server.h"

#define MANY_EVENTS 600	 /* more than in a turn of the loop */
#define LARGE_EVENTS 300 /* 18 MB: no buffers of TCP have room for them */
#define STREAM_A "--profile a=gsp:8001 "
#define STREAMS_AB STREAM_A "--profile b=gsp:8002 "

static const struct outbox_counters *const c = &parts.outbox.counters;

/* Opens node 0 and its outbox. */
static void open_connected(const char *load, const char *fault)
{
	parts_open(load, PUBLISH_UDP);
	parts_connect(fault);
}

/* Waits for the connection, too. */
static void open_up(const char *load)
{
	open_connected(load, "good");
	parts_await_state(SERVER_UP);
}

/* Sends an event, and gives it to the outbox. */
static void add_event(uint16_t port, const char *id)
{
	parts_get(port, id);
	parts_add_events();
}

/* The time for which an event waits for a connection is no time of the engine. */
TEST(ack_seconds_count_from_the_first_sending)
{
	uint64_t begin_ns;

	open_connected("", "good");
	add_event(8001, "a");
	usleep(1000000);
	begin_ns = gossip_now_ns();
	PARTS_AWAIT(c->acknowledged >= 1);
	if (gossip_now_ns() - begin_ns >= 512000000)
		skip();				   /* a busy machine */
	for (int i = 12; i <= OUTBOX_BUCKETS; i++) /* 512 ms and more */
		assert_int_equal(c->ack_bucket[i], 0);
}

/* But the engine may have forgotten the id, which another machine published at once. */
TEST(late_counts_from_the_arrival)
{
	open_connected("", "window_is_2s");
	add_event(8001, "a");
	usleep(2100000);
	PARTS_AWAIT(c->acknowledged >= 1);
	assert_int_equal(c->late, 1);
	assert_int_equal(c->retried, 0);
	add_event(8001, "b");
	PARTS_AWAIT(c->acknowledged >= 2);
	assert_int_equal(c->late, 1);
}

/* How often the text has these words. */
static unsigned int count_words(const char *text, const char *words)
{
	unsigned int cnt = 0;

	for (; (text = strstr(text, words)); text++)
		cnt++;
	return cnt;
}

/* Why an event is given up, and what is logged. */
static const struct given_up {
	const char *name, *fault, *words;
	bool has_no_subject;
} GIVEN_UP[] = {
	{ "given_up_without_answers", "answer_never_comes",
	  "an event of node0/gsp is given up: no answer within 50ms", false },
	{ "given_up_as_refused", "answer_error",
	  "an event of node0/gsp is given up: maximum messages (503)", false },
	{ "given_up_without_permission", "permission_is_refused",
	  "the server says: Permissions Violation for Publish to \"gossip.gsp\"", false },
	{ "given_up_as_it_cannot_be_sent", "good",
	  "an event of node0/gsp is given up: Invalid Argument", true },
};

TEST_ROWS(give_ups_are_logged, GIVEN_UP)
{
	open_connected("", row->fault);
	parts.options.ack_timeout_ns = 50000000;
	parts.options.retries = 1;
	if (row->has_no_subject) {
		parts_await_state(SERVER_UP);
		parts.options.subject = "";
	}
	add_event(8001, "a");
	PARTS_AWAIT(c->given_up >= 1);
	parts_await_words(row->words);
	assert_int_equal(pending_count(&parts.outbox.pending), 0);
	parts_set_fault("good");
	parts.options.ack_timeout_ns = 5000000000;
	if (!row->has_no_subject) {
		add_event(8001, "a");
		PARTS_AWAIT(c->acknowledged >= 1);
	}
}

/* Further ones are counted, and logged when it is time. */
TEST(further_give_ups_are_counted)
{
	open_connected("", "answer_error");
	parts.options.retries = 0;
	add_event(8001, "a");
	PARTS_AWAIT(c->given_up >= 1);
	add_event(8001, "b");
	add_event(8001, "c");
	PARTS_AWAIT(c->given_up >= 3);
	assert_int_equal(count_words(diags_all(), "is given up"), 1);
	assert_int_equal(count_words(diags_all(), "refuses"), 1);
	parts.outbox.given_up_log.quiet_until_ns = parts.outbox.refused_log.quiet_until_ns = 0;
	outbox_send_due(&parts.outbox);
	parts_await_words("is given up: maximum messages (503); 1 more since");
	parts_await_words("refuses a message: maximum messages (503); 1 more since");
}

/* The server takes no byte any more. The connection is given up, by us or by a thread of libnats,
 * whichever waits first: else each message would wait.
 */
TEST(server_reads_nothing)
{
	uint64_t began_ns;
	char id[16];

	open_connected("", "good");
	parts.outbox.pending.bytes_max = 1 << 30;
	parts_await_state(SERVER_UP);
	for (int i = 0; i < LARGE_EVENTS; i++) {
		snprintf(id, sizeof(id), "%d", i);
		parts_send_to(node_address(0), 8001, id, 60000);
		parts_await_events(i + 1);
	}
	process_signal(parts.server, SIGSTOP); /* not before: a ping would have no answer in time */
	began_ns = gossip_now_ns();
	parts_add_events();
	outbox_send_due(&parts.outbox);
	assert_true(gossip_now_ns() - began_ns < 2 * SERVER_WRITE_MS * 1000000ULL);
	parts_await_words("the connection is lost");
	process_signal(parts.server, SIGCONT);
	PARTS_AWAIT(c->acknowledged >= LARGE_EVENTS);
	assert_int_equal(c->given_up, 0);
}

TEST(no_headers)
{
	open_connected("", "no_headers");
	parts_await_words("the server takes no headers");
	assert_int_equal(parts.outbox.state, SERVER_DOWN);
	parts_set_fault("good");
	parts_await_state(SERVER_UP);
}

/* A JetStream stream that takes nothing any more: all waits, and nothing is given up. */
TEST(no_subject_is_taken)
{
	open_up(STREAM_A "--fpr 1e-9");
	parts_set_fault("takes_others");
	parts_set(STREAMS_AB);
	parts_refresh(1);
	parts_await_words("stream EVENTS does not take the subject gossip.a");
	parts_await_state(SERVER_DOWN);
	add_event(8001, "a");
	add_event(8002, "b");
	usleep(500000);
	assert_int_equal(outbox_receive(&parts.outbox), SERVER_DOWN);
	assert_int_equal(c->given_up, 0);
	parts_set_fault("good");
	PARTS_AWAIT(c->acknowledged >= 2);
}

/* At the start all subjects must be taken. */
TEST(some_subject_is_not_taken_at_the_start)
{
	open_connected(STREAMS_AB, "takes_only_a");
	parts_await_state(SERVER_FAILED);
	assert_non_null(strstr(diags_all(), "stream EVENTS does not take the subject gossip.b"));
}

/* Each connection is lost as soon as a message comes. An event without retries is not given up, and
 * pauses between connections grow.
 */
TEST(connections_end_at_once)
{
	uint64_t begin_ns, now_ns;

	open_connected("", "closes_amid");
	parts.options.retries = 0;
	add_event(8001, "a");
	begin_ns = now_ns = gossip_now_ns();
	while (now_ns - begin_ns < 3000000000 || c->connections < 2) {
		now_ns = gossip_now_ns();
		assert_true(now_ns - begin_ns < PATIENCE_MS * 1000000ULL);
		parts_turn();
		usleep(5000);
	}
	assert_in_range(c->connections, 2, 7);
	assert_true(c->retried > 0);
	assert_int_equal(c->given_up, 0);
	parts_set_fault("good");
	PARTS_AWAIT(c->acknowledged >= 1);
	assert_int_equal(c->given_up, 0);
}

/* Has the stream checked now, for requirements with another number. */
static void check_stream(void)
{
	parts.streams.requirements.serial++;
	server_require(parts.outbox.server, &parts.streams.requirements);
}

/* A check that fails again, after one that did not, is logged again. */
TEST(checks_that_fail_are_logged)
{
	static const char WORDS[] = "the answer has no configuration";

	open_up("");
	parts_set_fault("stream_has_no_config");
	check_stream();
	parts_await_words(WORDS);
	parts_set_fault("good");
	check_stream();
	AWAIT((outbox_receive(&parts.outbox),
	       parts.outbox.fit.serial == parts.streams.requirements.serial));
	assert_int_equal(count_words(diags_all(), WORDS), 1);
	parts_set_fault("stream_has_no_config");
	check_stream();
	AWAIT((outbox_receive(&parts.outbox), count_words(diags_all(), WORDS) == 2));
}

/* A new connection has had its check: if a subject is not taken, the next one is 3 s later. */
TEST(new_connections_are_checked_once)
{
	uint64_t begin_ns;
	int cnt;

	open_up(STREAMS_AB "--fpr 1e-9");
	assert_int_equal(process_lines(parts.server, "request"), 1);
	parts_set_fault("takes_only_a");
	begin_ns = gossip_now_ns();
	parts_restart_server();
	parts_await_words("does not take the subject gossip.b");
	usleep(1000000);
	cnt = process_lines(parts.server, "request");
	assert_true(cnt == 2 || gossip_now_ns() - begin_ns >= 3000000000);
	AWAIT_EVERY(100, process_lines(parts.server, "request") > 2, parts_show());
}

/* Threads of libnats that do not end read answers after the options were freed. */
TEST(answers_need_no_options)
{
	open_up("");
	parts.options.stream = "OTHER";
	add_event(8001, "a");
	PARTS_AWAIT(c->acknowledged >= 1);
	assert_int_equal(c->refused, 0);
}

/* Has many events wait for the connection, which is up then. */
static void open_with_many(void)
{
	open_connected("", "good");
	parts_send_many(8001, MANY_EVENTS);
	parts_await_events(MANY_EVENTS);
	parts_add_events();
	parts_await_state(SERVER_UP);
	assert_int_equal(c->sent, 0);
}

/* Sends all of them. A message that the server takes slowly ends a turn. */
static void send_many(void)
{
	AWAIT((outbox_send_due(&parts.outbox), c->sent >= MANY_EVENTS));
}

/* Waits until so many answers wait. */
static void await_answers(uint32_t cnt)
{
	struct server *s = parts.outbox.server;
	uint32_t now;

	AWAIT((pthread_mutex_lock(&s->lock), now = s->cnt, pthread_mutex_unlock(&s->lock),
	       now >= cnt));
}

/* What an outage has left does not keep the loop from answers, and from packets. A server that is
 * slow to take a message keeps the loop for one message, not for all.
 */
TEST(backlog_is_sent_in_bursts)
{
	open_with_many();
	parts.outbox.slow_until_ns = gossip_now_ns() + 1000000000;
	outbox_send_due(&parts.outbox);
	assert_int_equal(c->sent, 0);
	parts.outbox.slow_until_ns = 0;
	outbox_send_due(&parts.outbox);
	assert_in_range(c->sent, 1, 512);
	send_many();
	PARTS_AWAIT(c->acknowledged >= MANY_EVENTS);
}

/* Answers that come faster than they are taken do not keep the loop: the rest is taken next time. */
TEST(answers_are_taken_in_turns)
{
	struct pollfd fd;

	open_with_many();
	process_signal(parts.server, SIGSTOP);
	send_many();
	assert_int_equal(c->acknowledged, 0);
	process_signal(parts.server, SIGCONT);
	await_answers(MANY_EVENTS);
	outbox_receive(&parts.outbox);
	assert_in_range(c->acknowledged, 1, 512);
	fd = (struct pollfd){ .fd = parts.outbox.server->fd, .events = POLLIN };
	assert_int_equal(poll(&fd, 1, 0), 1);
	outbox_receive(&parts.outbox);
	assert_int_equal(c->acknowledged, MANY_EVENTS);
	assert_int_equal(poll(&fd, 1, 0), 0);
}

/* After a stall messages are late whose answers have come, more than are taken in a turn. They are
 * not given up.
 */
TEST(answers_come_before_timeouts)
{
	open_with_many();
	parts.options.retries = 0;
	process_signal(parts.server, SIGSTOP);
	send_many();
	process_signal(parts.server, SIGCONT);
	await_answers(MANY_EVENTS);
	for (struct pending_slot *s = NULL; (s = pending_next(&parts.outbox.pending, s));)
		s->due_ns = 0;
	outbox_send_due(&parts.outbox);
	assert_in_range(c->acknowledged, 1, 512);
	outbox_send_due(&parts.outbox);
	assert_int_equal(c->acknowledged, MANY_EVENTS);
	assert_int_equal(c->given_up, 0);
}

/* JetStream streams that forget ids, or lose events: refused, or warned of once. */
static const struct trap {
	const char *name;
	const char *words; /* NULL: nothing is said */
	bool is_refused;
} TRAPS[] = {
	{ "acknowledges_nothing", "stream EVENTS acknowledges nothing (no_ack)", true },
	{ "interest", "stream EVENTS has interest retention", true },
	{ "workqueue", "stream EVENTS has workqueue retention", true },
	{ "window_is_0", "stream EVENTS knows ids for 0ms only", true },
	{ "memory", "stream EVENTS is in memory", false },
	{ "max_msgs", "stream EVENTS no longer has all messages of its duplicate window", false },
	{ "max_msgs_not_reached", NULL, false },
	{ "max_msgs_of_old", NULL, false },
	{ "max_bytes", "stream EVENTS no longer has all messages of its duplicate window", false },
	{ "max_bytes_not_reached", NULL, false },
	{ "purged", "stream EVENTS no longer has all messages of its duplicate window", false },
	{ "purged_long_ago", NULL, false },
	{ "removed_by_age", NULL, false },
	{ "max_msgs_per_subject", "stream EVENTS has max_msgs_per_subject", false },
	{ "max_msgs_per_subject_not_reached", NULL, false },
	{ "max_age", "stream EVENTS has a max_age shorter than its duplicate window", false },
	{ "max_msg_size", "stream EVENTS has a max_msg_size smaller than an event can be", false },
};

/* A minute passes, after which the stream is checked. */
static void pass_minute(void)
{
	struct server *s = parts.outbox.server;
	int before = process_lines(parts.server, "request");

	pthread_mutex_lock(&s->lock);
	assert_in_range(s->check_ns - gossip_now_ns(), 30000000000, 60000000000);
	s->check_ns = 1;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	AWAIT_EVERY(10, process_lines(parts.server, "request") > before, parts_show());
}

/* Waits until the result of a check is there: the next check is scheduled. */
static void await_check(void)
{
	struct server *s = parts.outbox.server;
	uint64_t at_ns = 1;

	AWAIT_EVERY(10,
		    (pthread_mutex_lock(&s->lock), at_ns = s->check_ns, pthread_mutex_unlock(&s->lock),
		     outbox_receive(&parts.outbox), at_ns > 1 && at_ns != UINT64_MAX),
		    parts_show());
}

TEST_ROWS(stream_is_checked, TRAPS)
{
	open_connected("", row->name);
	parts_await_state(row->is_refused ? SERVER_FAILED : SERVER_UP);
	assert_int_equal(count_words(diags_all(), row->words ?: "note: "), row->words != NULL);
}

/* The stream is changed while the program is connected: this is told once, and one that is refused
 * gets nothing.
 */
TEST(stream_is_checked_each_minute)
{
	open_up("");
	parts_set_fault("memory");
	for (int i = 0; i < 2; i++) {
		pass_minute();
		await_check();
		assert_int_equal(count_words(diags_all(), "stream EVENTS is in memory"), 1);
	}
	parts_set_fault("interest");
	pass_minute();
	parts_await_words("stream EVENTS has interest retention");
	parts_await_state(SERVER_DOWN);
	add_event(8001, "a");
	usleep(300000);
	parts_turn();
	assert_int_equal(c->sent, 0);
	parts_set_fault("good");
	PARTS_AWAIT(c->acknowledged >= 1);
}

/* The engine knows the id, and has no number for its message: it is asked again, but not often, and
 * then this is a duplicate.
 */
TEST(duplicate_without_a_number)
{
	open_connected("", "answer_number_is_0");
	parts.options.ack_timeout_ns = 500000000;
	add_event(8001, "a");
	PARTS_AWAIT(c->acknowledged >= 1);
	assert_int_equal(c->duplicate, 1);
	assert_int_equal(c->given_up + c->refused, 0);
	assert_in_range(c->sent, 3, 8);
}

/* So is an event that was sent before an outage: what the engine was storing may be lost. */
TEST(duplicate_without_a_number_after_an_outage)
{
	open_connected("", "answer_never_comes");
	parts.options.ack_timeout_ns = 500000000;
	add_event(8001, "a");
	PARTS_AWAIT(c->sent >= 1);
	usleep(600000);
	parts_set_fault("answer_number_is_0");
	parts_restart_server();
	PARTS_AWAIT(c->acknowledged >= 1);
	assert_int_equal(c->duplicate, 1);
	assert_in_range(c->sent, 3, 9);
}

/* A rule has changed, and cannot be read: nothing is sent until it is known. */
TEST(changed_rule_is_unreadable)
{
	open_up("");
	parts_set_fault("rule_is_unreadable");
	add_event(8001, "a");
	parts_await_words("whether machines agree on the ids of gsp is unknown");
	PARTS_AWAIT(c->acknowledged >= 1);
	add_event(8001, "b");
	usleep(300000);
	parts_turn();
	assert_int_equal(c->sent, 1);
	assert_int_equal(c->connections, 1);
	parts_set_fault("good");
	PARTS_AWAIT(c->acknowledged >= 2);
}

/* Few answers wake the loop if few messages may be pending. */
static const struct few {
	const char *name;
	uint32_t pending, events;
} FEW[] = { { "pending_1", 1, 1 }, { "pending_2", 2, 2 }, { "pending_5", 5, 3 } };

TEST_ROWS(few_answers_wake, FEW)
{
	struct pollfd fd;

	parts_open("", PUBLISH_UDP);
	parts.options.pending = row->pending;
	parts_connect("good");
	parts_await_state(SERVER_UP);
	fd = (struct pollfd){ .fd = parts.outbox.server->fd, .events = POLLIN };
	AWAIT((outbox_receive(&parts.outbox), !poll(&fd, 1, 100)));
	parts_send_many(8001, (int)row->events);
	parts_await_events(row->events);
	process_signal(parts.server, SIGSTOP);
	parts_add_events();
	AWAIT((outbox_send_due(&parts.outbox), c->sent == row->events));
	process_signal(parts.server, SIGCONT);
	await_answers(row->events);
	assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
	outbox_receive(&parts.outbox);
	assert_int_equal(c->acknowledged, row->events);
}

/* An event that the stream has no room for is left out. */
TEST(stream_takes_no_message_of_this_size)
{
	open_connected("", "answer_is_too_large");
	add_event(8001, "a");
	PARTS_AWAIT(c->too_large >= 1);
	parts_await_words("raise max_payload of the servers, or max_msg_size of the stream");
	assert_int_equal(c->given_up, 0);
}

ROOT_MAIN(hub_setup, parts_teardown)
