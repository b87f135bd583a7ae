// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The operators' page, user/service/USAGE.md: its sizes are those that the tool says. */
#include "unit.h"

/* Of each row of the table: its profile, if it names one, its capacity, and its size, of which the
 * page has two digits.
 */
TEST(sizes_are_the_tools)
{
	char out[4096];

	sh_out(out, sizeof(out),
	       "rows=0; while IFS='|' read -r _ load _ capacity size _; do\n"
	       "profile=$(echo \"$load\" | sed -n 's/.*(`\\([a-z0-9-]*\\)`.*/\\1/p')\n"
	       "[ \"$profile\" != moldudp64 ] || profile=moldudp64:1@233.252.0.1\n"
	       "[ $capacity = - ] && capacity= || capacity=\"--capacity $capacity\"\n"
	       "said=$(%s size $capacity ${profile:+--profile $profile} |\n"
	       "	sed -n 's/^filter .*(\\(.*\\))/\\1/p')\n"
	       "echo $said $size | awk '$2 == \"kB\" { $1 /= 1000 } { exit !($4 == \"MB\" && \n"
	       "	$1 / $3 < 1.05 && $3 / $1 < 1.05) }' || echo \"$load: $said, not $size\"\n"
	       "rows=$((rows + 1)); done <<END\n"
	       "$(sed -n '/^## Sizes/,$p' user/service/USAGE.md | grep ' MB |')\n"
	       "END\n"
	       "[ $rows -ge 8 ] || echo there are $rows rows",
	       tool());
	assert_string_equal(out, "");
}

UNIT_MAIN()
