// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The publisher's intake and outbox inside the test, step by step: what is taken, in which order,
 * and what becomes of it.
 */
#include "parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diags.h"

#define FILTER "--port 8001 --fpr 1e-9 "

static struct parts parts;

static int teardown(void **state)
{
	netns_enter(0);
	parts_close(&parts);
	diags_end();
	return hub_teardown(state);
}

static void *no_memory(size_t bytes)
{
	(void)bytes;
	return NULL;
}

/* By which way events come. */
static const struct way {
	const char *name, *load;
	enum publish_receive receive;
} NO_MEMORY[] = {
	{ "no_memory_udp", FILTER, PUBLISH_UDP },
	{ "no_memory_xsk", FILTER "--deliver xsk", PUBLISH_XSK },
	{ "no_memory_digest", "--profile payload:8001 --fpr 1e-9", PUBLISH_UDP },
};

/* An event for which there is no memory is counted and wanted: its next copy passes. */
static void no_memory_wants(void **state)
{
	const struct way *w = *state;

	parts_open(&parts, w->load, w->receive);
	parts.intake.allocate = no_memory;
	parts_send(8001, "a");
	parts_await_readable(&parts, 1);
	parts_take(&parts, 64);
	assert_int_equal(parts.cnt, 0);
	assert_int_equal(parts.intake.counters.no_memory, 1);
	assert_int_equal(parts.intake.counters.wanted, 1);
	assert_int_equal(parts.intake.counters.forgotten, 0);
	assert_int_equal(parts.intake.counters.not_events, 0);
	parts.intake.allocate = malloc;
	parts_send(8001, "a");
	parts_await_events(&parts, 1);
}

/* A datagram of which only the frame has the id is counted apart from what is no event. */
static void unreadable_is_counted(void **state)
{
	(void)state;
	parts_open(&parts, "--profile mirror --profile gsp:8001", PUBLISH_UDP);
	parts_send(8001, "a");
	parts_await_readable(&parts, 1);
	parts_take(&parts, 64);
	assert_int_equal(parts.intake.counters.unreadable, 1);
	assert_int_equal(parts.intake.counters.not_events, 0);
}

/* Where there is room for one event at a time, no socket takes it all. */
static void sockets_take_turns(void **state)
{
	static const char *const A[] = { "a0", "a1", "a2" }, *const B[] = { "b0", "b1", "b2" };

	(void)state;
	parts_open(&parts, "--port 8001-8002 --fpr 1e-9", PUBLISH_UDP);
	for (int i = 0; i < 3; i++) {
		parts_send(8001, A[i]);
		parts_send(8002, B[i]);
	}
	parts_await_readable(&parts, 2);
	for (int i = 0; i < 6; i++)
		assert_int_equal(parts_take(&parts, 1), 1);
	for (int i = 0; i < 3; i++) {
		assert_string_equal(parts_id(parts.events[2 * i]), A[i]);
		assert_string_equal(parts_id(parts.events[2 * i + 1]), B[i]);
	}
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

	(void)state;
	open_connected(FILTER, "good");
	add_event(8001, "a");
	usleep(1000000);
	parts_await_count(&parts, &c->acknowledged, 1);
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

static void no_headers(void **state)
{
	(void)state;
	open_connected(FILTER, "no_headers");
	parts_await_words(&parts, "the server takes no headers");
	assert_int_equal(parts.outbox.state, SERVER_DOWN);
	parts_set_fault("good");
	parts_await_state(&parts, SERVER_UP);
}

/* How often the text has these words. */
static unsigned int count_words(const char *text, const char *words)
{
	unsigned int cnt = 0;

	for (; (text = strstr(text, words)); text++)
		cnt++;
	return cnt;
}

#define A "--profile a=gsp:8001 "
#define A_AND_B A "--profile b=gsp:8002 "

static void set_filter(const char *options)
{
	netns_enter(hub_place(NODE_PLACE(0)));
	sh("%s set node0 %s", tool(), options);
	netns_enter(0);
	parts_refresh(&parts);
}

/* `set` adds a stream whose subject the JetStream stream does not take. This is said once, its
 * events are not sent, and others are. Once the subject is taken, so are its events.
 */
static void added_subject_is_not_taken(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;

	(void)state;
	open_connected(A "--fpr 1e-9", "takes_only_a");
	parts_await_state(&parts, SERVER_UP);
	set_filter(A_AND_B);
	parts_await_words(&parts, "stream EVENTS does not take the subject gossip.b");
	add_event(8002, "b");
	add_event(8002, "c");
	add_event(8001, "a");
	parts_await_count(&parts, &c->acknowledged, 1);
	assert_int_equal(c->sent, 1);
	assert_int_equal(c->given_up, 2);
	assert_int_equal(parts.intake.counters.wanted, 2);
	assert_non_null(strstr(diags_all(), "given up, and wanted: the JetStream stream does not"));
	parts_set_fault("good");
	parts_await_words(&parts, "stream EVENTS takes the subject gossip.b now");
	add_event(8002, "b");
	parts_await_count(&parts, &c->acknowledged, 2);
	assert_int_equal(count_words(diags_all(), "does not take the subject gossip.b"), 1);
	assert_int_equal(c->connections, 1);
}

/* A JetStream stream that takes nothing any more: all waits, and nothing is given up. */
static void no_subject_is_taken(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;

	(void)state;
	open_connected(A "--fpr 1e-9", "good");
	parts_await_state(&parts, SERVER_UP);
	parts_set_fault("takes_others");
	set_filter(A_AND_B);
	parts_await_words(&parts, "stream EVENTS does not take the subject gossip.a");
	parts_await_state(&parts, SERVER_DOWN);
	add_event(8001, "a");
	add_event(8002, "b");
	usleep(500000);
	assert_int_equal(outbox_follow(&parts.outbox), SERVER_DOWN);
	assert_int_equal(c->given_up, 0);
	parts_set_fault("good");
	parts_await_count(&parts, &c->acknowledged, 2);
}

/* At the start all subjects must be taken. */
static void some_subject_is_not_taken_at_the_start(void **state)
{
	(void)state;
	open_connected(A_AND_B, "takes_only_a");
	parts_await_state(&parts, SERVER_FAILED);
	assert_non_null(strstr(diags_all(), "stream EVENTS does not take the subject gossip.b"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(unreadable_is_counted, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(sockets_take_turns, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(ack_seconds_count_from_the_first_sending, hub_setup,
						teardown),
		cmocka_unit_test_setup_teardown(late_counts_from_the_arrival, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(no_headers, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(added_subject_is_not_taken, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(no_subject_is_taken, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(some_subject_is_not_taken_at_the_start, hub_setup,
						teardown),
	};

	add_rows(NO_MEMORY, no_memory_wants, hub_setup, teardown);
	add_rows(GIVEN_UP, give_ups_are_logged, hub_setup, teardown);
	add_tests(tests, ARRAY_SIZE(tests));
	return run_added_tests("publish_parts");
}
