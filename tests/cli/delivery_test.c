// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the tool says of filters that deliver, and of the sockets to which they do. */
#include "cli_runner.h"
#include "reader_process.h"

#include "clock.h"
#include "delivery.h"
#include "open.h"

#define NAME "ve0"
#define EVENTS 5
#define MANY 200 /* of which advice is given */

/* A process that has the socket of a queue, and reads nothing until it is told to close it. */
static struct reader {
	pid_t pid; /* 0: none */
	struct reader_ends ends;
} reader;

static void have_queue(const void *unused)
{
	const struct xdp_dedup_receive_options o = { .size = sizeof(o), .frames = 64 };
	struct xdp_dedup_receiver *rx;
	char byte;

	(void)unused;
	if (xdp_dedup_receive_open(NAME, &o, &rx))
		return;
	reader_tell_ready();
	if (read(reader_child.go, &byte, 1) == 1)
		xdp_dedup_receive_close(rx);
}

static void reader_begin(void)
{
	reader.pid = reader_start(have_queue, NULL, 0, &reader.ends);
}

/* It ends as processes do; or is killed, and nobody waits for it yet. */
static void reader_end(bool killed)
{
	siginfo_t info;

	if (!reader.pid)
		return;
	if (killed)
		kill(reader.pid, SIGKILL);
	else
		assert_int_equal(write(reader.ends.go, "", 1), 1);
	waitid(P_PID, reader.pid, &info, WEXITED | WNOWAIT);
	reader_forget(&reader.ends);
	reader.ends = (struct reader_ends){ -1, -1 };
}

static void reader_bury(void)
{
	if (reader.pid)
		waitpid(reader.pid, NULL, 0);
	reader.pid = 0;
}

static int teardown(void **state)
{
	reader_end(true);
	reader_bury();
	return e2e_teardown(state);
}

/* Sends so many fresh events over the link. */
static void send_events(uint32_t cnt)
{
	uint32_t order[MANY];

	for (uint32_t i = 0; i < cnt; i++)
		order[i] = i;
	assert_return_code(gossip_send(e2e_sender(0, AF_INET, 1), order, cnt), EIO);
	e2e_counters_after(NAME, cnt);
}

/* The reader has the queue of a filter, and has not read the first events. */
static void begin_with_events(void)
{
	e2e_load("load ve0 --deliver xsk");
	reader_begin();
	send_events(EVENTS);
}

/* The only socket that status shows. */
static json_object *the_socket(json_object *status)
{
	json_object *list = member(status, "sockets");

	assert_int_equal(json_object_array_length(list), 1);
	return json_object_array_get_idx(list, 0);
}

static void assert_socket(double process, bool reads, double taken, double free, double unreturned)
{
	json_object *status = tool_status(NAME), *o = the_socket(status);

	assert_string_equal(text(o, "interface"), "ve0");
	assert_true(number(o, "ifindex") > 0 && number(o, "queue") == 0);
	if (process)
		assert_true(number(o, "process") == process);
	else
		assert_null(json_object_object_get(o, "process"));
	assert_int_equal(json_object_get_boolean(member(o, "reads")), reads);
	assert_false(json_object_get_boolean(member(o, "zerocopy")));
	assert_true(number(o, "frames_taken") == taken);
	assert_true(number(o, "frames_free") == free);
	assert_true(number(o, "unreturned") == unreturned);
	json_object_put(status);
}

/* What a reader that was killed has left stands there until somebody reads again. */
TEST(a_killed_reader_stands_there)
{
	pid_t pid;

	e2e_load("load ve0 --deliver xsk");
	reader_begin();
	pid = reader.pid;
	assert_socket(pid, true, 0, 64, 0);
	send_events(EVENTS);
	assert_socket(pid, true, EVENTS, 64 - EVENTS, EVENTS);
	assert_run(0, "$XD status");
	assert_says("\n  socket      ve0 queue 0: process %d, packets are copied; 5 of 64 frames "
		    "taken\n",
		    pid);
	assert_says("\n  delivered                     5 ");
	assert_null(strstr(output, "given back"));

	reader_end(true);
	for (int i = 0; i < 2; i++, reader_bury()) { /* as a zombie, and gone */
		assert_socket(pid, false, EVENTS, 0, EVENTS);
		assert_run(0, "$XD status");
		assert_says("\n  socket      ve0 queue 0: nobody reads it, process %d has ended\n",
			    pid);
		assert_says("\n              5 packets were not given back: whoever opens it next "
			    "wants their ids\n");
	}
	reader_begin();
	assert_socket(reader.pid, true, 0, 64, 0);
	reader_end(false);
	reader_bury();
	assert_socket(0, false, 0, 0, 0);
	assert_run(0, "$XD status");
	assert_says("\n  socket      ve0 queue 0: nobody reads it\n");
}

/* Says what is wrong as long as it is, and with one queue of two: which. */
TEST(advice_while_it_is_wrong)
{
	sh("ethtool -L ve0 rx 2");
	e2e_load("load ve0 --deliver xsk");
	send_events(MANY);
	assert_run(0, "$XD status");
	assert_says("\n  advice      fresh packets go to the stack, as no application has an AF_XDP "
		    "socket for them: ");
	reader_begin();
	assert_run(0, "$XD status");
	assert_says("\n  advice      100 %% of the fresh packets went to the stack, as their queue "
		    "had no AF_XDP socket: nobody reads queue 1 of ve0; ");
	sh("ethtool -L ve0 rx 1");
	assert_run(0, "$XD status");
	assert_null(strstr(output, "advice"));
}

/* What is left when nobody can open the queue any more. */
TEST(what_is_left)
{
	begin_with_events();
	reader_end(true);
	assert_run(0, "$XD set ve0 --deliver stack");
	assert_string_equal(output, "xdp-dedup: note: 5 packets of ve0 were left by readers that "
				    "have ended: their next copies pass\n");
}

/* As if the driver wrote into the reader's memory. */
static void pretend_zerocopy(void)
{
	struct delivery d;
	struct filter f;

	assert_int_equal(filter_open(NAME, &f), 0);
	assert_int_equal(delivery_open(&f, &d), 0);
	d.sockets[0].zerocopy = 1;
	delivery_close(&d);
	filter_close(&f);
}

/* A command that may have no AF_XDP socket cannot find out whether there is a reader: it takes no
 * packets from the one that there is, and waits for it.
 */
TEST(unknown_reader)
{
	uint64_t began_ns;

	begin_with_events();
	pretend_zerocopy();
	began_ns = clock_ns(CLOCK_MONOTONIC);
	assert_run(0, "setpriv --bounding-set -net_raw --inh-caps -net_raw $XD set ve0 --deliver "
		      "stack");
	assert_true(clock_ns(CLOCK_MONOTONIC) - began_ns >= 1000000000);
	assert_string_equal(output, "");
}

#define MANY_IDS "i=0; while [ $i -lt 4096 ]; do i=$((i + 1)); printf '%064x\n' $i; done | "

/* A reader that runs has packets, and as many ids are wanted as can be. */
TEST(no_room_to_want)
{
	begin_with_events();
	assert_run(0, MANY_IDS "$XD add ve0 - >/dev/null");
	assert_run(0, MANY_IDS "$XD want ve0 - >/dev/null");
	assert_run(0, "$XD set ve0 --deliver stack");
	assert_string_equal(output,
			    "xdp-dedup: note: 5 packets of ve0 are in sockets of readers that run, "
			    "and are lost if these are killed before they have read them: too many "
			    "ids are wanted\n");
}

/* While the hand walks no id can be wanted, and it may be stopped in its walk for long. */
TEST(reader_waits_once_for_the_hand)
{
	unsigned int wanted = 0, lost = 0;
	struct delivery d;
	struct filter f;

	e2e_load("load ve0 --deliver xsk");
	assert_int_equal(filter_open(NAME, &f), 0);
	assert_int_equal(delivery_open(&f, &d), 0);
	for (uint32_t i = 0; i < DEDUP_IN_FLIGHT_MAX; i++)
		*delivery_in_flight(&d, 0, i) = (struct dedup_in_flight){ .number = i + 1 };
	__sync_fetch_and_add(&f.state->walks, 1);
	alarm(PATIENCE_MS / 1000);
	delivery_want_left(&d, &f, 0, true, &wanted, &lost);
	alarm(0);
	assert_int_equal(wanted, 0);
	assert_int_equal(lost, DEDUP_IN_FLIGHT_MAX);
	delivery_close(&d);
	filter_close(&f);
}

int main(void)
{
	cli_environment();
	add_cli_scripts("tests/cli/delivery");
	add_own_tests(e2e_setup, teardown);
	return run_added_tests("delivery");
}
