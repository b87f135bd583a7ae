// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A first try, `load --for TIME`, with real packets: duplicates are dropped for that long, then
 * they pass and are counted; status shows which.
 */
#include "e2e_runner.h"
#include "intercept.h"
#include "open.h"
#include "output.h"

#include "kernel.h"

#define S 1000000000ULL

static struct dedup_state state_of(const char *name)
{
	struct dedup_state state;
	struct filter f;

	assert_return_code(filter_open(name, &f), EPROTO);
	state = *f.state;
	filter_close(&f);
	return state;
}

/* Does the filter drop, for an hour in all; or has it dropped for a second, and now counts? */
static void assert_status(bool drops)
{
	sh("%s status ve0 --json | jq -e '%s' >/dev/null", tool(),
	   drops ? ".action == \"drop\" and .drop_for_ns == 3600e9 and .drop_left_ns > 0 and"
		   "	.drop_left_ns <= .drop_for_ns and .counting_ns == null"
		 : ".action == \"count\" and .drop_for_ns == 1e9 and .drop_left_ns == 0 and"
		   "	.counting_ns > 0 and .bytes_kept_away < .counters.duplicate_bytes");
	assert_run(0, "$XD status ve0");
	assert_says(drops ? ", duplicates are dropped\n" : ", duplicates are counted and passed\n");
	assert_says(drops ? "\n  dropping    for another " : "\n  dropping    ended ");
}

static bool drops_ended(void)
{
	return state_of("ve0").counting;
}

/* Kills the tool behind its commit. */
static int kill_behind(const struct intercepted *call, void *arg)
{
	bool *is_committed = arg;

	if (*is_committed)
		return call->is_change ? INTERCEPT_KILL : 0;
	*is_committed = call->is_change && !strcmp(call->what, "rename");
	return 0;
}

/* The time is not begun anew by the command that ends the change. */
static void killed_set_ends_in_time(void **state)
{
	uint64_t began_ns, killed_ns;
	bool is_committed = false;

	(void)state;
	e2e_load("load ve0");
	began_ns = kernel_now_ns();
	assert_int_equal(intercept_tool("set ve0 --for 1h", kill_behind, &is_committed, output,
					sizeof(output)),
			 INTERCEPT_KILLED);
	killed_ns = kernel_now_ns();
	assert_status(true);
	usleep(100000);
	e2e_tool("refresh ve0");
	assert_in_range(state_of("ve0").drop_until_ns, began_ns + 3600 * S, killed_ns + 3600 * S);
	assert_status(true);
}

#define SNAPSHOT "/mnt/snapshot"

static const struct change {
	const char *name, *before, *args;
} CHANGES[] = {
	{ "ended-stays-ended-in-rotate", "true", "rotate ve0" },
	{ "ended-stays-ended-in-reset", "true", "reset ve0" },
	{ "ended-stays-ended-in-set", "true", "set ve0 --ihave pass" },
	{ "ended-stays-ended-in-resize", "true", "resize ve0 --capacity 20k" },
	{ "ended-stays-ended-in-replace", "true", "load --replace ve0 --capacity 20k" },
	{ "ended-stays-ended-in-restore",
	  "mount -t tmpfs tmpfs /mnt && $XD save ve0 " SNAPSHOT " && $XD unload ve0",
	  "restore ve0 " SNAPSHOT },
	{ "ended-stays-ended-in-restore-of-one-that-runs",
	  "mount -t tmpfs tmpfs /mnt && $XD save ve0 " SNAPSHOT, "restore ve0 " SNAPSHOT },
};

/* Copies pass before each change that the tool makes. */
static int pass_copies(const struct intercepted *call, void *arg)
{
	(void)arg;
	if (call->is_change)
		e2e_assert_unfiltered(0);
	return 0;
}

/* The time begins when the filter is ready to be attached, not when it was made. No change has a
 * filter drop again whose time has ended, not for a moment.
 */
static void ended_stays_ended(void **state)
{
	const struct change *change = *state;
	uint64_t before_ns = kernel_now_ns();
	struct dedup_state st;

	e2e_load("load ve0 --for 1s --capacity 10k");
	st = state_of("ve0");
	assert_true(st.drop_until_ns > st.started_ns + S);
	assert_in_range(st.drop_until_ns, before_ns + S, kernel_now_ns() + S);
	for (int ms = 0; ms < PATIENCE_MS && !drops_ended(); ms += 10)
		usleep(10000);
	assert_true(drops_ended());
	e2e_assert_unfiltered(0);
	assert_status(false);
	assert_run(0, change->before);
	if (intercept_tool(change->args, pass_copies, NULL, output, sizeof(output)))
		fail_msg("%s", output);
	e2e_assert_unfiltered(0);
	assert_true(drops_ended());
}

int main(void)
{
	name_tool();
	add_rows(CHANGES, ended_stays_ended, e2e_setup, e2e_teardown);
	add_test("killed-set-ends-in-time", killed_set_ends_in_time, e2e_setup, e2e_teardown, NULL);
	return run_added_tests("first_try");
}
