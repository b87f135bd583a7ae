// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What leaves a filter's program as it is, killed at any moment, under traffic: no event is lost.
 * Changes are killed by tests/e2e/every_call_test.c, and under traffic by change_test.c.
 */
#include "e2e_runner.h"

#include "hand.h"
#include "intercept.h"
#include "open.h"

#define STREAM_PPS 2000
#define LOAD "load ve0 ve1 --name both --fpr 1e-9 --port %d-%d"
#define SNAPSHOT "/mnt/snapshot"
#define ADD_ID "add both " ID
#define ID "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

struct point {
	unsigned int n;
	const char *killed; /* at what */
};

static int at_call(const struct intercepted *call, void *arg)
{
	struct point *p = arg;

	if (!call->is_change || call->changes != p->n)
		return 0;
	p->killed = call->what;
	return INTERCEPT_KILL;
}

/* Runs the tool and kills it as it begins its n-th change (from 1 on), which does not happen any
 * more. False if it ended before.
 */
static bool run_killed_at(const char *args, unsigned int n)
{
	struct point p = { .n = n };
	char out[4096];

	intercept_tool(args, at_call, &p, out, sizeof(out));
	return p.killed;
}

/* Kills the tool somewhere within its first max_us. */
static void run_killed_within(const char *args, uint32_t max_us, uint64_t *state)
{
	char out[16384];

	sh_out(out, sizeof(out), "timeout --foreground -s KILL 0.%06u %s %s",
	       1 + (uint32_t)(random_next(state) % max_us), tool(), args);
}

static const char *load_args(void)
{
	static char args[128];

	snprintf(args, sizeof(args), LOAD, e2e_port(), e2e_port() + 2);
	return args;
}

/* Runs the tool; returns its exit status. It must not crash. */
static int run(char *out, size_t size, const char *args)
{
	int status = sh_out(out, size, "%s %s", tool(), args);

	if (status > 1 || strstr(out, "Sanitizer")) {
		print_error("exit %d of: %s\n%s\n", status, args, out);
		fail();
	}
	return status;
}

static void start_streams(void)
{
	for (int i = 0; i < E2E_LINKS; i++)
		e2e_stream_start(i, STREAM_PPS);
}

static void stop_streams(void)
{
	for (int i = 0; i < E2E_LINKS; i++)
		assert_true(e2e_stream_stop(i) > 0);
}

/* Leaves a snapshot of a filter on both interfaces, and nothing else. */
static void make_snapshot(void)
{
	sh("mountpoint -q /mnt || mount -t tmpfs tmpfs /mnt; rm -f " SNAPSHOT);
	e2e_tool("%s", load_args());
	e2e_tool("add both " ID);
	e2e_tool("save both " SNAPSHOT);
	e2e_tool("unload ve0 ve1");
}

/* What a killed rotate or reset asked for is still done; then the hand rests. */
static void wait_for_hand(void)
{
	struct filter f;

	assert_return_code(filter_open("both", &f), EPROTO);
	for (int ms = 0;
	     ms < PATIENCE_MS && READ_ONCE(f.state->passed) < READ_ONCE(f.state->requested); ms++)
		usleep(1000);
	assert_true(READ_ONCE(f.state->passed) >= READ_ONCE(f.state->requested));
	filter_close(&f);
}

TEST(other_verbs_killed)
{
	static const char *const VERBS[] = { "rotate both", "reset both", "status both", ADD_ID };
	uint64_t seed = gossip_now_ns();
	char out[16384];

	print_message("# seed %llu\n", (unsigned long long)seed);
	e2e_tool("%s", load_args());
	e2e_remember();
	start_streams();
	for (int i = 0; i < 60; i++)
		run_killed_within(VERBS[i % ARRAY_SIZE(VERBS)], 60000, &seed);
	wait_for_hand();
	assert_int_equal(run(out, sizeof(out), "rotate both"), 0);
	assert_int_equal(run(out, sizeof(out), "status both"), 0);
	for (int i = 0; i < E2E_LINKS; i++)
		e2e_assert_works(i);
	e2e_tool("unload --name both");
	stop_streams();
	e2e_assert_nothing_left();
}

/* The snapshot is what it was before, or whole; the filter stays as it is. One run may have a
 * change less than another, so it is done when five have ended by themselves.
 */
TEST(save_killed_at_each_change)
{
	unsigned int n, whole = 0, old = 0, after = 0;
	bool killed, replaced;
	char out[4096];

	make_snapshot();
	e2e_tool("%s", load_args());
	start_streams();
	for (n = 1; whole < 5; n += killed) {
		sh("echo old >" SNAPSHOT);
		killed = run_killed_at("save both " SNAPSHOT, n);
		e2e_assert_works(n % E2E_LINKS);
		replaced = sh_out(out, sizeof(out), "grep -qx old " SNAPSHOT);
		old += killed && !replaced;
		after += killed && replaced;
		whole += !killed;
		if (replaced) {
			e2e_tool("unload ve0 ve1");
			e2e_tool("restore both " SNAPSHOT);
			e2e_tool("set both --action drop");
			e2e_tool("unload ve0 ve1");
			e2e_tool("%s", load_args());
		}
	}
	stop_streams();
	print_message("# save was killed at %u points, %u of them before the snapshot was there\n",
		      old + after, old);
	assert_true(old > 3);
	assert_true(after > 0);
	/* What it had written had no name, but while it was put in the place of the old one. */
	sh("[ $(ls " SNAPSHOT ".* | wc -l) -le 2 ]");
	e2e_tool("unload ve0 ve1");
}

int main(void)
{
	add_own_tests(e2e_setup, e2e_teardown);
	return run_added_tests("kill");
}
