// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The bins of a capture's time, which become wider as it goes on. */
#include "timeline.h"

#include "unit.h"

#define MS UINT64_C(1000000)

/* Packets at these times, and the bins that they make. */
static const struct row {
	const char *name;
	uint64_t at_ms[4];
	uint64_t width_ms;
	uint32_t cnt, last; /* bins; packets in the last one */
} ROWS[] = {
	{ "at-once", { 5, 5, 5, 5 }, 1, 1, 4 },
	{ "in-two-bins", { 5, 5, 6, 6 }, 1, 2, 2 },
	{ "in-the-last-bin", { 0, 0, 0, 239 }, 1, 240, 1 },
	{ "one-too-late", { 0, 0, 0, 240 }, 2, 121, 1 },
	{ "far-too-late", { 0, 1, 2, 240 * 64 }, 128, 121, 1 },
	{ "before-the-first", { 9, 1, 2, 10 }, 1, 2, 1 },
};

TEST_ROWS(bins_are_as_wide_as_needed, ROWS)
{
	static struct timeline t;
	uint64_t sum = 0;

	memset(&t, 0, sizeof(t));
	for (int i = 0; i < 4; i++)
		timeline_note(&t, row->at_ms[i] * MS, false);
	assert_int_equal(t.width_ns, row->width_ms * MS);
	assert_int_equal(t.cnt, row->cnt);
	assert_int_equal(t.bins[t.cnt - 1].packets, row->last);
	for (int i = 0; i < TIMELINE_BINS; i++)
		sum += t.bins[i].packets;
	assert_int_equal(sum, 4);
}

/* Each packet is in the bin of its time, however wide the bins became behind it. */
TEST(widening_loses_no_packet)
{
	static struct timeline t;
	static struct timeline_bin expected[TIMELINE_BINS];
	uint64_t ns = 77 * MS, times[2000];

	for (int i = 0; i < 2000; i++) {
		ns += (uint64_t)rand() % (i < 1000 ? 10000 : 100 * MS);
		times[i] = ns;
		timeline_note(&t, ns, i % 3 == 0);
	}
	for (int i = 0; i < 2000; i++) {
		struct timeline_bin *bin = &expected[(times[i] - times[0]) / t.width_ns];

		bin->packets++;
		bin->duplicates += i % 3 == 0;
	}
	assert_memory_equal(t.bins, expected, sizeof(expected));
}

UNIT_MAIN()
