// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The publisher's intake and outbox inside the test, step by step: what is taken, in which order,
 * and what becomes of it.
 */
#include "parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILTER "--port 8001 --fpr 1e-9 "

static struct parts parts;

static int teardown(void **state)
{
	netns_enter(0);
	parts_close(&parts);
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

/* Opens node 0, and has an event wait for the server for this time; then it is sent. */
static void send_after(unsigned int ms)
{
	parts_open(&parts, FILTER, PUBLISH_UDP);
	parts_connect(&parts, "good");
	parts_send(8001, "a");
	parts_await_events(&parts, 1);
	parts_add_events(&parts);
	usleep(ms * 1000);
}

/* The time for which an event waits for a connection is no time of the engine. */
static void ack_seconds_count_from_the_first_sending(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;

	(void)state;
	send_after(1000);
	parts_await_count(&parts, &c->acknowledged, 1);
	for (int i = 12; i <= OUTBOX_BUCKETS; i++) /* 512 ms and more */
		assert_int_equal(c->ack_bucket[i], 0);
}

/* But the engine may have forgotten the id, which another machine published at once. */
static void late_counts_from_the_arrival(void **state)
{
	const struct outbox_counters *c = &parts.outbox.counters;

	(void)state;
	send_after(300);
	parts_await_state(&parts, SERVER_UP);
	parts.outbox.window_ns = 300000000;
	parts_await_count(&parts, &c->acknowledged, 1);
	assert_int_equal(c->late, 1);
	assert_int_equal(c->retried, 0);
	parts_send(8001, "b");
	parts_await_events(&parts, 1);
	parts.outbox.window_ns = 60000000000;
	parts_add_events(&parts);
	parts_await_count(&parts, &c->acknowledged, 2);
	assert_int_equal(c->late, 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(unreadable_is_counted, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(sockets_take_turns, hub_setup, teardown),
		cmocka_unit_test_setup_teardown(ack_seconds_count_from_the_first_sending, hub_setup,
						teardown),
		cmocka_unit_test_setup_teardown(late_counts_from_the_arrival, hub_setup, teardown),
	};

	add_rows(NO_MEMORY, no_memory_wants, hub_setup, teardown);
	add_tests(tests, ARRAY_SIZE(tests));
	return run_added_tests("publish_parts");
}
