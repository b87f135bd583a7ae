// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The publisher's outbox inside the test, step by step, with fake_server.py: what becomes of an
 * event, what is logged, and what is counted.
 */
#include "parts.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diags.h"
#include "gossip.h"
#include "server_thread.h"

#define MANY_EVENTS 600	 /* more than in a turn of the loop */
#define LARGE_EVENTS 300 /* 18 MB: no buffers of TCP have room for them */
#define FILTER "--port 8001 --fpr 1e-9 "
#define STREAM_A "--profile a=gsp:8001 "
#define STREAMS_AB STREAM_A "--profile b=gsp:8002 "

static struct parts parts;

static int teardown(void **state)
{
	netns_enter(0);
	parts_close(&parts);
	diags_end();
	return hub_teardown(state);
}

/* Opens node 0 and its outbox; messages are collected. */
static void open_connected(const char *load, const char *fault)
{
	diags_collect();
	parts_open(&parts, load, PUBLISH_UDP);
	parts_connect(&parts, fault);
}

/* Sends an event, and gives it to the outbox. */
static void add_event(uint16_t port, const char *id)
{
	parts_send(port, id);
	parts_await_events(&parts, 1);
	parts_add_events(&parts);
}

/* The time for which an event waits for a connection is no time of the engine. */
static void ack_seconds_count_from_the_first_sending(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;
	uint64_t begin_ns;

	(void)state;
	open_connected(FILTER, "good");
	add_event(8001, "a");
	usleep(1000000);
	begin_ns = gossip_now_ns();
	parts_await_count(&parts, &c->acknowledged, 1);
	if (gossip_now_ns() - begin_ns >= 512000000)
		skip();				   /* a busy machine */
	for (int i = 12; i <= OUTBOX_BUCKETS; i++) /* 512 ms and more */
		assert_int_equal(c->ack_bucket[i], 0);
}

/* But the engine may have forgotten the id, which another machine published at once. */
static void late_counts_from_the_arrival(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;

	(void)state;
	open_connected(FILTER, "window_is_2s");
	add_event(8001, "a");
	usleep(2100000);
	parts_await_count(&parts, &c->acknowledged, 1);
	assert_int_equal(c->late, 1);
	assert_int_equal(c->retried, 0);
	add_event(8001, "b");
	parts_await_count(&parts, &c->acknowledged, 2);
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
	  "an event of node0/gsp is given up, and wanted: no answer within 50ms", false },
	{ "given_up_as_refused", "answer_error",
	  "an event of node0/gsp is given up, and wanted: maximum messages (503)", false },
	{ "given_up_without_permission", "permission_is_refused",
	  "the server says: Permissions Violation for Publish to \"gossip.gsp\"", false },
	{ "given_up_as_it_cannot_be_sent", "good",
	  "an event of node0/gsp is given up, and wanted: Invalid Argument", true },
};

static void give_ups_are_logged(void **state)
{
	const struct given_up *g = *state;
	const struct outbox_counters *c = &parts.outbox.counters;

	open_connected(FILTER, g->fault);
	parts.options.ack_timeout_ns = 50000000;
	parts.options.retries = 1;
	if (g->has_no_subject)
		parts.streams.now[0]->subject[0] = '\0';
	add_event(8001, "a");
	parts_await_count(&parts, &c->given_up, 1);
	parts_await_words(&parts, g->words);
	assert_int_equal(parts.intake.counters.wanted, 1);
	assert_int_equal(pending_count(&parts.outbox.pending), 0);
	parts_set_fault("good");
	parts.options.ack_timeout_ns = 5000000000;
	if (!g->has_no_subject) {
		add_event(8001, "a");
		parts_await_count(&parts, &c->acknowledged, 1);
	}
}

/* Further ones are counted, and logged when it is time. */
static void further_give_ups_are_counted(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;

	(void)state;
	open_connected(FILTER, "answer_error");
	parts.options.retries = 0;
	add_event(8001, "a");
	parts_await_count(&parts, &c->given_up, 1);
	add_event(8001, "b");
	add_event(8001, "c");
	parts_await_count(&parts, &c->given_up, 3);
	assert_int_equal(count_words(diags_all(), "is given up"), 1);
	assert_int_equal(count_words(diags_all(), "refuses"), 1);
	parts.outbox.given_up_log.quiet_until_ns = parts.outbox.refused_log.quiet_until_ns = 0;
	outbox_send_due(&parts.outbox);
	parts_await_words(&parts, "is given up, and wanted: maximum messages (503); 1 more since");
	parts_await_words(&parts, "refuses a message: maximum messages (503); 1 more since");
}

/* The server takes no byte any more. The connection is given up, by us or by a thread of libnats,
 * whichever waits first: else each message would wait.
 */
static void server_reads_nothing(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;
	uint64_t began_ns;
	char id[16];

	(void)state;
	open_connected(FILTER, "good");
	parts.outbox.pending.bytes_max = 1 << 30;
	parts_await_state(&parts, SERVER_UP);
	for (int i = 0; i < LARGE_EVENTS; i++) {
		snprintf(id, sizeof(id), "%d", i);
		parts_send_large(8001, id, 60000);
		parts_await_events(&parts, i + 1);
	}
	process_signal(parts.server, SIGSTOP); /* not before: a ping would have no answer in time */
	began_ns = gossip_now_ns();
	parts_add_events(&parts);
	outbox_send_due(&parts.outbox);
	assert_true(gossip_now_ns() - began_ns < 2 * SERVER_WRITE_MS * 1000000ULL);
	parts_await_words(&parts, "the connection is lost");
	process_signal(parts.server, SIGCONT);
	parts_await_count(&parts, &c->acknowledged, LARGE_EVENTS);
	assert_int_equal(c->given_up, 0);
}

static void no_headers(void **state)
{
	(void)state;
	open_connected(FILTER, "no_headers");
	parts_await_words(&parts, "the server takes no headers");
	assert_int_equal(parts.outbox.state, SERVER_DOWN);
	parts_set_fault("good");
	parts_await_state(&parts, SERVER_UP);
}

/* `set` adds a stream whose subject the JetStream stream does not take. This is said once, its
 * events are not sent, and others are. Once the subject is taken, so are its events.
 */
static void added_subject_is_not_taken(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;

	(void)state;
	open_connected(STREAM_A "--fpr 1e-9", "takes_only_a");
	parts_await_state(&parts, SERVER_UP);
	parts_set(STREAMS_AB);
	parts_refresh(&parts);
	parts_await_words(&parts, "stream EVENTS does not take the subject gossip.b");
	add_event(8002, "b");
	add_event(8002, "c");
	add_event(8001, "a");
	parts_await_count(&parts, &c->acknowledged, 1);
	assert_int_equal(c->sent, 1);
	assert_int_equal(c->given_up, 2);
	assert_int_equal(parts.intake.counters.wanted, 0);
	parts_set_fault("good");
	parts_await_words(&parts, "stream EVENTS takes the subject gossip.b now");
	add_event(8002, "d");
	parts_await_count(&parts, &c->acknowledged, 2);
	assert_int_equal(count_words(diags_all(), "does not take the subject gossip.b"), 1);
	assert_int_equal(c->connections, 1);
}

/* A JetStream stream that takes nothing any more: all waits, and nothing is given up. */
static void no_subject_is_taken(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;

	(void)state;
	open_connected(STREAM_A "--fpr 1e-9", "good");
	parts_await_state(&parts, SERVER_UP);
	parts_set_fault("takes_others");
	parts_set(STREAMS_AB);
	parts_refresh(&parts);
	parts_await_words(&parts, "stream EVENTS does not take the subject gossip.a");
	parts_await_state(&parts, SERVER_DOWN);
	add_event(8001, "a");
	add_event(8002, "b");
	usleep(500000);
	assert_int_equal(outbox_receive(&parts.outbox), SERVER_DOWN);
	assert_int_equal(c->given_up, 0);
	parts_set_fault("good");
	parts_await_count(&parts, &c->acknowledged, 2);
}

/* At the start all subjects must be taken. */
static void some_subject_is_not_taken_at_the_start(void **state)
{
	(void)state;
	open_connected(STREAMS_AB, "takes_only_a");
	parts_await_state(&parts, SERVER_FAILED);
	assert_non_null(strstr(diags_all(), "stream EVENTS does not take the subject gossip.b"));
}

/* Each connection is lost as soon as a message comes. An event without retries is not given up, and
 * pauses between connections grow.
 */
static void connections_end_at_once(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;
	uint64_t begin_ns, now_ns;

	(void)state;
	open_connected(FILTER, "closes_amid");
	parts.options.retries = 0;
	add_event(8001, "a");
	begin_ns = now_ns = gossip_now_ns();
	while (now_ns - begin_ns < 3000000000 || c->connections < 2) {
		now_ns = gossip_now_ns();
		assert_true(now_ns - begin_ns < PATIENCE_MS * 1000000ULL);
		outbox_receive(&parts.outbox);
		outbox_send_due(&parts.outbox);
		usleep(5000);
	}
	assert_in_range(c->connections, 2, 7);
	assert_true(c->retried > 0);
	assert_int_equal(c->given_up, 0);
	parts_set_fault("good");
	parts_await_count(&parts, &c->acknowledged, 1);
	assert_int_equal(c->given_up, 0);
}

/* Has the stream checked now, for requirements with another number. */
static void check_stream(void)
{
	parts.streams.requirements.serial++;
	server_require(parts.outbox.server, &parts.streams.requirements);
}

/* A check that fails again, after one that did not, is logged again. */
static void checks_that_fail_are_logged(void **state)
{
	static const char WORDS[] = "the answer has no configuration";
	unsigned int cnt;

	(void)state;
	open_connected(FILTER, "good");
	parts_await_state(&parts, SERVER_UP);
	parts_set_fault("stream_has_no_config");
	check_stream();
	parts_await_words(&parts, WORDS);
	parts_set_fault("good");
	check_stream();
	for (int ms = 0;
	     server_fit(parts.outbox.server).serial != parts.streams.requirements.serial; ms += 10) {
		assert_true(ms < PATIENCE_MS);
		usleep(10000);
	}
	cnt = count_words(diags_all(), WORDS);
	assert_int_equal(cnt, 1);
	parts_set_fault("stream_has_no_config");
	check_stream();
	for (int ms = 0; count_words(diags_all(), WORDS) == cnt; ms += 10) {
		assert_true(ms < PATIENCE_MS);
		outbox_receive(&parts.outbox);
		usleep(10000);
	}
}

/* How often the server was asked for the stream. */
static int requests(void)
{
	char out[32];

	assert_int_equal(sh_out(out, sizeof(out), "grep -c ^request %s", parts.server->log), 0);
	return atoi(out);
}

/* A new connection has had its check: if a subject is not taken, the next one is 3 s later. */
static void new_connections_are_checked_once(void **state)
{
	uint64_t begin_ns;
	int cnt;

	(void)state;
	open_connected(STREAMS_AB "--fpr 1e-9", "good");
	parts_await_state(&parts, SERVER_UP);
	assert_int_equal(requests(), 1);
	parts_set_fault("takes_only_a");
	begin_ns = gossip_now_ns();
	parts_restart_server(&parts);
	parts_await_words(&parts, "does not take the subject gossip.b");
	usleep(1000000);
	cnt = requests();
	assert_true(cnt == 2 || gossip_now_ns() - begin_ns >= 3000000000);
	for (int ms = 0; requests() == 2; ms += 100) {
		assert_true(ms < PATIENCE_MS);
		usleep(100000);
	}
}

/* Threads of libnats that do not end read answers after the options were freed. */
static void answers_need_no_options(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;

	(void)state;
	open_connected(FILTER, "good");
	parts_await_state(&parts, SERVER_UP);
	parts.options.stream = "OTHER";
	add_event(8001, "a");
	parts_await_count(&parts, &c->acknowledged, 1);
	assert_int_equal(c->refused, 0);
}

/* The program had no time for answers, which are there: no message has failed. */
/* Has many events wait for the connection, which is up then. */
static void open_with_many(void)
{
	char id[16];

	open_connected(FILTER, "good");
	for (int i = 0; i < MANY_EVENTS; i++) {
		snprintf(id, sizeof(id), "%d", i);
		parts_send(8001, id);
	}
	parts_await_events(&parts, MANY_EVENTS);
	parts_add_events(&parts);
	parts_await_state(&parts, SERVER_UP);
	assert_int_equal(parts.outbox.counters.sent, 0);
}

/* How many answers wait. */
static uint32_t answers_cnt(void)
{
	struct server *s = parts.outbox.server;
	uint32_t cnt;

	pthread_mutex_lock(&s->lock);
	cnt = s->cnt;
	pthread_mutex_unlock(&s->lock);
	return cnt;
}

static void make_late(void *arg, struct pending_slot *s)
{
	(void)arg;
	s->due_ns = 0;
}

/* Sends all of them. A message that the server takes slowly ends a turn. */
static void send_many(void)
{
	for (int ms = 0; parts.outbox.counters.sent < MANY_EVENTS; ms += 10) {
		assert_true(ms < PATIENCE_MS);
		usleep(10000);
		outbox_send_due(&parts.outbox);
	}
}

static void await_answers(uint32_t cnt)
{
	for (int ms = 0; answers_cnt() < cnt; ms += 10) {
		assert_true(ms < PATIENCE_MS);
		usleep(10000);
	}
}

/* What an outage has left does not keep the loop from answers, and from packets. */
static void backlog_is_sent_in_bursts(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;

	(void)state;
	open_with_many();
	outbox_send_due(&parts.outbox);
	assert_in_range(c->sent, 1, 512);
	send_many();
	parts_await_count(&parts, &c->acknowledged, MANY_EVENTS);
}

/* Answers that come faster than they are taken do not keep the loop: the rest is taken next time. */
static void answers_are_taken_in_turns(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;
	struct pollfd fd;

	(void)state;
	open_with_many();
	process_signal(parts.server, SIGSTOP);
	send_many();
	assert_int_equal(c->acknowledged, 0);
	process_signal(parts.server, SIGCONT);
	await_answers(MANY_EVENTS);
	outbox_receive(&parts.outbox);
	assert_in_range(c->acknowledged, 1, 512);
	fd = (struct pollfd){ .fd = server_fd(parts.outbox.server), .events = POLLIN };
	assert_int_equal(poll(&fd, 1, 0), 1);
	outbox_receive(&parts.outbox);
	assert_int_equal(c->acknowledged, MANY_EVENTS);
	assert_int_equal(poll(&fd, 1, 0), 0);
}

/* After a stall messages are late whose answers have come, more than are taken in a turn. They are
 * not given up.
 */
static void answers_come_before_timeouts(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;

	(void)state;
	open_with_many();
	parts.options.retries = 0;
	process_signal(parts.server, SIGSTOP);
	send_many();
	process_signal(parts.server, SIGCONT);
	await_answers(MANY_EVENTS);
	pending_each(&parts.outbox.pending, make_late, NULL);
	outbox_send_due(&parts.outbox);
	assert_in_range(c->acknowledged, 1, 512);
	outbox_send_due(&parts.outbox);
	assert_int_equal(c->acknowledged, MANY_EVENTS);
	assert_int_equal(c->given_up, 0);
}

/* A server that is slow to take a message keeps the loop for one message, not for all. */
static void slow_message_ends_a_turn(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;

	(void)state;
	open_with_many();
	parts.outbox.slow_until_ns = gossip_now_ns() + 1000000000;
	outbox_send_due(&parts.outbox);
	assert_int_equal(c->sent, 0);
	send_many();
	parts_await_count(&parts, &c->acknowledged, MANY_EVENTS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ack_seconds_count_from_the_first_sending, hub_setup,
						teardown),
		cmocka_unit_test_setup_teardown(late_counts_from_the_arrival, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(no_headers, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(added_subject_is_not_taken, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(no_subject_is_taken, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(some_subject_is_not_taken_at_the_start, hub_setup,
						teardown),
		cmocka_unit_test_setup_teardown(connections_end_at_once, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(checks_that_fail_are_logged, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(new_connections_are_checked_once, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(answers_need_no_options, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(answers_come_before_timeouts, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(slow_message_ends_a_turn, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(backlog_is_sent_in_bursts, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(answers_are_taken_in_turns, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(further_give_ups_are_counted, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(server_reads_nothing, hub_setup, teardown),
	};

	add_rows(GIVEN_UP, give_ups_are_logged, hub_setup, teardown);
	add_tests(tests, ARRAY_SIZE(tests));
	return run_added_tests("publish_outbox");
}
