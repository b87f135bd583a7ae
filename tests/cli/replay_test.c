// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* replay: captures with known duplicates through either engine, and what it does with bad ones. */
#include "output.h"
#include "scripts.h"

static void name_dir(const char *variable)
{
	char dir[] = "/tmp/replay-test-XXXXXX";

	assert_non_null(mkdtemp(dir));
	setenv(variable, dir, 1);
}

static int make_dir(void **state)
{
	(void)state;
	name_dir("D");
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	sh("rm -rf $D");
	return 0;
}

int main(void)
{
	int status;

	name_tool();
	name_dir("MADE");
	add_scripts("tests/cli/replay", make_dir, remove_dir);
	status = run_added_tests("replay");
	sh("rm -rf $MADE");
	return status;
}
