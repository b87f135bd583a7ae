// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the last release has loaded is taken over, and no id is forgotten: by its own tool, $LAST,
 * which is built from its commit (RELEASE in the Makefile). Skipped where there is no such tool, as
 * in `make test`, or in a clone without that commit.
 */
#include "cli_runner.h"

static void there_is_no_release(void **state)
{
	(void)state;
	skip();
}

int main(void)
{
	cli_environment();
	if (access(last_tool(), X_OK))
		add_test("there_is_no_release", there_is_no_release, NULL, NULL, NULL);
	else
		add_cli_scripts("tests/cli/release");
	return run_added_tests("release");
}
