// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Filters that are loaded and changed while timers are late, as on a busy machine: a program is
 * attached only once its hand steps, so no packet passes as `stale`; and if the hand does not step,
 * nothing is changed.
 */
#include "e2e_runner.h"

#include "intercept.h"
#include "late_hand.h"
#include "pins.h"

#define NEVER_NS 3600000000000ULL
#define LATE_NS 3000000000ULL /* the clock counts as stopped after two seconds */
#define LOAD "load ve0 ve1 --name f --capacity 20k --window 60s --fpr 1e-9"

struct row {
	const char *name, *args;
	const char *directory; /* whose hand is late as soon as it is pinned there */
	bool begins;	       /* no filter runs before */
};

static const struct row ROWS[] = {
	{ "load", LOAD, "+f", true },
	{ "resize", "resize f --capacity 40k", "+f", false },
	{ "resize-to-flat", "resize f --layout flat --hash siphash", "+f", false },
	{ "replace", "load --replace --name f --fpr 1e-8", "+f", false },
};

struct late {
	const struct row *row;
	uint64_t ns;
	bool done;
};

/* Late for less than stops the clock, from when the program is attached on. */
static int at_call_later(const struct intercepted *call, void *arg)
{
	struct late *late = arg;

	(void)call;
	if (!late->done && !access(PIN_ROOT "/+f/" PIN_PROG, F_OK))
		late->done = late_hand("+f", late->ns);
	return 0;
}

static int at_call(const struct intercepted *call, void *arg)
{
	struct late *late = arg;

	(void)call;
	if (!late->done)
		late->done = late_hand(late->row->directory, late->ns);
	return 0;
}

/* Runs the row's command while its hand is late. Returns its exit status. */
static int run_late(const struct row *row, uint64_t ns, char *out, size_t size)
{
	struct late late = { row, ns, false };
	char args[256];
	int status;

	snprintf(args, sizeof(args), row->begins ? "%s --port %u-%u" : "%s", row->args, e2e_port(),
		 e2e_port() + 2);
	status = intercept_tool(args, at_call, &late, out, size);
	assert_true(late.done);
	return status;
}

static void test_late(void **state)
{
	const struct row *row = *state;
	char out[16384];

	if (!row->begins)
		e2e_load(LOAD);
	for (int i = 0; i < E2E_LINKS && !row->begins; i++)
		e2e_stream_start(i, 2000);
	if (run_late(row, LATE_NS, out, sizeof(out)))
		fail_msg("%s", out);
	for (int i = 0; i < E2E_LINKS; i++)
		e2e_assert_works(i);
	for (int i = 0; i < E2E_LINKS && !row->begins; i++)
		assert_true(e2e_stream_stop(i) > 0);
	assert_int_equal(tool_counter("f", "stale"), 0);
	e2e_tool("unload ve0 ve1");
}

/* Put in charge while its hand is late, a successor learns nevertheless. */
static void late_in_charge(void **state)
{
	struct late late = { NULL, 900000000, false };
	char out[16384];

	(void)state;
	e2e_load(LOAD);
	for (int i = 0; i < E2E_LINKS; i++)
		e2e_stream_start(i, 2000);
	if (intercept_tool("resize f --capacity 40k", at_call_later, &late, out, sizeof(out)))
		fail_msg("%s", out);
	assert_true(late.done);
	usleep(1000000);
	for (int i = 0; i < E2E_LINKS; i++)
		assert_true(e2e_stream_stop(i) > 0);
	assert_int_equal(tool_counter("f", "unlearned"), 0);
	assert_int_equal(tool_counter("f", "stale"), 0);
	e2e_tool("unload ve0 ve1");
}

static void test_stopped(void **state)
{
	const struct row *row = *state;
	char out[16384];
	int status = 0;

	for (int i = 0; i < 5 && !status; i++) { /* the hand may step just before it is held up */
		e2e_tool("unload --all");
		if (!row->begins)
			e2e_load(LOAD);
		status = run_late(row, NEVER_NS, out, sizeof(out));
	}
	assert_int_equal(status, 1);
	assert_non_null(strstr(out, "the clock of f does not run"));
	for (int i = 0; i < E2E_LINKS; i++)
		if (row->begins)
			e2e_assert_unfiltered(i);
		else
			e2e_assert_works(i);
	e2e_remember();
	e2e_tool("unload --all");
	e2e_assert_nothing_left();
}

int main(void)
{
	static char names[ARRAY_SIZE(ROWS)][48];

	add_rows(ROWS, test_late, e2e_setup, e2e_teardown);
	add_test("late-in-charge", late_in_charge, e2e_setup, e2e_teardown, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		snprintf(names[i], sizeof(names[i]), "no-clock-%s", ROWS[i].name);
		add_test(names[i], test_stopped, e2e_setup, e2e_teardown, &ROWS[i]);
	}
	return run_added_tests("late_clock");
}
