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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ended_by_a_signal, hub_setup, hub_teardown),
	};

	add_tests(tests, ARRAY_SIZE(tests));
	return run_added_tests("publish_check");
}
