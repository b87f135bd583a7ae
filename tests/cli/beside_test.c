// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Beside another XDP program, in libxdp's dispatcher: where the kernel lets it run. */
#include "support.h"

#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "e2e_runner.h"
#include "links.h"
#include "neighbour.h"

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

/* With a dispatcher or without. */
static void program_is_found_where_its_interface_moves(void **state)
{
	pid_t other = netns_start();
	struct neighbour_run n;
	uint32_t id = 0;

	(void)state;
	assert_int_equal(links_run_xdp(UINT32_MAX), 0);
	neighbour_move_in(&n, "ve0", BEFORE_US);
	assert_int_equal(bpf_xdp_query_id(n.ifindex, 0, &id), 0);
	assert_int_equal(links_run_xdp(id), 1);
	sh("ip link set ve0 netns %d", other);
	assert_int_equal(links_run_xdp(id), 1);
	netns_enter(other);
	sh("ip link del ve0");
	netns_enter(0);
	assert_int_equal(links_run_xdp(id), 0);
	neighbour_move_out(&n);
	netns_stop(other);
}

#define E2E_TEST(f) cmocka_unit_test_setup_teardown(f, e2e_setup, e2e_teardown)

int main(void)
{
	static struct CMUnitTest tests[] = {
		E2E_TEST(after_a_neighbour),
		E2E_TEST(before_a_neighbour),
		E2E_TEST(on_two_interfaces),
		E2E_TEST(hand_turns_in_a_dispatcher),
		E2E_TEST(program_is_found_where_its_interface_moves),
	};

	return run_root_tests("beside", tests, ARRAY_SIZE(tests));
}
