// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The documents: the files, functions, options and tests that they name exist, their links lead
 * somewhere, lines are narrow; and they have the rights of each verb, and fixtures. Each test
 * program says what it shows. The rules of ARCHITECTURE.md about rooms, as scripts/rooms reads
 * them: a file includes only headers of rooms that its own room may use, and only libraries that
 * its room may use. No room uses itself through other rooms. Rooms below the programs do not print.
 * A room of fixtures uses only rooms above it in tests/README.md.
 */
#include "unit.h"

/* Functions of checks.py. */
static const struct {
	const char *name;
} CHECKS[] = {
	{ "readme_is_short" },
	{ "lines_are_narrow" },
	{ "paths_exist" },
	{ "names_exist" },
	{ "options_exist" },
	{ "links_resolve" },
	{ "verbs_have_their_rights" },
	{ "programs_say_what_they_show" },
	{ "fixtures_have_a_line_each" },
	{ "named_programs_exist" },
	{ "headers_are_of_rooms_below" },
	{ "every_room_is_in_the_table" },
	{ "only_programs_print" },
	{ "no_room_uses_one_below_it" },
};

TEST_ROWS(nothing_is_wrong, CHECKS)
{
	char out[8192];

	if (sh_out(out, sizeof(out), "python3 tests/unit/tree/checks.py %s %s", row->name, tool()))
		fail_msg("%s", out);
}

UNIT_MAIN()
