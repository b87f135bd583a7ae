// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* --share: by libxdp, beside another XDP program in its dispatcher where the kernel lets it run. */

#include "e2e_runner.h"
#include "packet.h"
#include "udp.h"

#include <net/if.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <xdp/libxdp.h>

#include "neighbour.skel.h"

#define BEFORE_US 10
#define AFTER_US 90

/* Another XDP program, neighbour.bpf.c, on an interface of the filter, in libxdp's dispatcher; ours
 * has priority 50.
 */
struct neighbour_run {
	struct neighbour *skel;
	struct xdp_program *prog;
	int ifindex;
};

static int quiet(enum libxdp_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

static void move_in(struct neighbour_run *n, const char *ifname, unsigned int priority)
{
	DECLARE_LIBXDP_OPTS(xdp_program_opts, opts, .prog_name = "neighbour");

	libxdp_set_print(quiet);
	libbpf_set_print(NULL);
	n->ifindex = if_nametoindex(ifname);
	n->skel = neighbour__open();
	assert_non_null(n->skel);
	opts.obj = n->skel->obj;
	n->prog = xdp_program__create(&opts);
	assert_int_equal(libxdp_get_error(n->prog), 0);
	assert_int_equal(xdp_program__set_run_prio(n->prog, priority), 0);
	assert_int_equal(xdp_program__attach(n->prog, n->ifindex, XDP_MODE_NATIVE, 0), 0);
}

static void move_out(struct neighbour_run *n)
{
	if (n->prog) {
		xdp_program__detach(n->prog, n->ifindex, XDP_MODE_NATIVE, 0);
		xdp_program__close(n->prog);
	}
	neighbour__destroy(n->skel);
	*n = (struct neighbour_run){ 0 };
}

static uint64_t seen_by(const struct neighbour_run *n)
{
	uint64_t value = 0;
	__u32 key = 0;

	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(n->skel->maps.bss), &key, &value), 0);
	return value;
}

/* Our counters and what it has seen, with no packet in between: the link's ends talk too. */
static struct filter_counters both_counted(const struct neighbour_run *n, uint64_t *it_saw)
{
	struct filter_counters c;

	do {
		c = e2e_counters("ve0");
		*it_saw = seen_by(n);
	} while (e2e_counters("ve0").rx != c.rx);
	return c;
}

/* Without libxdp's dispatcher a program is attached alone. */
static void need_dispatcher(void)
{
	struct neighbour_run n;
	struct xdp_multiprog *mp;
	bool alone;

	move_in(&n, "ve0", BEFORE_US);
	mp = xdp_multiprog__get_from_ifindex(n.ifindex);
	assert_int_equal(libxdp_get_error(mp), 0);
	alone = xdp_multiprog__is_legacy(mp);
	xdp_multiprog__close(mp);
	move_out(&n);
	if (alone)
		skip();
}

static void assert_beside(const char *name)
{
	char out[4096];

	assert_int_equal(sh_out(out, sizeof(out), "%s status %s", tool(), name), 0);
	assert_non_null(strstr(out, "ve0 (native, shared)"));
}

/* Neither a filter, nor a dispatcher, nor a program on an interface. */
static void assert_nothing_left(void)
{
	sh("[ -z \"$(ls /sys/fs/bpf/xdp-dedup; ls -d /sys/fs/bpf/xdp/dispatch-* 2>/dev/null)\" ]\n"
	   "for i in ve0 ve1; do if ip link show $i | grep xdp; then exit 1; fi; done");
}

/* We come second, it sees every copy. */
TEST(after_a_neighbour)
{
	struct neighbour_run n;
	struct filter_counters c;

	need_dispatcher();
	move_in(&n, "ve0", BEFORE_US);
	e2e_load("load ve0 --share --fpr 1e-9");
	assert_beside("ve0");
	e2e_assert_works(0);
	c = e2e_counters("ve0");
	assert_true(c.duplicate > 0 && seen_by(&n) >= c.new + c.duplicate);
	e2e_tool("unload ve0");
	e2e_assert_unfiltered(0);
	move_out(&n);
	assert_nothing_left();
}

/* It comes after us: duplicates never reach it, fresh events do. */
TEST(before_a_neighbour)
{
	struct filter_counters before, after;
	struct neighbour_run n;
	uint64_t seen_before, seen_after;

	need_dispatcher();
	e2e_load("load ve0 --share --fpr 1e-9");
	e2e_assert_works(0);
	move_in(&n, "ve0", AFTER_US);
	assert_beside("ve0");
	before = both_counted(&n, &seen_before);
	e2e_assert_works(0);
	after = both_counted(&n, &seen_after);
	assert_true(after.duplicate > before.duplicate);
	assert_int_equal(seen_after - seen_before,
			 (after.rx - before.rx) - (after.dropped - before.dropped));
	move_out(&n);
	e2e_assert_works(0);
	e2e_tool("unload ve0");
	e2e_assert_unfiltered(0);
	assert_nothing_left();
}

/* One filter in the dispatchers of two interfaces, with a neighbour on one. */
TEST(on_two_interfaces)
{
	struct neighbour_run n;

	need_dispatcher();
	move_in(&n, "ve0", BEFORE_US);
	e2e_load("load ve0 ve1 --share --fpr 1e-9");
	assert_beside("ve0");
	e2e_assert_works(0);
	e2e_assert_works(1);
	e2e_tool("unload ve0");
	e2e_assert_unfiltered(0);
	e2e_assert_works(1);
	e2e_tool("unload ve1");
	e2e_assert_unfiltered(1);
	move_out(&n);
	assert_nothing_left();
}

static void assert_told(const char *name, const char *id, int status, const char *what)
{
	char out[256];

	assert_int_equal(sh_out(out, sizeof(out), "%s test %s %s", tool(), name, id), status);
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

TEST(jumbo_frames_take_native_xdp)
{
	struct filter_counters c;
	char out[4096];

	sh("ip link set ve0 mtu 9000");
	e2e_far_sh("ip link set pe0 mtu 9000");
	e2e_load("load ve0 --fpr 1e-9");
	for (int round = 1; round <= 2; round++) {
		assert_int_equal(sh_out(out, sizeof(out), "%s status ve0", tool()), 0);
		assert_non_null(strstr(out, "ve0 (native)"));
		send_jumbo_frames(3);
		c = e2e_counters_after("ve0", 3 * round);
		assert_int_equal(c.new, round);
		assert_int_equal(c.duplicate, 2 * round);
		e2e_tool("set ve0 --ihave pass");
	}
}

/* The hand runs there too: forgotten after two turns. */
TEST(hand_turns_in_a_dispatcher)
{
	static const char ID[] = "11223344556677889900aabbccddeeff11223344556677889900aabbccddeeff";

	need_dispatcher();
	e2e_load("load ve0 --share");
	e2e_tool("add ve0 %s", ID);
	e2e_tool("rotate ve0");
	assert_told("ve0", ID, 0, " known");
	e2e_tool("rotate ve0");
	assert_told("ve0", ID, 3, " unknown");
	e2e_tool("unload ve0");
}

/* Where the kernel refuses the dispatcher, libxdp attaches the filter alone. A change detaches it,
 * then attaches it: no id is forgotten.
 */
TEST(changes_of_a_shared_filter)
{
	static const char *const CHANGES[] = {
		"set both --ihave pass", "resize both --capacity 20k", "load --replace --name both",
		"set both --remove ve1", "set both --add ve1 --share", "refresh both"
	};
	static const char ID[] = "11223344556677889900aabbccddeeff11223344556677889900aabbccddeeff";
	char out[4096];

	e2e_load("load ve0 ve1 --name both --fpr 1e-9 --share");
	e2e_tool("add both %s", ID);
	for (size_t i = 0; i < ARRAY_SIZE(CHANGES); i++) {
		assert_int_equal(sh_out(out, sizeof(out), "%s %s", tool(), CHANGES[i]), 0);
		if (i < 3)
			assert_non_null(strstr(out, "packets passed unjudged"));
		e2e_assert_works(0);
		if (i == 3)
			e2e_assert_unfiltered(1);
		else
			e2e_assert_works(1);
		assert_told("both", ID, 0, " known");
	}
	assert_beside("both");
	e2e_tool("unload ve0 ve1");
	e2e_assert_unfiltered(0);
	e2e_assert_unfiltered(1);
	assert_nothing_left();
}

/* Without --share no program gets a neighbour. */
TEST(a_neighbour_is_told_of)
{
	struct neighbour_run n;
	char out[4096];

	move_in(&n, "ve0", BEFORE_US);
	assert_int_equal(sh_out(out, sizeof(out), "%s load ve0 --port 80", tool()), 1);
	assert_non_null(strstr(out, "ve0 runs another XDP program"));
	assert_non_null(strstr(out, "--share"));
	move_out(&n);
	e2e_load("load ve0 --fpr 1e-9");
	e2e_assert_works(0);
}

int main(void)
{
	add_own_tests(e2e_setup, e2e_teardown);
	return run_added_tests("beside");
}
