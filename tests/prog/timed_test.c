// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Filters that drop for a time (load --for): what becomes of duplicates before its end, at it and
 * after it, and how they are counted.
 */
#include "layout_runner.h"

#include "kernel.h"

#define MS 1000000ULL
#define HOUR_NS (3600000 * MS)

/* The hand of a still filter never says that the time is over: the test does. */
static void load(bool still, bool ihave_pass)
{
	struct dedup_config cfg = still ? fixture_still_config() : fixture_live_config(FIXTURE_PORTS);

	cfg.policy.action = DEDUP_DROP_FOR;
	cfg.asked.drop_ns = HOUR_NS;
	cfg.asked.ihave_pass = ihave_pass;
	fixture_load(&cfg);
}

TEST(drops_before_and_passes_after)
{
	struct dedup_state *st;
	uint64_t dropped_bytes;
	struct id id;

	load(true, false);
	st = fixture.filter.state;
	fixture_learn(&id, 1);
	for (int i = 0; i < 3; i++)
		expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
	expect_ihave(&id, 1, XDP_DROP, DEDUP_REASON_ihave_duplicate);
	assert_int_equal(fixture.seen.dropped, 4);
	assert_int_equal(fixture.seen.dropped_bytes, fixture.seen.duplicate_bytes);

	st->counting = 1;
	dropped_bytes = fixture.seen.dropped_bytes;
	expect_event(&id, XDP_PASS, DEDUP_REASON_duplicate);
	expect_ihave(&id, 1, XDP_PASS, DEDUP_REASON_ihave_duplicate);
	fixture_learn(&id, 1); /* it goes on learning */
	expect_event(&id, XDP_PASS, DEDUP_REASON_duplicate);
	assert_int_equal(fixture.seen.dropped, 4);
	assert_int_equal(fixture.seen.dropped_bytes, dropped_bytes);
	assert_true(fixture.seen.duplicate_bytes > dropped_bytes);

	st->counting = 0; /* the time was put off */
	expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
	assert_int_equal(fixture.seen.dropped, 5);
}

TEST(ihaves_that_all_pass_are_not_dropped)
{
	struct id id;

	load(true, true);
	fixture_learn(&id, 1);
	expect_ihave(&id, 1, XDP_PASS, DEDUP_REASON_ihave_duplicate);
	expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
	assert_int_equal(fixture.seen.dropped, 1);
	assert_int_equal(fixture.seen.dropped_bytes, fixture.seen.duplicate_bytes);
}

/* Until then none may pass, and once the hand has stepped after it none may be dropped. How long
 * that takes is the timer's business: on a machine that has other things to do, as long as it likes.
 */
static void cross(const struct id *id, uint64_t until_ns)
{
	const struct dedup_state *st = fixture.filter.state;
	uint64_t end_ns = until_ns + PATIENCE_MS * MS, last_ns, before_ns, after_ns;
	bool dropped;

	do {
		last_ns = READ_ONCE(st->last_ns);
		before_ns = kernel_now_ns();
		dropped = layout_run_packet(id);
		after_ns = kernel_now_ns();
		assert_true(before_ns < end_ns);
		if (after_ns < until_ns)
			assert_true(dropped);
		if (last_ns >= until_ns)
			assert_false(dropped);
	} while (dropped);
}

/* With the kernel's own hand. */
TEST(passes_from_the_first_step_behind_the_end)
{
	uint64_t until_ns;
	struct id id;

	load(false, false);
	fixture_learn(&id, 1);
	until_ns = kernel_now_ns() + 100 * MS;
	/* The hand must have read this before the next id is sent. */
	fixture.filter.state->drop_until_ns = until_ns;
	fixture_await(&fixture.filter.state->last_ns, kernel_now_ns());
	cross(&id, until_ns);
	/* And it stays so. */
	usleep(20000);
	assert_false(layout_run_packet(&id));
}

/* Filters that drop for ever do not look at it. */
TEST(others_drop_for_ever)
{
	struct dedup_config cfg = fixture_still_config();
	struct id id;

	fixture_load(&cfg);
	fixture.filter.state->counting = 1;
	fixture_learn(&id, 1);
	expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
	assert_int_equal(fixture.seen.dropped_bytes, fixture.seen.duplicate_bytes);
}

int main(void)
{
	add_own_tests(NULL, fixture_unload);
	return run_added_tests("timed");
}
