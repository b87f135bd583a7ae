// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Several tools at once on one filter, under traffic: each does what it was told, or says in a line
 * why not; no event is lost, and in the end the filter is whole, and nothing is left beside it.
 * ROUNDS=N and SEED=N try others.
 */
#include "e2e_runner.h"
#include "pins.h"

#define ROUNDS_MANY 20
#define ROUNDS tries(4, ROUNDS_MANY) /* by default; the environment's */
#define TOOLS 3
#define STREAM_PPS 1000
#define LOAD "load ve0 ve1 --name both --capacity 20k --fpr 1e-9"

static const char *const CHANGES[] = {
	"set both --ihave pass",
	"set both --ihave drop",
	"load --replace --name both",
	"load --replace --name both --forget --capacity 40k",
	"set both --remove ve1",
	"set both --add ve1",
	"resize both --capacity 30k",
	"resize both --forget --layout flat",
	"resize both --capacity 20k",
	"resize both --forget --layout blocked",
	"status both",
	"status both --json",
	"rotate both",
	"reset both",
	"refresh both",
	"save both /mnt/other --forget",
	"restore both /mnt/snapshot --forget",
	"restore both /mnt/snapshot",
	"unload ve0 ve1",
	"unload --name both",
};

/* Why a command may fail: another one was first, or is at work. */
static const char *const REASONS[] = {
	"another xdp-dedup",   "there is no filter",  "has a predecessor",
	"runs on ve1 already", "does not run on ve1", "runs no filter",
	"has stopped",	       "would run nowhere",   "runs on no interface here",
	"on which interface?", /* load --replace, once there is none to replace */
};

static bool is_reason(const char *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(REASONS); i++)
		if (strstr(line, REASONS[i]))
			return true;
	return false;
}

/* Starts one in the background; why it fails, and how it ends, are in /mnt/err.N and /mnt/status.N. */
static void describe(char *text, size_t size, int n, const char *args)
{
	snprintf(text, size, "{ %s %s >/mnt/out.%d 2>/mnt/err.%d; echo $? >/mnt/status.%d; } & ",
		 tool(), args, n, n, n);
}

static void check_end(int n, const char *all)
{
	char err[4096], status[16], *end;

	sh_out(status, sizeof(status), "cat /mnt/status.%d", n);
	sh_out(err, sizeof(err), "grep -v '^xdp-dedup: note: ' /mnt/err.%d", n);
	end = strchr(err, '\n');
	if (atoi(status) == 0 && !*err)
		return;
	/* unload says of each interface that it does not run there. */
	if (atoi(status) == 1 && end && (!end[1] || strstr(err, "runs no filter")) && is_reason(err))
		return;
	fail_msg("the tool %d of %s\nexit %s%s", n, all, status, err);
}

static void run_together(uint64_t *seed, uint64_t *failed)
{
	char command[2048] = "", out[4096], all[512] = "";

	for (int n = 0; n < TOOLS; n++) {
		const char *args = CHANGES[random_next(seed) % ARRAY_SIZE(CHANGES)];
		size_t used = strlen(command), said = strlen(all);

		describe(command + used, sizeof(command) - used, n, args);
		snprintf(all + said, sizeof(all) - said, "%s; ", args);
	}
	sh("%s wait", command);
	for (int n = 0; n < TOOLS; n++) {
		check_end(n, all);
		*failed += !sh_out(out, sizeof(out), "grep -qx 1 /mnt/status.%d", n);
	}
}

/* A filter that is there is whole: it filters where its program is, and nothing is beside it. */
static void check_whole(void)
{
	char out[16384], command[128];
	bool there = !access(PIN_ROOT "/both", F_OK);

	if (sh_out(out, sizeof(out), "%s refresh both", tool()) == there || (there && *out))
		fail_msg("refresh: %s", out);
	if (sh_out(out, sizeof(out), "ls -A " PIN_ROOT " | grep -v '^both$'") != 1)
		fail_msg("left: %s", out);
	for (int i = 0; i < E2E_LINKS; i++) {
		snprintf(command, sizeof(command), "ip link show ve%d | grep -q prog/xdp", i);
		if (sh_out(out, sizeof(out), "%s", command))
			e2e_assert_unfiltered(i);
		else
			e2e_assert_works(i);
	}
	if (there)
		e2e_tool("status both");
	else
		e2e_load(LOAD);
}

TEST(at_once)
{
	uint64_t seed = environment_number("SEED", gossip_now_ns());
	int rounds = environment_number("ROUNDS", ROUNDS);
	uint64_t failed = 0;

	print_message("# seed %llu\n", (unsigned long long)seed);
	sh("mountpoint -q /mnt || mount -t tmpfs tmpfs /mnt");
	e2e_load(LOAD);
	e2e_tool("save both /mnt/snapshot");
	for (int i = 0; i < E2E_LINKS; i++)
		e2e_stream_start(i, STREAM_PPS);
	for (int i = 0; i < rounds; i++) {
		run_together(&seed, &failed);
		check_whole();
	}
	for (int i = 0; i < E2E_LINKS; i++)
		assert_true(e2e_stream_stop(i) > 0);
	e2e_remember();
	e2e_tool("unload --all");
	e2e_assert_nothing_left();
	print_message("# %llu of %d gave way\n", (unsigned long long)failed, TOOLS * rounds);
	/* In few rounds it may be none, or most. */
	if (rounds >= ROUNDS_MANY)
		assert_in_range(failed, 1, TOOLS * rounds / 2);
}

int main(void)
{
	add_own_tests(e2e_setup, e2e_teardown);
	return run_added_tests("together");
}
