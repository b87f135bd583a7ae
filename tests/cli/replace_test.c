// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* load --replace: over a filter of this version, and, as an upgrade, by $NEXT, the tool of the next
 * format (include/format.h).
 */
#include "cli_runner.h"

#include "format.h"

static void set_number(const char *name, int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", number);
	assert_return_code(setenv(name, text, 1), errno);
}

int main(void)
{
	cli_environment();
	set_number("FORMAT", DEDUP_FORMAT);
	set_number("NEXT_FORMAT", DEDUP_FORMAT + 1);
	add_cli_scripts("tests/cli/replace");
	return run_added_tests("replace");
}
