// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How `make` behaves: one line tells what a machine lacks, and nothing is installed; flags
 * from outside reach every command. Nothing is built here.
 */
#include "unit.h"

#include "scripts.h"

static char dir[] = "/tmp/xdp-dedup-build.XXXXXX"; /* $D of the scripts */

int main(void)
{
	int failed;

	if (!mkdtemp(dir))
		return 1;
	setenv("D", dir, 1);
	add_scripts("tests/unit/tree/build", NULL, NULL);
	failed = run_added_any_tests("build");
	sh("rm -rf $D");
	return failed;
}
