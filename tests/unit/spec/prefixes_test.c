// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Lists of destinations: what is taken, how it is shown again, what is refused. */
#include "unit.h"

#include "prefixes.h"

#define LONG_ADDRESS "1111:2222:3333:4444:5555:6666:7777:8888"

/* NULL: refused. */
static const char *const ROWS[][2] = { { "192.0.2.1", "192.0.2.1" },
				       { "10.1.2.3/9", "10.0.0.0/9" },
				       { "0.0.0.0/0", "0.0.0.0/0" },
				       { "192.0.2.1/32", "192.0.2.1" },
				       { "2001:db8::1", "2001:db8::1" },
				       { "2001:db8::/32", "2001:db8::/32" },
				       { "2001:db8:ffff::/33", "2001:db8:8000::/33" },
				       { "2001:db8::ff00/120", "2001:db8::ff00/120" },
				       { "::/0", "::/0" },
				       { LONG_ADDRESS "/127", LONG_ADDRESS "/127" },
				       { "::1,1.1.1.1,::2,2.2.2.2", "1.1.1.1,2.2.2.2,::2,::1" },
				       /* Mapped addresses are those of IPv4, NAT64's are not. */
				       { "::ffff:10.0.0.1", "10.0.0.1" },
				       { "::ffff:10.1.2.3/105", "10.0.0.0/9" },
				       { "::ffff:0:0/96", "0.0.0.0/0" },
				       { "64:ff9b::10.0.0.1", "64:ff9b::a00:1" },
				       { "" },
				       { "1.1.1.1,,2.2.2.2" },
				       { "1.1.1.1," },
				       { "host" },
				       { "1.1.1.256" },
				       { "1.1.1.1/33" },
				       { "::1/129" },
				       { "1.1.1.1/" },
				       { "1.1.1.1/0k" },
				       { "::/99999999999999999999" },
				       { " 1.1.1.1" },
				       { LONG_ADDRESS LONG_ADDRESS LONG_ADDRESS } };

TEST(taken_or_refused)
{
	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		struct dedup_prefix list[DEDUP_TO_MAX];
		char shown[256] = "", one[PREFIX_TEXT_MAX];
		uint32_t cnt = 0, cnt4 = 0;
		int err = parse_prefixes(ROWS[i][0], list, &cnt, &cnt4);

		for (uint32_t j = 0; j < cnt; j++) {
			strcat(shown, j ? "," : "");
			strcat(shown, format_prefix(&list[j], j < cnt4, one));
		}
		if (err != (ROWS[i][1] ? 0 : -EINVAL) || strcmp(shown, ROWS[i][1] ?: ""))
			fail_msg("%s: %d, %s", ROWS[i][0], err, shown);
	}
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
