// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* replay --html: its page in a real browser. */
#include "cli_runner.h"

int main(void)
{
	cli_environment();
	add_cli_scripts("tests/cli/report");
	return run_added_tests("report");
}
