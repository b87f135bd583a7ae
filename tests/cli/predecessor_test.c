// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the tool says of a filter that was resized, and still asks its predecessor. */
#include "cli_runner.h"

#include "open.h"
#include "predecessor.h"

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
	add_own_tests(cli_setup, cli_teardown);
	add_cli_scripts("tests/cli/predecessor");
	return run_added_tests("predecessor");
}
