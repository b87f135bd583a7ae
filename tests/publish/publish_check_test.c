// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* xdp-dedup-publish --check: what it says, and its exit status. */
#include "jetstream.h"
#include "node.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STEP_MS 10

/* Waits until the process no longer ends by SIGTERM: it takes the signal itself. */
static void await_signals_taken(const struct process *p)
{
	char out[64];

	for (int ms = 0; ms < PATIENCE_MS; ms += STEP_MS) {
		/* Bit 14 of the mask of blocked signals. */
		if (!sh_out(out, sizeof(out),
			    "[ $((0x$(awk '/^SigBlk/ { print $2 }' /proc/%d/status) >> 14 & 1)) = 1 ]",
			    p->pid))
			return;
		usleep(STEP_MS * 1000);
	}
	fail_msg("the signal is not taken");
}

/* Not all was checked: that is no success. */
static void ended_by_a_signal(void **state)
{
	(void)state;
	jetstream_start(&(struct jetstream_plan){ .servers = 1 });
	node_add(0, "--port 8001");
	jetstream_stop(0, true); /* connections are made, and not answered */
	node_publish(0, "--create --check");
	await_signals_taken(node_publisher(0));
	assert_int_equal(node_end(0, SIGTERM), 1);
	process_await(node_publisher(0), "ended by signal 15 before all was checked");
}

/* As many descriptors as the program may open, until the filter can be opened, and one of its
 * streams cannot. The reason is told.
 */
static void says_why_a_filter_cannot_be_read(void **state)
{
	char out[4096] = "";

	(void)state;
	node_add(0, "--port 8001");
	for (int max = 4; max < 100 && !strstr(out, "cannot be read"); max++)
		sh_out(out, sizeof(out),
		       "prlimit --nofile=%d %s node0 --server nats://" HUB_ADDRESS
		       " --stream S --subject s --check",
		       max, node_publish_program());
	if (!strstr(out, "filter node0 cannot be read: Too many open files"))
		fail_msg("%s", out);
}

/* What --check says of a stream with this duplicate window. */
static const struct window {
	const char *name;
	int64_t duplicates_s;
	const char *options;
	const char *words; /* NULL: nothing about retries */
} WINDOWS[] = {
	{ "window_as_long_as_retries", 32, "", NULL },
	{ "window_shorter_than_retries", 31, "",
	  "stream EVENTS knows ids for 31s, and the retries of an event take longer: the event may "
	  "be there twice; make the stream's duplicate window at least 32s" },
	{ "window_shorter_than_one_retry", 30, "--retries 1 --ack-timeout 30s",
	  "make the stream's duplicate window at least 31s" },
	{ "window_without_retries", 30, "--retries 0 --ack-timeout 1h", NULL },
};

static void compares_window_with_retries(void **state)
{
	const struct window *w = *state;
	jsStreamConfig c;
	char options[128];

	jetstream_start(&(struct jetstream_plan){ .servers = 1 });
	jsStreamConfig_Init(&c);
	c.Duplicates = w->duplicates_s * 1000000000;
	jetstream_add(NODE_STREAM, &c);
	node_add(0, "--port 8001");
	snprintf(options, sizeof(options), "--check %s", w->options);
	node_publish(0, options);
	assert_int_equal(node_end(0, 0), 0);
	process_await(node_publisher(0), "connected");
	if (w->words)
		process_await(node_publisher(0), w->words);
	else
		assert_false(process_has_said(node_publisher(0), "retries"));
}

/* Why the stream cannot be looked up. */
static const struct server {
	const char *name, *lines, *options, *words;
} SERVERS[] = {
	{ "no_jetstream", "", "", "stream EVENTS: these servers have no JetStream" },
	/* And the line before it names the right. */
	{ "no_right",
	  "jetstream { store_dir: /mnt/plain }\n"
	  "authorization { users: [ { user: u, password: p, permissions: { publish: gossip.> } } ] }",
	  "--user u --password-file /mnt/password",
	  "stream EVENTS: no answer within 5 s; the account may lack the right" },
};

static void says_why_there_is_no_stream(void **state)
{
	const struct server *row = *state;
	char options[128];

	sh("echo p >/mnt/password; printf '%%b\n' 'listen: \"%s:4222\"\n%s' >/mnt/plain.conf",
	   hub_address(0), row->lines);
	process_await(hub_start(0, "plain", "nats-server -c /mnt/plain.conf"), "Server is ready");
	node_add(0, "--port 8001");
	snprintf(options, sizeof(options), "--check %s", row->options);
	node_publish_to(0, "nats://10.76.0.10:4222", options);
	assert_int_equal(node_end(0, 0), 1);
	process_await(node_publisher(0), row->words);
	if (*row->options)
		process_await(node_publisher(0), "Permissions Violation for Publish to");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ended_by_a_signal, hub_setup, hub_teardown),
		cmocka_unit_test_setup_teardown(says_why_a_filter_cannot_be_read, hub_setup,
						hub_teardown),
	};

	add_rows(WINDOWS, compares_window_with_retries, hub_setup, hub_teardown);
	add_rows(SERVERS, says_why_there_is_no_stream, hub_setup, hub_teardown);
	add_tests(tests, ARRAY_SIZE(tests));
	return run_added_tests("publish_check");
}
