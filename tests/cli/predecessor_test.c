// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the tool says of a filter that was resized, and still asks its predecessor. */
#include "cli_runner.h"

#include "open.h"
#include "predecessor.h"

#define ID_C ZEROS "cc"

/* What each verb says of ids that the predecessor knows, of any layout before and after. */
static const struct layouts {
	const char *name, *from, *to;
} LAYOUTS[] = {
	{ "blocked-to-blocked", "blocked", "blocked" },
	{ "blocked-to-flat", "blocked", "flat" },
	{ "blocked-to-countdown", "blocked", "countdown" },
	{ "flat-to-blocked", "flat", "blocked" },
	{ "flat-to-flat", "flat", "flat" },
	{ "flat-to-countdown", "flat", "countdown" },
	{ "countdown-to-blocked", "countdown", "blocked" },
	{ "countdown-to-flat", "countdown", "flat" },
	{ "countdown-to-countdown", "countdown", "countdown" },
};

/* Ids can be removed where both are countdowns. */
static void check_removal(const struct layouts *l)
{
	if (strcmp(l->to, "countdown"))
		return;
	if (strcmp(l->from, "countdown")) {
		assert_run(1, "$XD remove v0 " ID_B);
		assert_says("the predecessor of v0 still knows " ID_B ", and its layout, %s, ",
			    l->from);
		assert_run(0, "$XD remove v0 " ID_C); /* which that one does not know */
		return;
	}
	assert_run(0, "$XD remove v0 " ID_A " " ID_B);
	assert_string_equal(output, ID_A " removed\n" ID_B " removed\n");
	assert_run(3, "$XD test v0 " ID_A " " ID_B " " ID_C);
	assert_string_equal(output, ID_A " unknown\n" ID_B " unknown\n" ID_C " known\n");
}

static void test_ids(void **state)
{
	const struct layouts *l = *state;

	sh(LOAD " --capacity 10k --layout %s; $XD add v0 " ID_A " " ID_B, l->from);
	sh("$XD resize v0 --capacity 20k --layout %s", l->to);
	assert_run(3, "$XD test v0 " ID_A " " ID_B " " ID_C);
	assert_string_equal(output, ID_A " known\n" ID_B " known\n" ID_C " unknown\n");
	assert_run(0, "$XD add v0 " ID_A " " ID_C);
	assert_string_equal(output, ID_A " known\n" ID_C " new\n");
	assert_run(0, "$XD want v0 " ID_B);
	check_removal(l);
	/* reset is for both. */
	sh("$XD reset v0");
	assert_run(3, "$XD test v0 " ID_A " " ID_B " " ID_C);
	assert_string_equal(output, ID_A " unknown\n" ID_B " unknown\n" ID_C " unknown\n");
}

/* The rate is that of both; the time left falls by the clock; then status tells what to do. */
TEST(test_status)
{
	json_object *o, *before;
	double left, of_both;

	cli_write_ids("/mnt/ids", 1800, 1);
	sh(LOAD " --capacity 2k --fpr 0.01 --window 8s; $XD add v0 - </mnt/ids >/mnt/out");
	o = tool_status("v0");
	assert_null(member(o, "predecessor"));
	of_both = number(o, "fpr_estimate");
	json_object_put(o);
	sh("$XD resize v0 --capacity 4k");
	o = tool_status("v0");
	before = member(o, "predecessor");
	left = number(before, "left_ns");
	assert_true(left > 8e9 && left <= 16.1e9);
	assert_string_equal(text(before, "learns"), "false");
	assert_string_equal(text(before, "asked"), "true");
	assert_true(number(before, "capacity") == 2000 && number(before, "window_ns") == 8e9);
	assert_near(before, "ids_estimate", 1800, 0.2);
	assert_true(of_both > 0 && number(o, "fpr_estimate") > of_both / 2);
	assert_near(o, "fpr_estimate", number(before, "fpr_estimate"), 0.01);
	assert_string_equal(text(o, "exchanging"), "false");
	json_object_put(o);
	assert_run(0, "$XD status v0");
	assert_says(", the predecessor's included\n  predecessor ");
	assert_says(" asked for another ");
	usleep((unsigned int)(left / 1000));
	assert_run(0, "for i in $(seq 300); do $XD status v0 | grep -q 'predecessor has forgotten' && "
		      "break; sleep 0.1; done; $XD status v0");
	assert_says("\n  predecessor has forgotten every id; its memory, ");
	o = tool_status("v0");
	before = member(o, "predecessor");
	assert_string_equal(text(before, "asked"), "false");
	assert_string_equal(text(before, "forgotten"), "true");
	assert_true(number(before, "left_ns") == 0 && number(o, "fpr_estimate") == 0);
	json_object_put(o);
	sh("$XD refresh");
	assert_run(0, "$XD status v0 --json");
	assert_says("\"predecessor\": null");
}

/* Neither a hand that has stopped nor a change that has not ended is passed over. */
TEST(test_status_of_trouble)
{
	struct filter f;

	sh(LOAD " --window 1m; $XD add v0 " ID_A "; $XD resize v0 --capacity 2M");
	assert_int_equal(filter_open("v0", &f), 0);
	f.state->exchanging = 1;
	assert_run(0, "$XD status v0");
	assert_says("\n  change      has begun and not ended: ");
	assert_null(strstr(output, "until then"));
	assert_int_equal(filter_open_predecessor(&f), 0);
	f.predecessor->state->successor = DEDUP_CHARGE_CHANGES;
	assert_run(0, "$XD status v0");
	assert_says("; until then the predecessor learns\n");
	f.predecessor->state->successor = DEDUP_SUCCESSOR_IN_CHARGE;
	f.state->exchanging = 0;
	sh("rm $PINS/v0/predecessor_timer");
	do {
		f.predecessor->state->last_ns = 1;
		usleep(10 * f.predecessor->config->memory.tick_ns / 1000);
	} while (READ_ONCE(f.predecessor->state->last_ns) != 1);
	assert_run(0, "$XD status v0");
	assert_says("; its hand has stopped, so it is not asked\n");
	assert_run(3, "$XD test v0 " ID_A);
	filter_close(&f);
}

int main(void)
{
	cli_environment();
	add_rows(LAYOUTS, test_ids, cli_setup, cli_teardown);
	add_own_tests(cli_setup, cli_teardown);
	add_scripts("tests/cli/predecessor");
	return run_added_tests("predecessor");
}
