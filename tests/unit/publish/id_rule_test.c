// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rules of ids, as machines write and compare them: what another machine has written is hostile. */
#include "unit.h"

#include "id_rule.h"

#define MACHINE "a host with blanks, of 64 characters----------------------------"

static const struct id_rule RULE = { "own", "realm", 0x12ab, "5a7863b78065eb5b" };

static const struct row {
	const char *name, *theirs, *difference, *machine;
} ROWS[] = {
	{ "equal",
	  "format=1 realm=realm profile=00000000000012ab secret=5a7863b78065eb5b machine=" MACHINE,
	  NULL, MACHINE },
	{ "secret", "format=1 realm=realm profile=00000000000012ab secret=- machine=m",
	  "with another secret (--secret)", "m" },
	{ "profile", "format=1 realm=realm profile=00000000000012ac secret=5a7863b78065eb5b machine=m",
	  "with another profile", "m" },
	{ "realm", "format=1 realm=own profile=00000000000012ab secret=5a7863b78065eb5b machine=m",
	  "with other streams in its realm", "m" },
	{ "format", "format=2 realm=realm profile=00000000000012ab secret=5a7863b78065eb5b machine=m",
	  "with ids of another version of this program", "m" },
	{ "later-format", "format=2 more=x", "with ids of another version of this program", "?" },
	{ "nonsense", "%s%n", "with ids of another version of this program", "?" },
	{ "empty", "", "with ids of another version of this program", "?" },
	{ "long-field",
	  "format=1 realm=realm profile=00000000000012ab0 secret=5a7863b78065eb5b machine=m",
	  "with ids of another version of this program", "?" },
};

TEST_ROWS(difference_of_row, ROWS)
{
	char ours[ID_RULE_TEXT_MAX], machine[65];
	const char *difference = id_rule_difference(&RULE, row->theirs, machine);

	if (row->difference)
		assert_string_equal(difference, row->difference);
	else
		assert_null(difference);
	assert_string_equal(machine, row->machine);
	if (row->difference)
		return;
	id_rule_write(&RULE, MACHINE, ours);
	assert_string_equal(ours, row->theirs);
}

UNIT_MAIN()
