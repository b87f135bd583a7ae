// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Readers that are killed, have no rights, or are closed with packets: each event has come, and
 * what nobody has given back comes again.
 */
#include "open.h"
#include "receive_runner.h"

#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "await.h"
#include "output.h"
#include "reader_process.h"
#include "sockets.h"

#define EVENTS 2000 /* where the number does not matter */
#define KILLS 30    /* with at most 128 ids each there is room for all in the map `wanted` */
#define FLOOD_EVENTS 600000
#define FLOOD_COPIES 3

/* Sends the events of the order once more, and reads them here. */
static void send_again(struct gossip_sender *s, const uint32_t *order, uint32_t cnt)
{
	for (uint32_t at = 0; at < cnt; at += 200) {
		assert_return_code(gossip_send(s, order + at, cnt - at < 200 ? cnt - at : 200), EIO);
		app_read();
	}
}

/* Reads queue 0 of ve0, with so many frames, until it is killed. Its UDP socket is its parent's. */
static void be_reader(const void *frames)
{
	struct xdp_dedup_receiver *rx;
	struct pollfd fd = { .events = POLLIN };
	int err = -EBUSY;

	while (err == -EBUSY &&
	       getppid() != 1) /* a busy kernel is not done with the dead one's socket */
		err = xdp_dedup_receive_open(APP_NAME,
					     app_options("ve0", 0, *(const uint32_t *)frames), &rx);
	if (err)
		_exit(1);
	readers->recovered += app_stats(rx).recovered;
	readers->forgotten += app_stats(rx).forgotten;
	fd.fd = xdp_dedup_receive_fd(rx);
	reader_tell_ready();
	while (getppid() != 1)
		if (reader_read(rx) <= 0)
			poll(&fd, 1, 10);
}

/* Readers are killed and started while a flood goes on. Copies that come later bring what a dead
 * one had in its ring; and what it had read but not given back comes again.
 */
TEST(readers_are_killed)
{
	uint64_t seed = gossip_now_ns(), chance = seed, taken = 0, twice = 0, missing = 0, sent;
	uint32_t *order = gossip_shuffle(FLOOD_EVENTS, FLOOD_COPIES, 20000, seed);
	struct gossip_sender *s = e2e_sender(0, AF_INET, seed);

	assert_non_null(order);
	reader_begin_counts(FLOOD_EVENTS);
	app.udp = e2e_receiver(0, AF_INET, seed, FLOOD_EVENTS);
	e2e_load("load ve0 --fpr 1e-9 --capacity 3M --deliver xsk");
	assert_return_code(gossip_receiver_start(app.udp), EAGAIN);
	assert_return_code(gossip_sender_start(s, order, FLOOD_EVENTS * FLOOD_COPIES), EAGAIN);
	for (int i = 0; i < KILLS; i++) {
		const uint32_t frames = 64 << random_next(&chance) % 2;
		struct reader_ends ends;
		pid_t pid = reader_start(be_reader, &frames, 0, &ends);

		reader_forget(&ends);
		usleep(random_next(&chance) % 30000);
		reader_kill(pid);
		if (random_next(&chance) % 4 == 0)
			usleep(random_next(&chance) % 10000);
	}
	s->stop = true;
	assert_return_code(gossip_sender_wait(s), EIO);
	s->stop = false;
	sent = s->sent;
	e2e_counters_after(APP_NAME, sent);
	assert_return_code(gossip_receiver_stop(app.udp, 50), EIO);
	app_open(app_options("ve0", 0, 0));
	readers->recovered += app_stats(app.rx[0]).recovered;
	readers->forgotten += app_stats(app.rx[0]).forgotten;
	send_again(s, order, sent);
	e2e_counters_after(APP_NAME, 2 * sent);
	app_read();
	for (uint64_t at = 0; at < sent; at++) {
		unsigned int copies = readers->copies[order[at]] + app.udp->copies[order[at]];

		missing += !copies;
		twice += copies > 1;
		taken += readers->copies[order[at]] > 1;
	}
	print_message("# of %lu packets %lu by AF_XDP; %lu were in the rings of %d dead readers, %lu "
		      "came twice, %lu of these by AF_XDP\n",
		      sent, (uint64_t)e2e_counters(APP_NAME).delivered, readers->recovered, KILLS,
		      twice, taken);
	assert_int_equal(gossip_receiver_lost(app.udp), 0);
	assert_int_equal(readers->forgotten, 0);
	assert_true(readers->recovered > 0);
	assert_int_equal(missing, 0);
	assert_true(taken <= KILLS * 16 * FLOOD_COPIES); /* a batch each */
	reader_end_counts();
	free(order);
}

/* Reads until it is told to stop, in a process that is not the one which opened the queue. */
static void be_daemon(const void *unused)
{
	struct xdp_dedup_receiver *rx;

	(void)unused;
	if (xdp_dedup_receive_open(APP_NAME, app_options("ve0", 0, 0), &rx) || fork())
		_exit(0);
	reader_tell_ready();
	while (!READ_ONCE(readers->stop))
		if (reader_read(rx) <= 0)
			usleep(1000);
	xdp_dedup_receive_close(rx);
	WRITE_ONCE(readers->stop, 2);
}

/* The process that reads ve0's queue, as status shows it; 0: none. */
static uint32_t reader_of_queue(void)
{
	struct sockets *sockets;
	struct filter f;
	uint32_t pid;

	assert_int_equal(filter_open(APP_NAME, &f), 0);
	assert_int_equal(sockets_open(&f, &sockets), 0);
	assert_int_equal(sockets->cnt, 1);
	pid = sockets->list[0].is_read ? sockets->list[0].pid : 0;
	sockets_free(sockets);
	filter_close(&f);
	return pid;
}

static bool all_came(void)
{
	for (uint32_t i = 0; i < EVENTS; i++)
		if (!readers->copies[i] && !app.udp->copies[i])
			return false;
	return true;
}

/* As by daemon(3): the child goes on with the receiver, and the one that has opened it is gone. */
TEST(the_opener_forks)
{
	struct app_traffic t = app_begin(EVENTS, 2);
	struct reader_ends ends;
	char byte;
	pid_t pid;

	reader_begin_counts(EVENTS);
	e2e_load(APP_LOAD);
	pid = reader_start(be_daemon, NULL, 0, &ends);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	while (app_send(&t, 50)) {
		gossip_receive(app.udp, 0);
		usleep(2000);
	}
	e2e_counters_after(APP_NAME, t.cnt);
	AWAIT((gossip_receive(app.udp, 0), reader_of_queue() && all_came()));
	assert_true(reader_of_queue() != (uint32_t)pid);
	WRITE_ONCE(readers->stop, 1);
	assert_int_equal(read(ends.ready, &byte, 1), 0); /* it has ended */
	reader_forget(&ends);
	assert_int_equal(readers->stop, 2);
	gossip_receive(app.udp, 0);
	for (uint32_t i = 0; i < EVENTS; i++)
		assert_int_equal(readers->copies[i] + app.udp->copies[i], 1);
	assert_true(e2e_counters(APP_NAME).delivered > EVENTS / 2);
	reader_end_counts();
}

/* Changes of a filter whose reader has given up its rights, and what it returns in the end. */
static const struct change {
	const char *name, *command;
	int then;
} CHANGES[] = {
	{ "without-rights-set", "set ve0 --action count", 0 },
	{ "without-rights-resized", "resize ve0 --capacity 2M", -ESTALE },
	{ "without-rights-turned-off", "set ve0 --deliver stack", -ESTALE },
	{ "without-rights-unloaded", "unload ve0", -ESTALE },
};

/* Opens the queue, gives up its rights, and once it is told reads what there is, until row->then is
 * all that there is.
 */
static void be_without_rights(const void *row)
{
	const int then = ((const struct change *)row)->then;
	struct xdp_dedup_receiver *rx;
	char byte;
	int n = 1;

	if (xdp_dedup_receive_open(APP_NAME, app_options("ve0", 0, 0), &rx))
		_exit(10);
	if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
		_exit(11);
	reader_tell_ready();
	if (read(reader_child.go, &byte, 1) != 1)
		_exit(12);
	for (int ms = 0; ms < PATIENCE_MS && (n > 0 || n != then); ms += n <= 0) {
		n = reader_read(rx);
		if (n <= 0)
			usleep(1000);
	}
	xdp_dedup_receive_close(rx);
	_exit(n == then ? 0 : 13);
}

TEST_ROWS(without_rights, CHANGES)
{
	struct app_traffic t = app_begin(200, 1);
	uint32_t came = 0;
	struct reader_ends ends;
	int status;
	pid_t pid;

	reader_begin_counts(200);
	e2e_load(APP_LOAD);
	pid = reader_start(be_without_rights, row, 0, &ends);
	app_send(&t, 100);
	assert_int_equal(e2e_counters_after(APP_NAME, 100).delivered, 100);
	e2e_tool("%s", row->command);
	if (!row->then) { /* it is fed on */
		app_send(&t, 100);
		e2e_counters_after(APP_NAME, 200);
	}
	assert_int_equal(write(ends.go, "", 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	for (uint32_t i = 0; i < 200; i++)
		came += readers->copies[i];
	assert_int_equal(came, row->then ? 100 : 200);
	reader_forget(&ends);
	reader_end_counts();
}

/* What a receiver that is closed has not handed out, or not got back, comes again. */
TEST(closed_with_packets)
{
	struct app_traffic t = app_begin(300, 2);
	struct xdp_dedup_packet kept[100];
	struct xdp_dedup_receiver *rx;

	e2e_load(APP_LOAD);
	for (uint32_t i = 0; i < 600; i++) /* all, and then all again */
		t.order[i] = i % 300;
	rx = app_open(app_options("ve0", 0, 0));
	app_send(&t, 300);
	e2e_counters_after(APP_NAME, 300);
	assert_int_equal(xdp_dedup_receive(rx, kept, 100), 100);
	app_close(rx);
	rx = app_open(app_options("ve0", 0, 0));
	assert_int_equal(app_stats(rx).recovered, 0); /* it was all wanted by close */
	app_send(&t, 300);
	e2e_counters_after(APP_NAME, 600);
	app_read();
	assert_int_equal(gossip_delivered(app.udp, 1), 300);
}

#define LEFT 400

/* Ways in which nobody can read a queue of ve0 any more, while the filter goes on. */
static const struct leaving {
	const char *name, *command;
	bool container;	    /* the reader has a number that another process has here */
	const char *before; /* done while the reader still runs; its packets come again after that */
} LEAVINGS[] = {
	{ "set-to-the-stack", "set ve0 --deliver stack", false, NULL },
	{ "in-a-container", "set ve0 --deliver stack", true, NULL },
	{ "replaced-by-a-larger-one", "load --replace --name ve0 --capacity 2M --deliver stack",
	  false, NULL },
	{ "interface-removed", "set ve0 --remove ve0", false, NULL },
	{ "replaced-elsewhere", "load --replace --name ve0 ve1", false, NULL },
	{ "interface-unloaded", "unload ve0", false, NULL },
	{ "killed-after-set-to-the-stack", "status ve0", false, "set ve0 --deliver stack" },
	{ "killed-after-interface-removed", "set ve0 --action drop", false, "set ve0 --remove ve0" },
	{ "killed-after-interface-unloaded", "set ve0 --action drop", false, "unload ve0" },
	{ "killed-after-replaced", "status ve0", false, "load --replace --name ve0 --deliver stack" },
};

/* A reader, which takes nothing out of its ring. */
static void be_sleeper(const void *unused)
{
	struct xdp_dedup_receiver *rx;

	(void)unused;
	if (xdp_dedup_receive_open(APP_NAME, app_options("ve0", 0, 512), &rx))
		_exit(1);
	reader_tell_ready();
	for (;;)
		pause();
}

/* What was in the ring of a reader that was killed before comes again, though nobody opens its
 * queue ever after; and its place is free.
 */
TEST_ROWS(what_a_dead_reader_left_comes_again, LEAVINGS)
{
	struct app_traffic t = app_begin(LEFT, 1);
	struct gossip_sender *s = e2e_sender(1, AF_INET, t.s->seed);
	json_object *status, *sockets;
	struct reader_ends ends;
	pid_t pid;

	e2e_load(APP_LOAD_BOTH);
	pid = reader_start(be_sleeper, NULL, row->container ? CLONE_NEWPID : 0, &ends);
	reader_forget(&ends);
	app_send(&t, LEFT);
	assert_int_equal(e2e_counters_after(APP_NAME, LEFT).delivered, LEFT);
	if (row->before)
		e2e_tool("%s", row->before);
	reader_kill(pid);
	if (!row->before)
		e2e_tool("%s", row->command);
	assert_return_code(gossip_send(s, t.order, LEFT), EIO);
	e2e_counters_after(APP_NAME, 2 * LEFT);
	if (row->before)
		e2e_tool("%s", row->command);
	while (app_read())
		;
	assert_int_equal(gossip_delivered(app.udp, 1), LEFT);
	status = tool_status(APP_NAME);
	sockets = member(status, "sockets");
	assert_int_equal(sockets ? json_object_array_length(sockets) : 0, 0);
	json_object_put(status);
}

/* A process that still has the socket when the filter delivers no more reads on. Of a packet that
 * it gives back no copy comes; of one that it keeps, one copy comes.
 */
TEST(a_living_reader_has_its_packets)
{
	struct app_traffic t = app_begin(LEFT, 1);
	struct gossip_sender *s = e2e_sender(1, AF_INET, t.s->seed);
	struct xdp_dedup_packet packets[LEFT];
	struct xdp_dedup_receiver *rx;

	e2e_load(APP_LOAD_BOTH);
	rx = app_open(app_options("ve0", 0, 512));
	app_send(&t, LEFT);
	assert_int_equal(e2e_counters_after(APP_NAME, LEFT).delivered, LEFT);
	assert_int_equal(xdp_dedup_receive(rx, packets, 100), 100);
	e2e_tool("set ve0 --deliver stack");
	assert_int_equal(app_wanted(), LEFT);
	xdp_dedup_give_back(rx, packets, 100);
	assert_int_equal(app_wanted(), LEFT - 100);
	assert_int_equal(xdp_dedup_receive(rx, packets, LEFT), LEFT - 100);
	assert_int_equal(app_wanted(), LEFT - 100);
	xdp_dedup_give_back(rx, packets, LEFT - 130);
	assert_int_equal(app_wanted(), 30);
	assert_int_equal(xdp_dedup_receive(rx, packets, LEFT), -ESTALE);
	app_close(rx);
	assert_return_code(gossip_send(s, t.order, LEFT), EIO);
	assert_int_equal(e2e_counters_after(APP_NAME, 2 * LEFT).duplicate, LEFT - 30);
}

ROOT_MAIN(app_setup, app_teardown)
