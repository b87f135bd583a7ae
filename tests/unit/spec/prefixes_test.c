// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lists of destinations: what is taken, how it is shown again, what is refused. */
#include "unit.h"

#include "prefixes.h"

#define LONG_ADDRESS "1111:2222:3333:4444:5555:6666:7777:8888"

static const struct row {
	const char *name, *text;
	const char *shown; /* NULL: refused */
} ROWS[] = {
	{ "v4-address", "192.0.2.1", "192.0.2.1" },
	{ "v4-prefix", "10.0.0.0/8", "10.0.0.0/8" },
	{ "v4-bits-beyond-are-cleared", "10.1.2.3/9", "10.0.0.0/9" },
	{ "v4-any", "0.0.0.0/0", "0.0.0.0/0" },
	{ "v4-whole-length", "192.0.2.1/32", "192.0.2.1" },
	{ "v6-address", "2001:db8::1", "2001:db8::1" },
	{ "v6-prefix", "2001:db8::/32", "2001:db8::/32" },
	{ "v6-bits-beyond-are-cleared", "2001:db8:ffff::/33", "2001:db8:8000::/33" },
	{ "v6-second-half", "2001:db8::ff00/120", "2001:db8::ff00/120" },
	{ "v6-any", "::/0", "::/0" },
	{ "v6-longest", LONG_ADDRESS "/127", "1111:2222:3333:4444:5555:6666:7777:8888/127" },
	{ "v4-comes-first", "::1,1.1.1.1,::2,2.2.2.2", "1.1.1.1,2.2.2.2,::2,::1" },
	{ "mapped-address", "::ffff:10.0.0.1", "10.0.0.1" },
	{ "mapped-in-hex", "::FFFF:a00:1", "10.0.0.1" },
	{ "mapped-prefix", "::ffff:10.1.2.3/105", "10.0.0.0/9" },
	{ "mapped-any", "::ffff:0:0/96", "0.0.0.0/0" },
	{ "mapped-comes-first", "::1,::ffff:1.1.1.1", "1.1.1.1,::1" },
	{ "nat64-is-v6", "64:ff9b::10.0.0.1", "64:ff9b::a00:1" },
	{ "empty", "", NULL },
	{ "empty-item", "1.1.1.1,,2.2.2.2", NULL },
	{ "comma-at-the-end", "1.1.1.1,", NULL },
	{ "word", "host", NULL },
	{ "three-bytes", "1.1.1", NULL },
	{ "byte-too-large", "1.1.1.256", NULL },
	{ "v4-length-33", "1.1.1.1/33", NULL },
	{ "v6-length-129", "::1/129", NULL },
	{ "length-empty", "1.1.1.1/", NULL },
	{ "length-negative", "1.1.1.1/-1", NULL },
	{ "length-with-unit", "1.1.1.1/0k", NULL },
	{ "length-endless", "::/99999999999999999999", NULL },
	{ "blank", " 1.1.1.1", NULL },
	{ "much-too-long", LONG_ADDRESS LONG_ADDRESS LONG_ADDRESS, NULL },
};

TEST_ROWS(row_is_taken_or_refused, ROWS)
{
	struct dedup_prefix list[DEDUP_TO_MAX];
	char shown[256] = "", one[PREFIX_TEXT_MAX];
	uint32_t cnt = 0, cnt4 = 0;
	int err = parse_prefixes(row->text, list, &cnt, &cnt4);

	assert_int_equal(err, row->shown ? 0 : -EINVAL);
	for (uint32_t i = 0; i < cnt; i++) {
		strcat(shown, i ? "," : "");
		strcat(shown, format_prefix(&list[i], i < cnt4, one));
	}
	assert_string_equal(shown, row->shown ?: "");
}

/* The length is of an IPv4 prefix, or the prefix one of IPv6: it cannot be told. */
TEST(mapped_prefix_beyond_ipv4_is_refused)
{
	struct dedup_prefix list[DEDUP_TO_MAX];
	uint32_t cnt = 7, cnt4 = 7;

	assert_int_equal(parse_prefixes("::ffff:10.0.0.1/24", list, &cnt, &cnt4), -EDOM);
	assert_int_equal(parse_prefixes("1.1.1.1,::ffff:0:0/95", list, &cnt, &cnt4), -EDOM);
	assert_true(cnt == 7 && cnt4 == 7);
}

UNIT_MAIN()
