// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Notes that come often: the first is logged at once, the others are counted. */
#include "unit.h"

#include "diags.h"
#include "log_rate.h"

#define S 1000000000ULL
#define START (100 * S)

/* Notes come after so many seconds: each word is SECONDS, with the note, or SECONDS? to look. */
static const struct row {
	const char *name, *steps, *logged;
} ROWS[] = {
	{ "one", "0a", "note: a\n" },
	{ "second_waits", "0a 1b", "note: a\n" },
	{ "second_is_logged_later", "0a 1b 9? 10?", "note: a\nnote: b\n" },
	{ "others_are_counted", "0a 1b 2c 3d 11?",
	  "note: a\nnote: d; 2 more since the last line about it\n" },
	{ "note_ends_the_interval", "0a 1b 11c",
	  "note: a\nnote: c; 1 more since the last line about it\n" },
	{ "each_interval_has_a_line", "0a 1b 11? 12c 20? 21?", "note: a\nnote: b\nnote: c\n" },
	{ "first_after_silence", "0a 11? 30b 31c 40?", "note: a\nnote: b\nnote: c\n" },
	{ "end_logs_what_is_left", "0a 1b 2c !",
	  "note: a\nnote: c; 1 more since the last line about it\n" },
};

TEST_ROWS(rate, ROWS)
{
	struct log_rate r = { 0 };
	char steps[128], *rest = steps;

	snprintf(steps, sizeof(steps), "%s", row->steps);
	diags_collect();
	for (char *step; (step = strsep(&rest, " "));) {
		unsigned int seconds = 0;
		int len = 0;

		sscanf(step, "%u%n", &seconds, &len);
		if (step[len] == '!')
			log_rate_flush(&r);
		else if (step[len] == '?')
			log_rate_flush_due(&r, START + seconds * S);
		else
			log_rate_note(&r, START + seconds * S, 1, "%s", step + len);
	}
	assert_string_equal(diags_end(), row->logged);
}

UNIT_MAIN()
