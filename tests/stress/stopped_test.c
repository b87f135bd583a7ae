// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The packet program, stopped before each of its instructions while the hand passes and a copy of
 * its packet comes on another CPU: how many of the two pass as new. Never none. Exactly one, but in
 * layout blocked: two if the hand passes after the program has tested the id's block, and before it
 * has claimed the id. How long that is include/README.md says, too.
 *
 * Not quick: each stop runs the program anew, for two minutes of CPU time.
 */
#include "support.h"

#include <linux/bpf.h>

#include "hand.h"
#include "packet.h"
#include "plan.h"
#include "program.h"
#include "sim.h"
#include "stepping.h"

#define S 1000000000ULL

/* p: the hand passes (countdown: counts down); c: a copy comes. */
static const char *const SCRIPTS[] = { "p", "c", "cp", "pc", "pp" };

static const struct kind {
	const char *name;
	enum dedup_layout layout;
	enum dedup_hash_scheme hash;
	double fpr;
	int twice_most; /* so many instructions at which two pass, in scripts with a pass and a copy */
} KINDS[] = {
	{ "blocked-w1", DEDUP_BLOCKED, DEDUP_FAST, 0.05, 120 },
	{ "blocked-w2", DEDUP_BLOCKED, DEDUP_FAST, 1e-4, 120 },
	{ "blocked-w4", DEDUP_BLOCKED, DEDUP_FAST, 1e-7, 120 },
	{ "flat", DEDUP_FLAT, DEDUP_FAST, 1e-3, 0 },
	{ "flat-siphash", DEDUP_FLAT, DEDUP_SIPHASH, 1e-3, 0 },
	{ "countdown", DEDUP_COUNTDOWN, DEDUP_FAST, 1e-3, 0 },
};

/* One packet that is stopped. */
struct attempt {
	struct dedup_config config;
	struct frame frame;
	uint64_t now_ns;
	int passed;			     /* of the packet and its copies */
	const char *script;		     /* in a process that was stopped */
	int winners[ARRAY_SIZE(SCRIPTS)][3]; /* in so many of them none, one and two were new */
	int others;			     /* of them ended in another way */
};

static void send_until_stopped(void *arg)
{
	struct attempt *attempt = arg;

	attempt->passed += program_run(attempt->frame.data, attempt->frame.len) == XDP_PASS;
}

static void pass(struct attempt *attempt)
{
	struct dedup_state *st = program_state();
	uint64_t goal = dedup_hand_rotate(st, &attempt->config);

	while (st->passed < goal)
		attempt->now_ns += program_step(attempt->now_ns);
}

static bool play(void *arg)
{
	struct attempt *attempt = arg;

	for (size_t i = 0; i < ARRAY_SIZE(SCRIPTS); i++) {
		pid_t pid = fork();
		int status;

		if (!pid) {
			attempt->script = SCRIPTS[i];
			for (const char *c = SCRIPTS[i]; *c; c++)
				*c == 'p' ? pass(attempt) : send_until_stopped(attempt);
			return true;
		}
		if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) < 3)
			attempt->winners[i][WEXITSTATUS(status)]++;
		else
			attempt->others++;
	}
	return false;
}

static void one_is_new(void **state)
{
	const struct kind *kind = *state;
	struct filter_spec spec = sim_spec(40, kind->fpr, 600 * S);
	struct attempt attempt = { .now_ns = 2000 * S };
	const struct frame_plan plan = { 0 };
	struct id id = id_fresh();
	int instructions;

	spec.layout = kind->layout;
	spec.hash = kind->hash;
	spec.forwarded = true;
	assert_int_equal(plan_config(&spec, SIM_CPUS, SIM_HZ, &attempt.config), 0);
	assert_int_equal(program_open(&attempt.config, true, attempt.now_ns), 0);
	frame_build(&attempt.frame, &plan, &id);
	instructions = stepping_call(send_until_stopped, play, &attempt);
	if (attempt.script)
		_exit(attempt.passed);
	assert_int_equal(attempt.passed, 1);
	program_close();

	assert_int_equal(attempt.others, 0);
	assert_true(instructions > 200);
	for (size_t i = 0; i < ARRAY_SIZE(SCRIPTS); i++) {
		const int *winners = attempt.winners[i];
		int twice_most = strlen(SCRIPTS[i]) == 2 ? kind->twice_most : 0;

		print_message("# %s '%s': of %d instructions two are new at %d\n", kind->name,
			      SCRIPTS[i], instructions, winners[2]);
		assert_int_equal(winners[0], 0);
		assert_in_range(winners[2], 0, twice_most);
	}
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(KINDS); i++)
		add_test(KINDS[i].name, one_is_new, NULL, NULL, &KINDS[i]);
	return run_added_any_tests("stopped");
}
