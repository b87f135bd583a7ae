// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The socket for scrapes: after a failure the event loop tries again, without any further call. */
#include "support.h"

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "diags.h"
#include "listener.h"

#define RETRY_US 50000
#define NS_PER_MS 1000000ULL

static sd_event *events;
static struct listener l;
static int taken;	 /* a socket that has a port */
static char address[32]; /* that port */

static int write_nothing(void *arg, FILE *out, enum metrics_format format)
{
	(void)arg, (void)out, (void)format;
	return 0;
}

static int setup(void **state)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);

	(void)state;
	taken = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(taken >= 0);
	assert_int_equal(bind(taken, (struct sockaddr *)&at, len), 0);
	assert_int_equal(listen(taken, 1), 0);
	assert_int_equal(getsockname(taken, (struct sockaddr *)&at, &len), 0);
	snprintf(address, sizeof(address), "127.0.0.1:%u", ntohs(at.sin_port));
	assert_true(sd_event_new(&events) >= 0);
	l = (struct listener){ .events = events, .write = write_nothing, .retry_us = RETRY_US };
	diags_collect();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	diags_end();
	if (taken >= 0)
		close(taken);
	listener_close(&l);
	sd_event_unref(events);
	return 0;
}

static void release(void)
{
	close(taken);
	taken = -1;
}

/* Runs the loop for so long, or until it listens. */
static void run_loop(unsigned int ms)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + ms * NS_PER_MS;

	while (!l.at && clock_ns(CLOCK_MONOTONIC) < end_ns)
		assert_true(sd_event_run(events, RETRY_US) >= 0);
}

/* How often the failure was logged. */
static int failures(void)
{
	int cnt = 0;

	for (const char *at = diags_all(); (at = strstr(at, "cannot listen for scrapes at")); at++)
		cnt++;
	return cnt;
}

static void listens(void **state)
{
	(void)state;
	release();
	listener_configure(&l, address);
	assert_string_equal(l.at, address);
	assert_int_equal(failures(), 0);
}

static void tries_again(void **state)
{
	(void)state;
	listener_configure(&l, address);
	assert_null(l.at);
	assert_int_equal(failures(), 1);
	run_loop(5 * RETRY_US / 1000);
	assert_null(l.at);
	assert_int_equal(failures(), 1);
	release();
	run_loop(PATIENCE_MS);
	assert_non_null(l.at);
	assert_string_equal(l.at, address);
	assert_null(l.wanted);
}

/* The event loop has ended, and takes no timer. */
static void no_timer_is_logged(void **state)
{
	(void)state;
	assert_return_code(sd_event_exit(events, 0), 0);
	assert_return_code(sd_event_loop(events), 0);
	listener_configure(&l, address);
	assert_non_null(strstr(diags_all(), "cannot be tried again: "));
}

/* The address is not wanted any more. */
static void ends_its_tries(void **state)
{
	(void)state;
	listener_configure(&l, address);
	assert_int_equal(failures(), 1);
	listener_configure(&l, NULL);
	release();
	run_loop(5 * RETRY_US / 1000);
	assert_null(l.at);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(listens, setup, teardown),
		cmocka_unit_test_setup_teardown(tries_again, setup, teardown),
		cmocka_unit_test_setup_teardown(no_timer_is_logged, setup, teardown),
		cmocka_unit_test_setup_teardown(ends_its_tries, setup, teardown),
	};

	return run_any_tests("listener", tests, ARRAY_SIZE(tests));
}
