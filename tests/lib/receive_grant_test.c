// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Queues that are granted: a process without any right receives from one, until the filter is changed.
 */
#include "receive_runner.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/if_xdp.h>
#include <net/if.h>

#include "queue_grant.h"
#include "packet.h"
#include "wanted.h"
#include "xdp-dedup.h"

#define NOBODY 65534
#define EVENTS 400

/* What holders have read, in memory that outlives them. */
static uint8_t *had;

static int setup(void **state)
{
	had = mmap(NULL, 5000, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return had == MAP_FAILED || app_setup(state);
}

static int teardown(void **state)
{
	munmap(had, 5000);
	return app_teardown(state);
}

/* In a holder: what must hold, or it says where it did not, and ends. */
#define MUST(what)                                                     \
	do {                                                           \
		if (!(what)) {                                         \
			print_error("line %d: " #what "\n", __LINE__); \
			_exit(1);                                      \
		}                                                      \
	} while (0)

/* Runs f(from, ready) in a process without rights, to which the queue of ve0 is granted, until it
 * has written a byte to `ready`, or has ended.
 */
static pid_t start_holder(void (*f)(int from, int ready))
{
	int from = app_grant(), ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_return_code(pid, errno);
	if (!pid) {
		MUST(!setgroups(0, NULL) && !setgid(NOBODY) && !setuid(NOBODY));
		f(from, ready[1]);
		_exit(0);
	}
	close(from);
	close(ready[1]);
	assert_return_code(read(ready[0], &byte, 1), errno);
	close(ready[0]);
	return pid;
}

static void end_holder(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Reads until the filter is changed. */
static void be_holder(int from, int ready)
{
	struct xdp_dedup_packet packets[16];
	struct xdp_dedup_receiver *rx;

	MUST(xdp_dedup_receive_open(APP_NAME, app_options("ve0", 0, 0), &rx) < 0); /* no rights */
	MUST(!xdp_dedup_receive_accept(from, app_options(NULL, 0, 0), &rx));
	MUST(write(ready, "", 1) == 1);
	for (int n = 0; n != -ESTALE; usleep(1000)) {
		while ((n = xdp_dedup_receive(rx, packets, 16)) > 0) {
			for (int i = 0; i < n; i++) {
				struct gossip_packet g;

				memcpy(&g, packets[i].payload, sizeof(g));
				had[g.index]++;
			}
			xdp_dedup_give_back(rx, packets, n);
		}
		MUST(!n || n == -ESTALE);
	}
	xdp_dedup_receive_close(rx);
}

static void a_queue_is_granted(void **state)
{
	struct app_traffic t = app_begin(5000, 3);
	pid_t pid;

	(void)state;
	e2e_load(APP_LOAD);
	e2e_tool("set ve0 --action count"); /* a filter that has been changed is granted as well */
	e2e_tool("set ve0 --action drop");
	pid = start_holder(be_holder);
	while (app_send(&t, 100))
		gossip_receive(app.udp, 0);
	e2e_counters_after(APP_NAME, t.cnt);
	e2e_tool("set ve0 --action count"); /* ends what was granted */
	end_holder(pid);
	gossip_receive(app.udp, 0);
	for (uint32_t i = 0; i < t.events; i++)
		assert_int_equal(had[i] + app.udp->copies[i], 1);
	assert_true(e2e_counters(APP_NAME).delivered > 0);
	free(t.order);
}

static void use_socket_otherwise(int from, int ready)
{
	struct sockaddr_xdp address = { .sxdp_family = AF_XDP, .sxdp_flags = XDP_USE_NEED_WAKEUP };
	uint32_t entries = 64;
	struct queue_grant l;
	int fd;

	(void)ready;
	MUST(!queue_grant_receive(from, &l));
	fd = l.xsk.fd;
	MUST(setsockopt(fd, SOL_XDP, XDP_TX_RING, &entries, sizeof(entries)));
	MUST(setsockopt(fd, SOL_XDP, XDP_RX_RING, &entries, sizeof(entries)));
	MUST(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, XDP_PGOFF_TX_RING) == MAP_FAILED);
	MUST(send(fd, "", 1, MSG_DONTWAIT) < 0);
	MUST(send(fd, NULL, 0, MSG_DONTWAIT) < 0);
	for (int i = 0; i < 2; i++) {
		address.sxdp_ifindex = if_nametoindex(i ? "ve1" : "ve0");
		MUST(bind(fd, (struct sockaddr *)&address, sizeof(address)));
	}
}

/* It cannot be bound elsewhere, and cannot send. */
static void a_granted_socket_only_receives(void **state)
{
	(void)state;
	e2e_load(APP_LOAD);
	end_holder(start_holder(use_socket_otherwise));
}

/* Its queue is taken, though nobody has accepted it yet; and packets go to the stack, whatever the
 * last reader had granted.
 */
static void a_granted_queue_waits_for_its_holder(void **state)
{
	struct app_traffic t = app_begin(EVENTS, 2);
	struct xdp_dedup_receiver *rx;
	int from, status;
	pid_t pid;

	(void)state;
	e2e_load(APP_LOAD);
	pid = fork();
	assert_return_code(pid, errno);
	if (!pid)
		_exit(xdp_dedup_receive_open(APP_NAME, app_options("ve0", 0, 0), &rx) != 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	from = app_grant();
	assert_int_equal(xdp_dedup_receive_open(APP_NAME, app_options("ve0", 0, 0), &rx), -EBUSY);
	while (app_send(&t, 100))
		app_read();
	assert_int_equal(app_end(&t).no_room, EVENTS);
	close(from);
	app_open(app_options("ve0", 0, 0)); /* it never was accepted */
}

/* Reads until so many broken packets have come. */
static uint32_t broken;
static void get_broken_ones(int from, int ready)
{
	struct xdp_dedup_receive_options *o = app_options(NULL, 0, 0);
	struct xdp_dedup_receiver *rx;
	struct xdp_dedup_packet p;

	o->unfinished = false;
	MUST(!xdp_dedup_receive_accept(from, o, &rx));
	MUST(write(ready, "", 1) == 1);
	for (int ms = 0; ms < PATIENCE_MS && app_stats(rx).unfinished < broken; ms++) {
		/* One in 65,536 sums is right by chance. */
		if (xdp_dedup_receive(rx, &p, 1) == 1)
			xdp_dedup_give_back(rx, &p, 1);
		usleep(1000);
	}
	MUST(app_stats(rx).unfinished >= broken);
	MUST(!app_stats(rx).forgotten);
}

/* What a holder does not hand out is wanted: the next copy comes. */
static void a_holder_wants_what_is_broken(void **state)
{
	struct app_traffic t = app_begin(1, 2);
	pid_t pid;

	(void)state;
	e2e_load(APP_LOAD);
	broken = 1;
	pid = start_holder(get_broken_ones);
	app_send(&t, 1);
	end_holder(pid);
	app_send(&t, 1);
	e2e_counters_after(APP_NAME, 2);
	gossip_receive(app.udp, 0);
	assert_int_equal(gossip_delivered(app.udp, 1), 1);
	free(t.order);
}

/* A holder's broken packets leave room for other ids, too. Packets come until the holder has
 * read enough of them: of a slow machine's the ring takes few, and the rest go to the stack.
 */
static void a_holders_broken_packets_leave_room(void **state)
{
	struct app_traffic t = app_begin(400000, 1);
	struct xdp_dedup_filter *filter;
	int status = -1;
	struct id id;
	pid_t pid;

	(void)state;
	e2e_load("load ve0 --fpr 1e-9 --capacity 1M --deliver xsk"); /* also if it takes all */
	broken = DEDUP_WANTED_MAX + 100;
	pid = start_holder(get_broken_ones);
	for (uint32_t i = 0; i < t.cnt && !waitpid(pid, &status, WNOHANG); i += 100) {
		app_send(&t, 100);
		usleep(10000);
	}
	if (status == -1)
		waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(xdp_dedup_open(APP_NAME, &filter), 0);
	id = id_fresh();
	assert_int_equal(xdp_dedup_add(filter, id.bytes, sizeof(id.bytes)), 0);
	assert_int_equal(xdp_dedup_want(filter, id.bytes, sizeof(id.bytes)), 1);
	xdp_dedup_close(filter);
	free(t.order);
}

/* What a holder closes without having read it is wanted, too. */
static void close_unread(int from, int ready)
{
	struct xdp_dedup_receiver *rx;

	MUST(!xdp_dedup_receive_accept(from, app_options(NULL, 0, 0), &rx));
	MUST(write(ready, "", 1) == 1);
	MUST(!raise(SIGSTOP));
	xdp_dedup_receive_close(rx);
}

static void a_holder_closes_unread(void **state)
{
	struct app_traffic t = app_begin(EVENTS, 2);
	int status;
	pid_t pid;

	(void)state;
	for (uint32_t i = 0; i < t.cnt; i++)
		t.order[i] = i % EVENTS;
	e2e_load(APP_LOAD);
	pid = start_holder(close_unread);
	app_send(&t, EVENTS);
	e2e_counters_after(APP_NAME, EVENTS);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	kill(pid, SIGCONT);
	end_holder(pid);
	assert_int_equal(e2e_counters(APP_NAME).delivered, EVENTS);
	app_send(&t, EVENTS);
	e2e_counters_after(APP_NAME, t.cnt);
	gossip_receive(app.udp, 0);
	assert_int_equal(gossip_delivered(app.udp, 1), EVENTS);
	free(t.order);
}

/* A hand of --window 10m that stands still is taken for gone after 2 s. */
#define AT_ONCE_MS 1000

/* Changes of the filter, after which a holder finds what was in its ring, and then -ESTALE. */
static const struct change {
	const char *name, *command;
} CHANGES[] = {
	{ "the-ring-comes-first-set", "set ve0 --action count" },
	{ "the-ring-comes-first-resized", "resize ve0 --capacity 2M" },
	{ "the-ring-comes-first-replaced", "load --replace --name ve0" },
	{ "the-ring-comes-first-turned-off", "set ve0 --deliver stack" },
	{ "the-ring-comes-first-unloaded", "unload --name ve0" },
	{ "the-ring-comes-first-interface-leaves", "unload ve0" },
};

/* What a receiver says in the end, within AT_ONCE_MS; it gets no packets. */
static int ends_with(struct xdp_dedup_receiver *rx)
{
	struct xdp_dedup_packet p;
	int n = 0;

	for (int ms = 0; ms < AT_ONCE_MS && !n; ms++, usleep(1000))
		n = xdp_dedup_receive(rx, &p, 1);
	return n;
}

static void the_ring_comes_first(void **state)
{
	const struct change *row = *state;
	struct app_traffic t = app_begin(EVENTS, 1);
	struct xdp_dedup_receiver *rx;
	struct xdp_dedup_packet packets[EVENTS];

	e2e_load("load ve0 ve1 --name ve0 --fpr 1e-9 --capacity 100k --deliver xsk");
	rx = app_accept(app_options("ve0", 0, 0));
	app_send(&t, EVENTS);
	assert_int_equal(e2e_counters_after(APP_NAME, EVENTS).delivered, EVENTS);
	e2e_tool("%s", row->command);
	for (uint32_t at = 0, cnt = 1; at < EVENTS; at += cnt, cnt = at < 10 ? 1 : EVENTS - 10) {
		assert_int_equal(xdp_dedup_receive(rx, packets, cnt), cnt);
		xdp_dedup_give_back(rx, packets, cnt);
	}
	assert_int_equal(ends_with(rx), -ESTALE);
	assert_int_equal(app_wanted(), 0); /* what was wanted meanwhile has been given back */
	app_close(rx);
	free(t.order);
}

/* From another network namespace, by which the filter's record of its interfaces stays as it is. */
static void an_unload_elsewhere_ends_it_at_once(void **state)
{
	struct xdp_dedup_receiver *rx;

	(void)state;
	e2e_load("load ve0 ve1 --name ve0 --capacity 100k --deliver xsk");
	app_open(app_options("ve1", 0, 0));
	rx = app_accept(app_options("ve0", 0, 0));
	netns_enter(e2e_far());
	e2e_tool("unload --name ve0 --force");
	netns_enter(0);
	assert_int_equal(ends_with(rx), -ESTALE);
	assert_int_equal(ends_with(app.rx[0]), -ESTALE);
}

/* The granting and the accepting process each set how many frames a packet may have: the smaller
 * number counts.
 */
static void a_holder_takes_smaller_packets(void **state)
{
	struct xdp_dedup_receive_options *o = app_options("ve0", 0, 0);
	struct xdp_dedup_receiver *rx;
	uint32_t most;

	(void)state;
	e2e_load(APP_LOAD);
	o->frames_a_packet = 4;
	rx = app_open(o);
	most = app_stats(rx).frames_a_packet; /* of this kernel */
	app_close(rx);
	for (uint32_t granted = 1; granted <= 4; granted += 3)
		for (uint32_t accepted = 1; accepted <= 4; accepted++) {
			uint32_t least = granted < accepted ? granted : accepted;
			int from;

			o->frames_a_packet = granted;
			from = app_grant_by(o);
			o->frames_a_packet = accepted;
			assert_int_equal(xdp_dedup_receive_accept(from, o, &rx), 0);
			close(from);
			assert_int_equal(app_stats(rx).frames_a_packet, least < most ? least : most);
			xdp_dedup_receive_close(rx);
		}
}

/* What a holder cannot want any more is wanted by whoever opens the queue next. */
static void what_is_left_after_a_change(void **state)
{
	struct app_traffic t = app_begin(EVENTS, 1);
	struct xdp_dedup_receiver *rx;

	(void)state;
	e2e_load(APP_LOAD);
	rx = app_accept(app_options("ve0", 0, 0));
	app_send(&t, EVENTS);
	assert_int_equal(e2e_counters_after(APP_NAME, EVENTS).delivered, EVENTS);
	e2e_tool("resize ve0 --capacity 2M");
	app_close(rx);
	rx = app_open(app_options("ve0", 0, 0));
	assert_int_equal(app_stats(rx).recovered, EVENTS);
	free(t.order);
}

static void what_cannot_be_granted(void **state)
{
	int err;

	(void)state;
	e2e_load(APP_LOAD);
	assert_int_equal(xdp_dedup_receive_grant("none", NULL, -1), -ENOENT);
	assert_int_equal(xdp_dedup_receive_grant(APP_NAME, app_options("ve1", 0, 0), -1), -ENODEV);
	assert_int_equal(xdp_dedup_receive_grant(APP_NAME, app_options("ve0", 99, 0), -1), -EINVAL);
	err = xdp_dedup_receive_grant(APP_NAME, NULL, -1);
	assert_true(err == -EBADF || err == -EOPNOTSUPP); /* before Linux 6.4 */
	app_open(app_options("ve0", 0, 0));		  /* the queue is free */
}

static void give_up_bpf(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2];

	MUST(!syscall(SYS_capget, &head, caps));
	caps[0].effective = caps[0].permitted &= ~(1U << CAP_SYS_ADMIN);
	caps[1].effective = caps[1].permitted &= ~(1U << (CAP_BPF - 32));
	MUST(!syscall(SYS_capset, &head, caps));
}

/* A process that may not load programs cannot grant, and gets an error alone. */
static void granting_prints_nothing(void **state)
{
	int out[2], status;
	char said[512];
	pid_t pid;

	(void)state;
	e2e_load(APP_LOAD);
	assert_int_equal(pipe(out), 0);
	pid = fork();
	assert_return_code(pid, errno);
	if (!pid) {
		int err;

		give_up_bpf();
		dup2(out[1], STDERR_FILENO);
		err = xdp_dedup_receive_grant(APP_NAME, NULL, out[1]);
		_exit(err != -EPERM && err != -EOPNOTSUPP);
	}
	close(out[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(read(out[0], said, sizeof(said)), 0);
	close(out[0]);
}

int main(void)
{
	static const struct CMUnitTest TESTS[] = {
		cmocka_unit_test_setup_teardown(a_queue_is_granted, setup, teardown),
		cmocka_unit_test_setup_teardown(a_granted_socket_only_receives, setup, teardown),
		cmocka_unit_test_setup_teardown(a_granted_queue_waits_for_its_holder, setup, teardown),
		cmocka_unit_test_setup_teardown(a_holder_wants_what_is_broken, setup, teardown),
		cmocka_unit_test_setup_teardown(a_holders_broken_packets_leave_room, setup, teardown),
		cmocka_unit_test_setup_teardown(a_holder_closes_unread, setup, teardown),
		cmocka_unit_test_setup_teardown(a_holder_takes_smaller_packets, setup, teardown),
		cmocka_unit_test_setup_teardown(an_unload_elsewhere_ends_it_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_left_after_a_change, setup, teardown),
		cmocka_unit_test_setup_teardown(what_cannot_be_granted, setup, teardown),
		cmocka_unit_test_setup_teardown(granting_prints_nothing, setup, teardown),
	};

	add_tests(TESTS, ARRAY_SIZE(TESTS));
	add_rows(CHANGES, the_ring_comes_first, setup, teardown);
	return run_added_tests("receive_grant");
}
