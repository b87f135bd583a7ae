// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Floods, as `make bench-e2e` measures them, but slow ones: are the accounts right?
 *
 * Runs alone: its threads have real-time priority.
 */
#include "flood_runner.h"

#define RATE_PPS 50000
#define SECONDS 0.2
#define SENT_MAX ((int)(RATE_PPS * SECONDS))

/* On a busy machine a ring may overflow at any rate; that too must be accounted for. */
static void flood(enum flood_way way, uint32_t copies)
{
	struct flood_result r = flood_run_run(way, RATE_PPS, SECONDS);

	assert_in_range(r.sent, SENT_MAX * 9 / 10, SENT_MAX);
	assert_int_equal(r.events, (r.sent + copies - 1) / copies);
	flood_run_check(way, &r);
	if (way == FLOOD_NOWHERE)
		assert_int_equal(r.received, 0);
	else
		assert_int_not_equal(r.received, 0);
	if (way == FLOOD_XDP_DEDUP_XSK || way == FLOOD_XDP_NUMBERED_XSK ||
	    way == FLOOD_XDP_LINE_XSK || way == FLOOD_XDP_TOLD_XSK || way == FLOOD_XSK_DEDUP)
		assert_int_not_equal(r.by_xsk, 0);
	else
		assert_int_equal(r.by_xsk, 0);
	assert_int_equal(r.dropped, way <= FLOOD_XDP_TOLD_XSK ? r.duplicates : 0);
}

static const struct row {
	const char *name;
	uint32_t burst, copies;
} ROWS[] = {
	{ "each-event-in-ten-copies", 64, 10 },
	{ "each-event-in-two-copies", 64, 2 },
	{ "each-event-once-in-long-bursts", 192, 1 },
};

static void floods(void **state)
{
	const struct row *row = *state;

	flood_run_make(row->burst, row->copies, "--window 10m");
	for (int way = 0; way < FLOOD_WAYS; way++)
		flood(way, row->copies);
	flood_run_remove();
}

int main(void)
{
	add_rows(ROWS, floods, NULL, NULL);
	return run_added_tests("flood");
}
