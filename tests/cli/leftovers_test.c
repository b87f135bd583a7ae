// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Pins that somebody left, took away or garbled: what is wrong is output, and all can be replaced
 * and removed.
 */
#include "cli_runner.h"

#include <bpf/bpf.h>

#include "intercept.h"
#include "loader.h"
#include "loader_next.h"
#include "pin_dirs.h"
#include "pins.h"

/* What somebody may do to the filter v0 by hand. */
#define DETACH "bpftool link detach pinned $PINS/v0/link-v0"

/* What a killed load, or another version, may have left under the name v0. */
static void leave_pins(uint32_t format)
{
	struct dedup_config config = cli_plan;

	config.format = format;
	sh("mkdir -p -m 700 $PINS");
	assert_int_equal(loader_create("v0", &config, NULL), 0);
	assert_int_equal(pin_dir_publish("v0"), 0);
}

static void assert_replaced(void)
{
	assert_run(0, LOAD);
	assert_says("note: removing what an earlier load left of v0: nothing is attached to it\n");
	sh("$XD status v0 && $XD add v0 " ID_A);
}

TEST(pins_unattached)
{
	leave_pins(DEDUP_FORMAT);
	assert_run(0, "$XD status v0 --json | jq -c '[.interfaces, .mode]'");
	assert_says("[[],\"none\"]");
	assert_replaced();
	sh(DETACH);
	assert_run(0, "$XD status v0");
	assert_says("interfaces  v0 (detached)\n");
	assert_replaced();
	sh(DETACH " && $XD unload v0 && [ ! -e $PINS/v0 ]");
}

/* Pins of other versions. */
static const struct version {
	const char *name;
	uint32_t format;
	const char *says;
} VERSIONS[] = {
	{ "pins-of-a-newer-version", DEDUP_FORMAT + 1, "v0 was loaded by a newer xdp-dedup (format" },
	{ "pins-of-no-version", 0, "the pins of v0 are incomplete or of another version" },
};

/* Shell text that takes the pins of a working filter v0 away from it, or garbles them. */
static const struct damage {
	const char *name, *command;
} DAMAGES[] = {
	{ "pins-none", "rm $PINS/v0/*" },
	{ "pins-no-config", "rm $PINS/v0/config" },
	{ "pins-no-state", "rm $PINS/v0/state" },
	{ "pins-no-filter", "rm $PINS/v0/filter" },
	{ "pins-no-stats", "rm $PINS/v0/stats" },
	{ "pins-no-wanted", "rm $PINS/v0/wanted" },
	{ "pins-swapped", "mv $PINS/v0/stats $PINS/v0/x && mv $PINS/v0/filter $PINS/v0/stats && "
			  "mv $PINS/v0/x $PINS/v0/filter" },
	{ "pins-config-is-program",
	  "rm $PINS/v0/config && bpftool prog pin pinned $OTHER $PINS/v0/config" },
	{ "pins-stats-not-per-cpu", "rm $PINS/v0/stats && bpftool map create $PINS/v0/stats "
				    "type array key 4 value 4 entries 1 name stats" },
	{ "pins-stats-too-large", "rm $PINS/v0/stats && bpftool map create $PINS/v0/stats "
				  "type percpu_array key 4 value 16384 entries 1 name stats" },
	{ "pins-wanted-other-key", "rm $PINS/v0/wanted && bpftool map create $PINS/v0/wanted "
				   "type hash key 32 value 8 entries 1 name wanted" },
};

/* There are pins that cannot be used: all verbs say so, but those that remove them. */
static void assert_unusable(const char *says)
{
	static const char *const COMMANDS[] = { "status",
						"status v0 --json",
						"add v0 " ID_A,
						"test v0 " ID_A,
						"rotate v0",
						"load v0 --replace --port 8001",
						"resize v0 --capacity 5k" };
	char command[128];

	for (size_t i = 0; i < ARRAY_SIZE(COMMANDS); i++) {
		snprintf(command, sizeof(command), "$XD %s", COMMANDS[i]);
		assert_run(1, command);
		assert_one_line(says);
	}
	assert_replaced();
	sh("$XD unload v0");
}

static void run_version(void **state)
{
	const struct version *version = *state;

	leave_pins(version->format);
	assert_unusable(version->says);
	leave_pins(version->format);
	sh("$XD unload --name v0 && [ ! -e $PINS/v0 ]");
}

static void run_damage(void **state)
{
	const struct damage *damage = *state;

	sh(LOAD " && " DETACH " && %s", damage->command);
	assert_unusable("the pins of v0 are incomplete or of another version; xdp-dedup unload "
			"--name v0 removes them");
	sh(LOAD " && " DETACH " && %s", damage->command);
	sh("$XD unload --name v0 && [ ! -e $PINS/v0 ]");
}

struct kill {
	bool is_behind, is_committed;
};

/* Kills the tool at its commit, or at the first call behind that. */
static int kill_at_commit(const struct intercepted *call, void *arg)
{
	struct kill *k = arg;

	if (!call->is_change)
		return 0;
	if (k->is_committed)
		return INTERCEPT_KILL;
	k->is_committed = !strcmp(call->what, "rename");
	return k->is_committed && !k->is_behind ? INTERCEPT_KILL : 0;
}

/* The interface moves to another network namespace, where the next command makes or undoes the
 * change: each interface runs the filter's own program then.
 */
#define LOAD_TWO "$XD load v0 b0 --name v0 --port 80"
#define SETTLED_THERE                                                                   \
	"far; ip link set v0 netns $far; there $XD refresh; [ \"$(ls $PINS)\" = v0 ]\n" \
	"got there $XD status v0; has ' v0 (native)'; lacks 'has begun'\n"              \
	"got $XD status v0; has 'b0 (skb)'; there $XD unload v0; $XD unload b0; clean; kill $far\n"

/* A command that is killed, and what the next ones do. */
static const struct killed {
	const char *name, *before, *command;
	bool is_behind; /* killed behind its commit; else at it */
	bool is_newer;	/* it is the tool of the next format */
	const char *after;
} KILLED[] = {
	{ "moved-before-a-set", LOAD_TWO, "set v0 --ihave pass", .after = SETTLED_THERE },
	{ "moved-behind-a-set", LOAD_TWO, "set v0 --ihave pass", true, .after = SETTLED_THERE },
	{ "moved-before-a-resize", LOAD_TWO, "resize v0 --capacity 20k", .after = SETTLED_THERE },
	{ "moved-behind-a-resize", LOAD_TWO, "resize v0 --capacity 20k", true,
	  .after = SETTLED_THERE },
	{ "killed-as-all-interfaces-change", "$XD load v0 --name f --port 80",
	  "set f --add p0 --remove v0", true,
	  .after = "got $XD refresh; is ''; idle v0; idle b0; runs p0; $XD unload --name f\n" },
	/* Behind its commit, the interface still runs the memory of before. */
	{ "resize-killed-is-found-by-interface", "$XD load v0 --name f --port 80",
	  "resize f --capacity 20k", true,
	  .after = "ls $PINS/+f; got $XD status; has 'f: GSP'; lacks 'pins of'\n"
		   "$XD status v0 --json | jq -e '.name == \"f\"'; $XD add v0 " ID_A "\n"
		   "got $XD test v0 " ID_A "; is '" ID_A " known'; ls $PINS/+f\n"
		   "$XD refresh; not ls $PINS/+f; $XD status; $XD unload v0; clean\n" },
	{ "newer-one-has-begun-a-change", LOAD, "load v0 --replace", .is_newer = true,
	  .after = "ls $PINS/+v0; got $XD load p0 --port 80; lacks beside; got $XD unload p0; is ''\n"
		   "got $XD status v0; got $XD refresh v0; is ''; runs v0\n"
		   "fails 'a newer xdp-dedup has begun to change v0' $XD set v0 --ihave pass\n"
		   "got $NEXT refresh v0; is ''; not ls $PINS/+v0; $XD set v0 --ihave pass\n"
		   "$XD unload v0; clean\n" },
	/* When v0 passes all packets. The next command detaches, wherever the interface is. */
	{ "unload-killed-between-steps", LOAD, "unload v0", true,
	  .after = "runs v0; far; ip link set v0 netns $far; $XD refresh; idle_there v0\n"
		   "[ ! -e $PINS/=leaving ]; $XD unload --name v0 || :; clean; kill $far\n" },
};

static void run_killed(void **state)
{
	const struct killed *row = *state;
	struct kill k = { .is_behind = row->is_behind };
	const struct script after = { row->name, row->after };
	void *script = (void *)&after;

	sh("%s", row->before);
	use_tool(row->is_newer ? next_tool() : NULL);
	assert_int_equal(intercept_tool(row->command, kill_at_commit, &k, output, sizeof(output)),
			 INTERCEPT_KILLED);
	use_tool(NULL);
	run_script(&script);
}

/* $PUT PROGRAM LINK exchanges the program of a link, $PIN LINK PATH pins it a second time: what
 * bpftool cannot do.
 */
static int use_link(char **args)
{
	bool puts = !strcmp(args[0], "--put");
	int link = bpf_obj_get(args[puts ? 2 : 1]);
	int prog = puts ? bpf_obj_get(args[1]) : -1;

	return puts ? bpf_link_update(link, prog, NULL) != 0 : bpf_obj_pin(link, args[2]) != 0;
}

int main(int argc, char **argv)
{
	if (argc == 4)
		return use_link(argv + 1);
	cli_environment();
	cli_helper("PUT", "--put");
	cli_helper("PIN", "--pin");
	add_rows(VERSIONS, run_version, cli_setup, cli_teardown);
	add_rows(DAMAGES, run_damage, cli_setup, cli_teardown);
	add_cli_scripts("tests/cli/leftovers");
	add_rows(KILLED, run_killed, cli_setup, cli_teardown);
	add_own_tests(cli_setup, cli_teardown);
	return run_added_tests("leftovers");
}
