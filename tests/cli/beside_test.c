// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Beside another XDP program, in libxdp's dispatcher: where the kernel lets it run. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "e2e_runner.h"
#include "links.h"
#include "neighbour.h"
#include "packet.h"
#include "udp.h"

#define BEFORE_US 10
#define AFTER_US 90

/* Our counters and what it has seen, with no packet in between: the link's ends talk too. */
static struct filter_counters both_counted(const struct neighbour_run *n, uint64_t *it_saw)
{
	struct filter_counters c;

	do {
		c = e2e_counters("ve0");
		*it_saw = neighbour_seen(n);
	} while (e2e_counters("ve0").rx != c.rx);
	return c;
}

static void need_dispatcher(void)
{
	if (!neighbour_has_dispatcher("ve0"))
		skip();
}

static void assert_beside(const char *name)
{
	char out[4096];

	assert_int_equal(sh_out(out, sizeof(out), "%s status %s", tool(), name), 0);
	assert_non_null(strstr(out, "ve0 (native, through the dispatcher)"));
}

/* We come second, it sees every copy. */
static void after_a_neighbour(void **state)
{
	struct neighbour_run n;
	struct filter_counters c;

	(void)state;
	need_dispatcher();
	neighbour_move_in(&n, "ve0", BEFORE_US);
	e2e_load("load ve0 --fpr 1e-9");
	assert_beside("ve0");
	e2e_assert_works(0);
	c = e2e_counters("ve0");
	assert_true(c.duplicate > 0 && neighbour_seen(&n) >= c.new + c.duplicate);
	e2e_tool("unload ve0");
	e2e_assert_unfiltered(0);
	neighbour_move_out(&n);
}

/* It comes after us: duplicates never reach it, fresh events do. */
static void before_a_neighbour(void **state)
{
	struct filter_counters before, after;
	struct neighbour_run n;
	uint64_t seen_before, seen_after;

	(void)state;
	need_dispatcher();
	e2e_load("load ve0 --fpr 1e-9");
	e2e_assert_works(0);
	neighbour_move_in(&n, "ve0", AFTER_US);
	assert_beside("ve0");
	before = both_counted(&n, &seen_before);
	e2e_assert_works(0);
	after = both_counted(&n, &seen_after);
	assert_true(after.duplicate > before.duplicate);
	assert_int_equal(seen_after - seen_before,
			 (after.rx - before.rx) - (after.dropped - before.dropped));
	neighbour_move_out(&n);
	e2e_assert_works(0);
	e2e_tool("unload ve0");
	e2e_assert_unfiltered(0);
}

/* One filter in the dispatchers of two interfaces, with a neighbour on one. */
static void on_two_interfaces(void **state)
{
	struct neighbour_run n;

	(void)state;
	need_dispatcher();
	neighbour_move_in(&n, "ve0", BEFORE_US);
	e2e_load("load ve0 ve1 --fpr 1e-9");
	assert_beside("ve0");
	e2e_assert_works(0);
	e2e_assert_works(1);
	e2e_tool("unload ve0");
	e2e_assert_unfiltered(0);
	e2e_assert_works(1);
	e2e_tool("unload ve1");
	e2e_assert_unfiltered(1);
	neighbour_move_out(&n);
}

static void assert_told(const char *id, int status, const char *what)
{
	char out[256];

	assert_int_equal(sh_out(out, sizeof(out), "%s test ve0 %s", tool(), id), status);
	assert_non_null(strstr(out, what));
}

/* A fresh datagram of more than two buffers, in several copies, of which one arrives. */
static void send_jumbo_frames(int copies)
{
	struct frame_plan plan = { .body = 8400 };
	int fd, near = udp_receiver("10.77.0.1", e2e_port());
	struct id id = id_fresh();
	char bytes[FRAME_MAX];
	struct frame f;
	ssize_t len;

	frame_build(&f, &plan, &id);
	len = f.len - f.gsp;
	netns_enter(e2e_far());
	fd = udp_sender("10.77.0.1", e2e_port(), NULL);
	netns_enter(0);
	assert_return_code(near, -near);
	assert_return_code(fd, -fd);
	for (int i = 0; i < copies; i++)
		assert_int_equal(send(fd, f.data + f.gsp, len, 0), len);
	assert_int_equal(recv(near, bytes, sizeof(bytes), 0), len);
	assert_memory_equal(bytes, f.data + f.gsp, len);
	close(fd);
	close(near);
}

/* With a dispatcher or without. */
static void jumbo_frames_take_native_xdp(void **state)
{
	const char *how = neighbour_has_dispatcher("ve0") ? "ve0 (native, through the dispatcher)"
							  : "ve0 (native, alone)";
	struct filter_counters c;
	char out[4096];

	(void)state;
	sh("ip link set ve0 mtu 9000");
	e2e_far_sh("ip link set pe0 mtu 9000");
	e2e_load("load ve0 --fpr 1e-9");
	for (int round = 1; round <= 2; round++) {
		assert_int_equal(sh_out(out, sizeof(out), "%s status ve0", tool()), 0);
		assert_non_null(strstr(out, how));
		send_jumbo_frames(3);
		c = e2e_counters_after("ve0", 3 * round);
		assert_int_equal(c.new, round);
		assert_int_equal(c.duplicate, 2 * round);
		e2e_tool("set ve0 --ihave pass");
	}
}

/* The hand runs there too: forgotten after two turns. */
static void hand_turns_in_a_dispatcher(void **state)
{
	static const char ID[] = "11223344556677889900aabbccddeeff11223344556677889900aabbccddeeff";

	(void)state;
	need_dispatcher();
	e2e_load("load ve0");
	e2e_tool("add ve0 %s", ID);
	e2e_tool("rotate ve0");
	assert_told(ID, 0, " known");
	e2e_tool("rotate ve0");
	assert_told(ID, 3, " unknown");
	e2e_tool("unload ve0");
}

/* What links_run_xdp() says of a program that runs nowhere: not even root may look at PID 1 from
 * everywhere.
 */
static int nowhere(void)
{
	char text[64];

	return readlink("/proc/1/ns/net", text, sizeof(text)) < 0 ? -EXDEV : 0;
}

/* Other tests' namespaces end meanwhile, and their tools look for programs everywhere, too: a
 * search may find what they hold for a moment, or not come to an end.
 */
static void await_answer(int (*search)(uint32_t), uint32_t prog_id, int is)
{
	int found = search(prog_id);

	for (int ms = 0; ms < PATIENCE_MS && found != is; ms += 20) {
		usleep(20000);
		found = search(prog_id);
	}
	assert_int_equal(found, is);
}

/* With a dispatcher or without. */
static void program_is_found_where_its_interface_moves(void **state)
{
	pid_t other = netns_start();
	struct neighbour_run n;
	uint32_t id = 0;

	(void)state;
	await_answer(links_run_xdp, UINT32_MAX, nowhere());
	neighbour_move_in(&n, "ve0", BEFORE_US);
	assert_int_equal(bpf_xdp_query_id(n.ifindex, 0, &id), 0);
	await_answer(links_run_xdp, id, 1);
	sh("ip link set ve0 netns %d", other);
	await_answer(links_run_xdp, id, 1);
	netns_enter(other);
	sh("ip link del ve0");
	netns_enter(0);
	await_answer(links_run_xdp, id, nowhere());
	neighbour_move_out(&n);
	netns_stop(other);
}

/* Whoever asks another namespace for links whose peers are here gives this one an id here. */
static void program_that_runs_here_is_not_elsewhere(void **state)
{
	struct neighbour_run n;
	uint32_t id = 0;

	(void)state;
	neighbour_move_in(&n, "ve0", BEFORE_US);
	assert_int_equal(bpf_xdp_query_id(n.ifindex, 0, &id), 0);
	for (int i = 0; i < 2; i++)
		await_answer(links_run_xdp_elsewhere, id, nowhere());
	await_answer(links_run_xdp, id, 1);
	neighbour_move_out(&n);
}

/* Runs a program on w0, and moves it by another namespace, which then ends, to this one. No other
 * one knows it by an id: wherever one end is, is known where the other is, so both move together.
 */
static uint32_t move_twice(struct neighbour_run *n, pid_t last)
{
	pid_t between = netns_start();
	uint32_t id = 0;

	sh("ip link add w0 type veth peer name w1");
	neighbour_move_in(n, "w0", BEFORE_US);
	assert_int_equal(bpf_xdp_query_id(n->ifindex, 0, &id), 0);
	sh("ip link set w0 netns %d && ip link set w1 netns %d", between, between);
	netns_enter(between);
	sh("ip link set w0 netns %d && ip link set w1 netns %d", last, last);
	netns_enter(0);
	netns_stop(between);
	return id;
}

static void program_is_found_two_moves_away(void **state)
{
	pid_t last = netns_start();
	struct neighbour_run n;
	uint32_t id = move_twice(&n, last);

	(void)state;
	await_answer(links_run_xdp, id, 1);
	netns_enter(last);
	sh("ip link del w0");
	netns_enter(0);
	await_answer(links_run_xdp, id, nowhere());
	neighbour_move_out(&n);
	netns_stop(last);
}

static int open_netns(pid_t holder)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", holder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_return_code(fd, errno);
	return fd;
}

/* Held by a mount alone, by an open file alone, and by nothing: gone, within seconds. */
static void program_is_found_where_no_process_is(void **state)
{
	pid_t last = netns_start();
	struct neighbour_run n;
	uint32_t id = move_twice(&n, last);
	int fd;

	(void)state;
	sh("mount -t tmpfs tmpfs /mnt && touch '/mnt/a \\b' && "
	   "mount --bind /proc/%d/ns/net '/mnt/a \\b'",
	   last);
	fd = open_netns(last);
	netns_stop(last);
	close(fd);
	await_answer(links_run_xdp, id, 1);
	sh("mount -t tmpfs tmpfs /mnt"); /* where nobody gets at it */
	await_answer(links_run_xdp, id, -EXDEV);
	sh("umount -l /mnt");
	fd = open("/mnt/a \\b", O_RDONLY | O_CLOEXEC);
	assert_return_code(fd, errno);
	sh("umount -l '/mnt/a \\b' && umount -l /mnt");
	await_answer(links_run_xdp, id, 1);
	close(fd);
	await_answer(links_run_xdp, id, nowhere());
	neighbour_move_out(&n);
}

/* The others may be anywhere. */
static void inner_pid_namespace_cannot_tell(void **state)
{
	pid_t child = fork(), inner;
	int status;

	(void)state;
	if (!child) {
		inner = unshare(CLONE_NEWPID) ? -1 : fork();
		if (!inner)
			_exit(links_run_xdp(UINT32_MAX) != -EXDEV);
		_exit(inner < 0 || waitpid(inner, &status, 0) != inner || status);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

#define E2E_TEST(f) cmocka_unit_test_setup_teardown(f, e2e_setup, e2e_teardown)

int main(void)
{
	static struct CMUnitTest tests[] = {
		E2E_TEST(after_a_neighbour),
		E2E_TEST(before_a_neighbour),
		E2E_TEST(on_two_interfaces),
		E2E_TEST(jumbo_frames_take_native_xdp),
		E2E_TEST(hand_turns_in_a_dispatcher),
		E2E_TEST(program_is_found_where_its_interface_moves),
		E2E_TEST(program_that_runs_here_is_not_elsewhere),
		cmocka_unit_test(program_is_found_two_moves_away),
		cmocka_unit_test(program_is_found_where_no_process_is),
		cmocka_unit_test(inner_pid_namespace_cannot_tell),
	};

	return run_root_tests("beside", tests, ARRAY_SIZE(tests));
}
