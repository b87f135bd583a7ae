// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What changes a filter that runs, with any one of its questions to the kernel refused, or with an
 * interface that goes meanwhile: the old filter or the new one is whole and in charge, one line
 * tells what is wrong, and the next command is clean. Some of the calls are tried, spread evenly,
 * from a random one on: about as many as the environment's POINTS. Calls that change something are
 * refused by tests/e2e/every_call_test.c.
 */
#include "every_case.h"

#include "gossip.h"
#include "pins.h"

#define POINTS tries(2, 5) /* by default */
#define ID "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

static const int ERRORS[] = { ENOMEM, EPERM, EIO, ENOBUFS, EMFILE };

static const struct row {
	const char *name; /* of EVERY_KINDS */
} ROWS[] = {
	{ "set-ihave" }, { "resize-up" }, { "replace-size" }, { "restore" }, { "restore-into" },
};

static const struct kind *find_kind(const char *name)
{
	const struct kind *k = EVERY_KINDS;

	while (strcmp(k->name, name))
		k++;
	return k;
}

static unsigned int find_next(const char *name)
{
	unsigned int next = 0;

	while (strcmp(EVERY_NEXTS[next].name, name))
		next++;
	return next;
}

static void test_refused(void **state)
{
	const struct row *row = *state;
	struct every_case none = { .kind = find_kind(row->name), .is_question = true };
	unsigned int most = environment_number("POINTS", POINTS), step;
	uint64_t seed = gossip_now_ns();

	none.next = find_next("refresh");
	kinds_open(none.kind);
	every_case_run(&none); /* none is refused: counts them */
	assert_true(none.changes > 0);
	step = none.changes <= most ? 1 : none.changes / most;
	print_message("# %s: one of %u of %u calls, seed %llu\n", row->name, step, none.changes,
		      (unsigned long long)seed);
	for (unsigned int n = 1 + random_next(&seed) % step; n <= none.changes; n += step) {
		struct every_case c = { .kind = none.kind,
					.is_question = true,
					.n = n,
					.next = none.next,
					.err = ERRORS[random_next(&seed) % ARRAY_SIZE(ERRORS)] };

		every_case_run(&c);
		if (*c.fault)
			fail_msg("question %u, error %d: %s", n, c.err, c.fault);
	}
	kinds_close();
}

static void delete_interface(void)
{
	sh("ip link del ve1");
}

static void move_interface(void)
{
	sh("ip link set ve1 netns %d", e2e_far());
}

static const struct gone {
	const char *name, *args;
	void (*go)(void);
} GONE[] = {
	{ "interface-deleted-during-set", "set both --ihave pass", delete_interface },
	{ "interface-deleted-during-resize", "resize both --capacity 40k", delete_interface },
	{ "interface-moves-during-set", "set both --ihave pass", move_interface },
	{ "interface-moves-during-resize", "resize both --capacity 40k", move_interface },
};

struct point {
	void (*go)(void);
	unsigned int n; /* the change before which it goes */
	bool is_met;
};

static int go_at(const struct intercepted *call, void *arg)
{
	struct point *p = arg;

	if (!call->is_change || call->changes != p->n)
		return 0;
	p->is_met = true;
	p->go();
	return 0;
}

/* The filter goes on, wherever the interface is. */
static bool try_gone(const struct gone *row, unsigned int n)
{
	struct every_case c = { .kind = find_kind("set-ihave") };
	struct point p = { .go = row->go, .n = n };
	char out[16384];
	int status;

	e2e_load("load ve0 ve1 --name both --capacity 20k --fpr 1e-9");
	e2e_tool("add both " ID);
	status = intercept_tool(row->args, go_at, &p, out, sizeof(out));
	if (!p.is_met) {
		e2e_tool("unload --all");
		return false;
	}
	if (!check_said(&c, row->args, status, out))
		fail_msg("at change %u: %s", n, c.fault);
	e2e_assert_works(0);
	e2e_tool("status both");
	if (sh_out(out, sizeof(out), "%s refresh both", tool()) || *out)
		fail_msg("after change %u: refresh: %s", n, out);
	assert_int_equal(access(PIN_ROOT "/+both", F_OK), -1);
	e2e_assert_works(0);
	e2e_tool("test both " ID);
	if (row->go == move_interface)
		e2e_far_sh("ip link del ve1");
	e2e_add_link(1);
	e2e_remember();
	e2e_tool("unload --all");
	e2e_assert_nothing_left();
	return true;
}

static void test_gone(void **state)
{
	const struct gone *row = *state;
	unsigned int step = environment_number("POINTS", POINTS) > 90 ? 1 : 40;
	uint64_t seed = gossip_now_ns();
	unsigned int met = 0;

	for (unsigned int n = 1 + random_next(&seed) % step; try_gone(row, n); n += step)
		met++;
	print_message("# %s: at %u changes, one of %u\n", row->name, met, step);
	assert_true(met > 0);
}

int main(void)
{
	add_rows(GONE, test_gone, e2e_setup, e2e_teardown);
	add_rows(ROWS, test_refused, e2e_setup, e2e_teardown);
	return run_added_tests("fault");
}
