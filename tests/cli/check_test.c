// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `check`: its findings about interfaces as users have them; that `load` then reports them, too;
 * and that nothing is changed.
 */
#include "cli_runner.h"

int main(void)
{
	cli_environment();
	add_cli_scripts("tests/cli/check");
	return run_added_tests("check");
}
