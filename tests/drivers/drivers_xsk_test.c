// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `--deliver xsk` on a driver, with copies and with zero-copy: on the NICs that IFACE names
 * (tests/fixture/e2e/given_links.h), or on veth.
 */
#include <sys/prctl.h>

#include "driver_runner.h"
#include "reader_process.h"

#define EVENTS 1000
#define BURST 20

static int setup(void **state)
{
	app = (struct app){ 0 };
	return driver_setup(state);
}

static int teardown(void **state)
{
	app_close_all();
	free(app.order);
	return driver_teardown(state);
}

static const struct row {
	const char *name;
	bool zerocopy;
} ROWS[] = { { "xsk-copy", false }, { "xsk-zerocopy", true } };

/* Opens a socket for each queue of ve0, at most APP_RX_MAX. Returns 0, or the error of the first
 * queue that could not be opened.
 */
static int try_queues(bool zerocopy)
{
	unsigned int queues = driver_queues();
	int err = 0;

	for (unsigned int i = 0; i < queues && i < APP_RX_MAX && !err; i++) {
		struct xdp_dedup_receive_options *o = app_options("ve0", i, 0);

		o->zerocopy = zerocopy;
		o->copy = !zerocopy;
		err = xdp_dedup_receive_open(APP_NAME, o, &app.rx[app.cnt]);
		app.cnt += !err;
	}
	return err;
}

/* Does `check` report what was found of zero-copy? */
static void check_agrees(bool has_zerocopy)
{
	char out[16384];
	const char *writes;

	sh_out(out, sizeof(out), "%s check ve0 --port 80 --deliver xsk", tool());
	writes = strstr(out, "the driver writes into their memory");
	assert_non_null(strstr(out, "redirect"));
	if (has_zerocopy)
		assert_true(writes || strstr(out, "AF_XDP sockets cannot be told"));
	else
		assert_true(!writes || strstr(writes, ", given "));
}

static void open_queues(bool zerocopy)
{
	int err = try_queues(zerocopy);

	if (zerocopy && (!err || err == -EOPNOTSUPP))
		check_agrees(!err);
	if (err == -EOPNOTSUPP && zerocopy) {
		print_message("# the driver has no zero-copy here\n");
		skip();
	}
	assert_int_equal(err, 0);
	e2e_await_links();
}

/* Sends events in several copies. Checks that each event comes once, by AF_XDP or by UDP, that the
 * counters are right, and that some events came by AF_XDP.
 */
static void flood(void)
{
	struct app_traffic t = app_begin(EVENTS, DRIVER_COPIES);
	struct filter_counters c;

	t.s->rate_pps = driver_rate();
	while (app_send(&t, BURST))
		app_read();
	c = app_end(&t);
	print_message("# delivered %llu, no socket %llu, no room %llu\n",
		      (unsigned long long)c.delivered, (unsigned long long)c.no_socket,
		      (unsigned long long)c.no_room);
	assert_true(c.delivered > 0);
	e2e_close(t.s, app.udp);
}

static void test_delivers(void **state)
{
	const struct row *row = *state;

	e2e_load(APP_LOAD);
	open_queues(row->zerocopy);
	flood();
	driver_fact("xsk", "%s", row->zerocopy ? "zero-copy" : "copy");
	assert_true(!row->zerocopy || app_stats(app.rx[0]).zerocopy);
	app_close_all();
	e2e_await_links();
	e2e_tool("unload ve0");
	driver_flood(NULL, (struct driver_flood){ 0 });
}

/* Ends the delivery by this command while readers have open sockets. Then every copy comes by UDP. */
static void leave_readers(bool zerocopy, const char *command)
{
	open_queues(zerocopy);
	flood();
	e2e_tool("%s", command);
	driver_flood(NULL, (struct driver_flood){ 0 });
	app_close_all();
	e2e_await_links();
}

/* After the sockets are closed, another filter can be loaded. */
static void test_unload_open(void **state)
{
	const struct row *row = *state;

	e2e_load(APP_LOAD);
	leave_readers(row->zerocopy, "unload ve0");
	e2e_load("load ve0 --fpr 1e-9");
	driver_flood("ve0", (struct driver_flood){ 0 });
}

/* Only this interface leaves the filter, which stays on another one; it can come back. */
static void test_remove_open(void **state)
{
	const struct row *row = *state;

	driver_undo("ip link del other0");
	driver_can("ip link add other0 type veth peer other1");
	e2e_load("load ve0 other0 --name ve0 --fpr 1e-9 --capacity 100k --deliver xsk");
	leave_readers(row->zerocopy, "set ve0 --remove ve0");
	e2e_tool("set ve0 --add ve0");
	driver_flood(NULL, (struct driver_flood){ 0 }); /* no socket takes and learns anything */
	e2e_tool("set ve0 --deliver stack");
	driver_flood("ve0", (struct driver_flood){ 0 });
}

/* Reads until it is killed. */
static void be_driver_reader(const void *row)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (try_queues(((const struct row *)row)->zerocopy))
		_exit(1);
	reader_tell_ready();
	for (;;)
		for (int i = 0; i < app.cnt; i++)
			reader_read(app.rx[i]);
}

/* Kills a reader during a flood, and starts another one; then kills that one, too. Later copies
 * must bring the events that were in the rings of the killed readers. Each event has come to some
 * reader, and at most once to the UDP socket.
 */
static void test_killed(void **state)
{
	const struct row *row = *state;
	struct app_traffic t = app_begin(EVENTS, DRIVER_COPIES);
	uint32_t missing = 0, twice = 0;
	struct reader_ends ends;

	t.s->rate_pps = driver_rate();
	e2e_load(APP_LOAD);
	open_queues(row->zerocopy); /* or the test is skipped */
	app_close_all();
	e2e_await_links();
	reader_begin_counts(EVENTS);
	assert_return_code(gossip_receiver_start(app.udp), EAGAIN);
	for (int part = 0; part < 2; part++) {
		pid_t pid = reader_start(be_driver_reader, row, 0, &ends);

		reader_forget(&ends);
		e2e_await_links();
		app_send(&t, t.cnt / 2);
		reader_kill(pid);
		e2e_await_links();
	}
	/* The events in the rings of the killed readers come again, to the stack. */
	t.at = 0;
	app_send(&t, t.cnt);
	usleep(300000);
	assert_return_code(gossip_receiver_stop(app.udp, 300), EIO);
	for (uint32_t i = 0; i < EVENTS; i++) {
		missing += !readers->copies[i] && !app.udp->copies[i];
		twice += app.udp->copies[i] > 1;
	}
	print_message("# of %u events missing %u, twice to the stack %u\n", EVENTS, missing, twice);
	reader_end_counts();
	assert_int_equal(missing, 0);
	assert_int_equal(twice, 0);
}

int main(void)
{
	add_rows(ROWS, test_delivers, setup, teardown);
	for (size_t i = 0; i < 2; i++) {
		add_test(i ? "xsk-zerocopy-killed" : "xsk-copy-killed", test_killed, setup,
			 teardown, &ROWS[i]);
		add_test(i ? "xsk-zerocopy-unload" : "xsk-copy-unload", test_unload_open, setup,
			 teardown, &ROWS[i]);
		add_test(i ? "xsk-zerocopy-remove" : "xsk-copy-remove", test_remove_open, setup,
			 teardown, &ROWS[i]);
	}
	return run_added_tests("drivers_xsk");
}
