// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Pins that somebody left, took away or garbled: what is wrong is said, and all can be replaced
 * and removed.
 */
#include "cli_bed.h"

#include <stdio.h>

#include "loader.h"

/* What a killed load, or another version, may have left under the name v0. */
static void leave_pins(uint32_t format)
{
	struct dedup_config config = cli_plan;

	config.format = format;
	sh("mkdir -p -m 700 $PINS");
	assert_int_equal(loader_create("v0", &config), 0);
}

static void assert_replaced(void)
{
	assert_run(0, LOAD);
	assert_says("note: removing what an earlier load left of v0: nothing is attached to it\n");
	sh("$XD status v0 && $XD add v0 " ID_A);
}

static void test_pins_unattached(void **state)
{
	(void)state;
	leave_pins(DEDUP_FORMAT);
	assert_run(0, "$XD status v0 --json");
	assert_says("\"interfaces\": [\n  ]");
	assert_says("\"mode\": \"none\"");
	assert_replaced();
	sh("ip link set v0 xdp off");
	assert_run(0, "$XD status v0");
	assert_says("interfaces  v0 (detached)\n");
	assert_replaced();
	sh("ip link set v0 xdp off && $XD unload v0 && [ ! -e $PINS/v0 ]");
}

/* Shell text that takes the pins of a working filter v0 away from it, or garbles them. */
static const struct damage {
	const char *name, *command;
} DAMAGES[] = {
	{ "pins-of-other-version", NULL },
	{ "pins-none", "rm $PINS/v0/*" },
	{ "pins-no-config", "rm $PINS/v0/config" },
	{ "pins-no-state", "rm $PINS/v0/state" },
	{ "pins-no-filter", "rm $PINS/v0/filter" },
	{ "pins-no-stats", "rm $PINS/v0/stats" },
	{ "pins-no-wanted", "rm $PINS/v0/wanted" },
	{ "pins-swapped", "mv $PINS/v0/stats $PINS/v0/x && mv $PINS/v0/filter $PINS/v0/stats && "
			  "mv $PINS/v0/x $PINS/v0/filter" },
	{ "pins-config-is-program", "mv $PINS/v0/prog $PINS/v0/config" },
	{ "pins-stats-not-per-cpu", "rm $PINS/v0/stats && bpftool map create $PINS/v0/stats "
				    "type array key 4 value 4 entries 1 name stats" },
	{ "pins-stats-too-large", "rm $PINS/v0/stats && bpftool map create $PINS/v0/stats "
				  "type percpu_array key 4 value 16384 entries 1 name stats" },
	{ "pins-wanted-other-key", "rm $PINS/v0/wanted && bpftool map create $PINS/v0/wanted "
				   "type hash key 64 value 8 entries 1 name wanted" },
};

static void do_damage(const struct damage *damage)
{
	if (damage->command)
		sh(LOAD " && ip link set v0 xdp off && %s", damage->command);
	else
		leave_pins(DEDUP_FORMAT + 1);
}

static void run_damage(void **state)
{
	static const char *const COMMANDS[] = { "status", "status v0 --json", "add v0 " ID_A,
						"test v0 " ID_A, "rotate v0" };
	char command[128];

	do_damage(*state);
	for (size_t i = 0; i < ARRAY_SIZE(COMMANDS); i++) {
		snprintf(command, sizeof(command), "$XD %s", COMMANDS[i]);
		assert_run(1, command);
		assert_one_line("the pins of v0 are incomplete or of another version; xdp-dedup "
				"unload --name v0 removes them");
	}
	assert_replaced();
	sh("$XD unload v0");
	do_damage(*state);
	sh("$XD unload --name v0 && [ ! -e $PINS/v0 ]");
}

static const struct cli_story STORIES[] = {
	{ "interface-gone",
	  LOAD "; ip link del v0; got $XD status v0; has 'interfaces  v0 (gone)\n'\n"
	       "ip link add v0 group 7 type veth peer name p0; got " LOAD "\n"
	       "has 'note: removing what an earlier load left of v0'\n"
	       "ip link del v0; $XD unload v0; clean\n" },
	/* Programs that still run, though pins are missing, are found by what they use. */
	{ "pins-gone", "$XD load v0 p0 --port 80; rm -r $PINS/v0\n"
		       "fails 'v0 already runs xdp-dedup; first: xdp-dedup unload v0' " LOAD "\n"
		       "$XD unload v0; idle v0; runs p0; $XD unload --all; idle p0\n" },
	{ "pins-incomplete-unload-name",
	  LOAD "; rm $PINS/v0/config; $XD unload --name v0; idle v0\n" },
	{ "pins-incomplete-unload-all", LOAD "; rm $PINS/v0/config; $XD unload --all; idle v0\n" },
	{ "load-killed", /* at any moment: what is left can be used, replaced and removed */
	  "for ms in 050 080 100 120 140 160 200 300; do\n"
	  "	timeout -s KILL 0.$ms " LOAD " || true; idle v0 || $XD unload v0\n"
	  "	" LOAD "; $XD status v0; $XD unload v0; clean\ndone\n" },
};

int main(void)
{
	cli_environment();
	add_rows(DAMAGES, run_damage, cli_setup, cli_teardown);
	add_rows(STORIES, cli_run_story, cli_setup, cli_teardown);
	add_test("pins-unattached", test_pins_unattached, cli_setup, cli_teardown, NULL);
	return run_added_tests("leftovers");
}
