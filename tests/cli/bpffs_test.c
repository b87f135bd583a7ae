// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Pins are made where they outlive the command, or not at all. Under `ip netns exec` a command
 * has a mount namespace of its own, in which bpffs is hidden: so it is in what `hidden` runs.
 */
#include "cli_runner.h"

int main(void)
{
	cli_environment();
	add_cli_scripts("tests/cli/bpffs");
	return run_added_tests("bpffs");
}
