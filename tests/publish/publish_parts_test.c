// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The publisher's intake and outbox inside the test, step by step: what is taken, in which order,
 * and what becomes of it.
 */
#include "parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diags.h"
#include "gossip.h"

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

#define STREAM_A "--profile a=gsp:8001 "
#define STREAMS_AB STREAM_A "--profile b=gsp:8002 "

static void set_filter(const char *options)
{
	netns_enter(hub_place(NODE_PLACE(0)));
	sh("%s set node0 %s", tool(), options);
	netns_enter(0);
}

/* `set` changes the number of a stream. Events that come before the next intake_refresh() are not
 * taken for another stream's, and not lost.
 */
static void streams_are_followed_at_once(void **state)
{
	(void)state;
	parts_open(&parts, STREAM_A "--fpr 1e-9", PUBLISH_UDP);
	set_filter("--profile b=gsp:8002 " STREAM_A);
	parts_send(8001, "a");
	parts_await_events(&parts, 1);
	assert_string_equal(parts.events[0]->stream->is.name, "a");
}

/* What is in a socket is not lost by `set`. */
static void sockets_stay_over_set(void **state)
{
	(void)state;
	parts_open(&parts, STREAM_A "--fpr 1e-9", PUBLISH_UDP);
	parts_send(8001, "a");
	parts_await_readable(&parts, 1);
	set_filter("--profile b=gsp:8002 " STREAM_A);
	assert_int_equal(parts_refresh(&parts), 1);
	parts_await_events(&parts, 1);
	parts_send(8002, "b");
	parts_await_events(&parts, 2);
}

/* The delivery ends while an event is held. It is given up then, and its next copy passes. */
static void want_outlasts_the_queue(void **state)
{
	(void)state;
	parts_open(&parts, FILTER "--deliver xsk", PUBLISH_AUTO);
	parts_send(8001, "a");
	parts_await_events(&parts, 1);
	assert_non_null(parts.events[0]->queue);
	set_filter("--deliver stack");
	intake_end(&parts.intake, parts.events[0], INTAKE_GIVEN_UP);
	parts.cnt = 0;
	parts_send(8001, "a");
	parts_await_events(&parts, 1);
	assert_null(parts.events[0]->queue);
}

/* A queue to which nothing comes ends, and is opened again once the filter delivers again. */
static void idle_queue_ends(void **state)
{
	(void)state;
	parts_open(&parts, FILTER "--deliver xsk", PUBLISH_AUTO);
	assert_non_null(parts.intake.queues[0]);
	set_filter("--deliver stack");
	parts_refresh(&parts);
	assert_null(parts.intake.queues[0]);
	set_filter("--deliver xsk");
	for (int i = 0; i < 12; i++) /* where there is none, it is tried every 10th time */
		parts_refresh(&parts);
	parts_send(8001, "a");
	parts_await_events(&parts, 1);
	assert_non_null(parts.events[0]->queue);
}

/* Lost datagrams are counted while nothing is taken, as in an outage. */
static void overflow_is_counted_at_once(void **state)
{
	int bytes = 4096;
	char id[16];

	(void)state;
	parts_open(&parts, FILTER, PUBLISH_UDP);
	assert_return_code(setsockopt(parts.intake.sockets[0].fd, SOL_SOCKET, SO_RCVBUF, &bytes,
				      sizeof(bytes)),
			   errno);
	for (int i = 0; i < 100; i++) {
		snprintf(id, sizeof(id), "%d", i);
		parts_send(8001, id);
	}
	for (int ms = 0; !parts.intake.counters.overflow; ms += 10) {
		assert_true(ms < PATIENCE_MS);
		usleep(10000);
		parts_refresh(&parts);
	}
	while (parts_take(&parts, 64))
		;
	parts_refresh(&parts);
	assert_int_equal(parts.cnt + parts.intake.counters.overflow, 100);
}

/* Streams that there were are forgotten, but not while an event points to them. */
static void old_streams_are_forgotten(void **state)
{
	int cnt = 0;

	(void)state;
	parts_open(&parts, STREAM_A "--fpr 1e-9", PUBLISH_UDP);
	parts_send(8001, "a");
	parts_await_events(&parts, 1);
	for (int i = 0; i < 3; i++) {
		set_filter("--profile b=gsp:8002");
		parts_refresh(&parts);
		set_filter("--profile c=gsp:8003");
		parts_refresh(&parts);
	}
	for (const struct publish_stream *one = parts.streams.all; one; one = one->next)
		cnt++;
	assert_int_equal(cnt, 2); /* a is held */
	assert_string_equal(parts.events[0]->stream->is.name, "a");
	intake_end(&parts.intake, parts.events[0], INTAKE_GIVEN_UP);
	parts.cnt = 0;
	set_filter(STREAM_A);
	parts_refresh(&parts);
	assert_ptr_equal(parts.streams.all, parts.streams.now[0]);
	assert_null(parts.streams.all->next);
}

/* Multicast groups, that are joined whatever sockets the intake has. */
static const struct groups {
	const char *name, *load, *listen;
	const char *count; /* a shell command */
	int cnt;
} GROUPS[] = {
	{ "more_groups_than_a_socket_may_join", "--port 8001 --to $(seq -s, -f 239.9.9.%g 1 25)",
	  NULL, "ip maddr show dev in | grep -c 239.9.9.", 25 },
	{ "group_of_another_family", "--port 8001 --to ff05::7,239.9.9.1", "0.0.0.0:8001",
	  "ip maddr show dev in | grep -c 'ff05::7\\|239.9.9.1'", 2 },
};

static void groups_are_joined(void **state)
{
	const struct groups *g = *state;
	char out[32];

	diags_collect();
	parts_load(&parts, g->load, PUBLISH_UDP);
	parts.options.listen = g->listen;
	parts_open_intake(&parts);
	netns_enter(hub_place(NODE_PLACE(0)));
	assert_int_equal(sh_out(out, sizeof(out), "%s", g->count), 0);
	netns_enter(0);
	assert_int_equal(atoi(out), g->cnt);
	parts_send_to("239.9.9.1", 8001, "a");
	parts_await_events(&parts, 1);
	assert_string_equal(diags_all(), "");
}

/* A group that stays over `set` is not left, one that goes is. */
static void groups_follow_set(void **state)
{
	char out[256];

	(void)state;
	parts_open(&parts, "--port 8001 --to 239.9.9.1,239.9.9.2", PUBLISH_UDP);
	set_filter("--port 8001 --to 239.9.9.2,239.9.9.3");
	parts_refresh(&parts);
	netns_enter(hub_place(NODE_PLACE(0)));
	sh_out(out, sizeof(out), "ip maddr show dev in | grep -o '239.*' | sort | tr '\\n' ' '");
	netns_enter(0);
	assert_string_equal(out, "239.9.9.2 239.9.9.3 ");
}

/* An interface without AF_XDP does not keep the others from it. Another program has its queue here. */
static void queues_of_other_interfaces(void **state)
{
	struct xdp_dedup_receive_options options = { .size = sizeof(options) };
	struct xdp_dedup_interface at[2];
	struct xdp_dedup_receiver *other;
	int open = 0;

	(void)state;
	parts_load(&parts, FILTER, PUBLISH_AUTO);
	netns_enter(hub_place(NODE_PLACE(0)));
	sh("ip link add in2 type veth peer name out2 && ip link set in2 up && ip link set out2 up &&"
	   "%s unload in && %s load in in2 --name node0 " FILTER "--deliver xsk",
	   tool(), tool());
	assert_int_equal(publish_streams_open(&parts.streams, &parts.options), 0);
	assert_int_equal(xdp_dedup_interfaces(parts.streams.filter, at, sizeof(*at), 2), 2);
	publish_streams_close(&parts.streams);
	options.ifname = at[0].name;
	assert_int_equal(xdp_dedup_receive_open("node0", &options, &other), 0);
	parts_open_intake(&parts);
	for (int i = 0; i < INTAKE_QUEUES_MAX; i++)
		if (parts.intake.queues[i]) {
			assert_string_equal(parts.intake.queues[i]->interface.name, at[1].name);
			open++;
		}
	assert_true(open > 0);
	xdp_dedup_receive_close(other);
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

/* `set` adds a stream whose subject the JetStream stream does not take. This is said once, its
 * events are not sent, and others are. Once the subject is taken, so are its events.
 */
static void added_subject_is_not_taken(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;

	(void)state;
	open_connected(STREAM_A "--fpr 1e-9", "takes_only_a");
	parts_await_state(&parts, SERVER_UP);
	set_filter(STREAMS_AB);
	parts_refresh(&parts);
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
	open_connected(STREAM_A "--fpr 1e-9", "good");
	parts_await_state(&parts, SERVER_UP);
	parts_set_fault("takes_others");
	set_filter(STREAMS_AB);
	parts_refresh(&parts);
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
	uint64_t end_ns = gossip_now_ns() + 3000000000;

	(void)state;
	open_connected(FILTER, "closes_amid");
	parts.options.retries = 0;
	add_event(8001, "a");
	while (gossip_now_ns() < end_ns) {
		outbox_follow(&parts.outbox);
		outbox_look(&parts.outbox);
		usleep(5000);
	}
	assert_in_range(c->connections, 2, 7);
	assert_true(c->retried > 0);
	assert_int_equal(c->given_up, 0);
	parts_set_fault("good");
	parts_await_count(&parts, &c->acknowledged, 1);
	assert_int_equal(c->given_up, 0);
}

/* The program had no time for answers, which are there: no message has failed. */
static void answers_come_before_timeouts(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;

	(void)state;
	open_connected(FILTER, "good");
	parts.options.retries = 0;
	parts.options.ack_timeout_ns = 300000000;
	parts_await_state(&parts, SERVER_UP);
	add_event(8001, "a");
	usleep(600000);
	outbox_look(&parts.outbox);
	assert_int_equal(c->given_up, 0);
	assert_int_equal(c->acknowledged, 1);
}

/* What an outage has left does not keep the loop from answers, and from packets. */
static void backlog_is_sent_in_bursts(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;
	char id[16];

	(void)state;
	open_connected(FILTER, "good");
	for (int i = 0; i < 600; i++) {
		snprintf(id, sizeof(id), "%d", i);
		parts_send(8001, id);
	}
	parts_await_events(&parts, 600);
	parts_add_events(&parts);
	parts_await_state(&parts, SERVER_UP);
	assert_int_equal(c->sent, 0);
	outbox_look(&parts.outbox);
	assert_in_range(c->sent, 1, 512);
	outbox_look(&parts.outbox);
	assert_int_equal(c->sent, 600);
	parts_await_count(&parts, &c->acknowledged, 600);
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
		cmocka_unit_test_setup_teardown(streams_are_followed_at_once, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(sockets_stay_over_set, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(want_outlasts_the_queue, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(queues_of_other_interfaces, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(connections_end_at_once, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(answers_come_before_timeouts, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(backlog_is_sent_in_bursts, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(idle_queue_ends, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(overflow_is_counted_at_once, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(old_streams_are_forgotten, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(groups_follow_set, hub_setup, teardown),
	};

	leave_to_rest(
		"@(no_memory_@(udp|digest)|given_up_@(as_refused|without_permission)|no_headers)");
	leave_to_rest("@(some_subject_*|no_subject_*|late_*|ack_*|connections_*)");
	add_rows(NO_MEMORY, no_memory_wants, hub_setup, teardown);
	add_rows(GROUPS, groups_are_joined, hub_setup, teardown);
	add_rows(GIVEN_UP, give_ups_are_logged, hub_setup, teardown);
	add_tests(tests, ARRAY_SIZE(tests));
	return run_added_tests("publish_parts");
}
