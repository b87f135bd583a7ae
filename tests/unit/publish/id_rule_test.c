// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rules of ids, as machines write and compare them: what another machine has written is hostile. */
#include "unit.h"

#include "id_rule.h"

#define SECRET "secret=5a7863b78065eb5b shards=3"
#define MACHINE "a host with blanks, of 64 characters----------------------------"

static const struct id_rule RULE = { "own", "realm", 0x12ab, "5a7863b78065eb5b", 3 };

static const struct row {
	const char *name, *theirs, *difference, *machine;
} ROWS[] = {
	{ "equal", "format=1 realm=realm profile=00000000000012ab " SECRET " machine=" MACHINE,
	  NULL, MACHINE },
	{ "secret", "format=1 realm=realm profile=00000000000012ab secret=- shards=3 machine=m",
	  "with another secret (--secret)", "m" },
	{ "profile", "format=1 realm=realm profile=00000000000012ac " SECRET " machine=m",
	  "with another profile", "m" },
	{ "realm", "format=1 realm=own profile=00000000000012ab " SECRET " machine=m",
	  "with other streams in its realm", "m" },
	{ "shards",
	  "format=1 realm=realm profile=00000000000012ab secret=5a7863b78065eb5b shards=0 machine=m",
	  "with another number of shards (--shards)", "m" },
	{ "format", "format=2 realm=realm profile=00000000000012ab " SECRET " machine=m",
	  "with ids of another version of this program", "m" },
	{ "later-format", "format=2 more=x", "with ids of another version of this program", "?" },
	{ "nonsense", "%s%n", "with ids of another version of this program", "?" },
	{ "empty", "", "with ids of another version of this program", "?" },
	{ "long-field", "format=1 realm=realm profile=00000000000012ab0 " SECRET " machine=m",
	  "with another profile", "m" },
	{ "fewer-fields", "format=1 realm=realm", "with other streams in its realm", "?" },
};

TEST(subjects_have_no_braces)
{
	char subject[ID_RULE_SUBJECT_MAX];

	id_rule_subject("E-{shard}", "gsp", subject);
	assert_string_equal(subject, "$KV.xdp-dedup.E-=shard=.gsp");
}

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
