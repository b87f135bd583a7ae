// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The packet program's filter and its hand: what is known, learned, forgotten; what is dropped for
 * a time only.
 */
#include "layout_runner.h"

#include <bpf/bpf.h>

#include "hand.h"
#include "ids.h"
#include "kernel.h"
#include "plan.h"

#define MS 1000000ULL

TEST_WITH(every_bit_of_an_id_counts, fixture_load_still, fixture_unload)
{
	expect_event(&NO_ID, XDP_PASS, DEDUP_REASON_no_id);
	for (int bit = 0; bit < 8 * GSP_ID_BYTES; bit++) {
		struct id id = { 0 };

		id.bytes[bit / 8] |= 1 << bit % 8;
		expect_ihave(&id, 1, XDP_PASS, DEDUP_REASON_ihave_new);
		expect_event(&id, XDP_PASS, DEDUP_REASON_new);
		expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
		expect_event(&NO_ID, XDP_PASS, DEDUP_REASON_no_id);
	}
}

TEST_WITH(iwant_passes_and_teaches_nothing, fixture_load_still, fixture_unload)
{
	struct id ids[GSP_IDS_MAX];
	struct frame f;

	for (int i = 0; i < GSP_IDS_MAX; i++)
		ids[i] = id_fresh();
	frame_build(&f, &(struct frame_plan){ .type = GSP_IWANT, .count = GSP_IDS_MAX }, ids);
	expect(&f, XDP_PASS, DEDUP_REASON_exempt);
	for (int i = 0; i < GSP_IDS_MAX; i++)
		expect_event(&ids[i], XDP_PASS, DEDUP_REASON_new);
	expect(&f, XDP_PASS, DEDUP_REASON_exempt);
}

/* They count as what they are, but not as dropped, nor do their bytes. */
TEST(all_ihaves_pass_if_told_to)
{
	struct dedup_config cfg = fixture_still_config();
	struct id ids[2], fresh = id_fresh();

	cfg.asked.ihave_pass = 1;
	fixture_load(&cfg);
	fixture_learn(ids, 2);
	expect_ihave(ids, 2, XDP_PASS, DEDUP_REASON_ihave_duplicate);
	assert_int_equal(fixture.seen.dropped, 0);
	assert_int_equal(fixture.seen.duplicate_bytes, 0);
	expect_event(&ids[0], XDP_DROP, DEDUP_REASON_duplicate);
	expect_ihave(&fresh, 1, XDP_PASS, DEDUP_REASON_ihave_new);
	expect_event(&fresh, XDP_PASS, DEDUP_REASON_new);
}

TEST(nothing_drops_when_the_clock_has_stopped)
{
	struct dedup_config cfg = fixture_still_config();
	struct id known = id_fresh(), fresh = id_fresh();
	struct frame iwant;
	uint64_t stale_at;

	cfg.memory.stale_jiffies = 100000;
	fixture_load(&cfg);
	stale_at = fixture.filter.state->stale_at;
	frame_build(&iwant, &(struct frame_plan){ .type = GSP_IWANT }, &fresh);
	expect_event(&known, XDP_PASS, DEDUP_REASON_new);

	fixture.filter.state->stale_at = stale_at - cfg.memory.stale_jiffies - 1;
	expect_event(&known, XDP_PASS, DEDUP_REASON_stale);
	expect_event(&fresh, XDP_PASS, DEDUP_REASON_stale);
	expect_ihave(&known, 1, XDP_PASS, DEDUP_REASON_stale);
	expect_ihave(&fresh, 1, XDP_PASS, DEDUP_REASON_stale);
	expect(&iwant, XDP_PASS, DEDUP_REASON_exempt);

	/* Another CPU may have beaten in a jiffy that this one has not seen yet. */
	fixture.filter.state->stale_at = stale_at + cfg.memory.stale_jiffies;
	expect_event(&known, XDP_DROP, DEDUP_REASON_duplicate);

	fixture.filter.state->stale_at = stale_at - cfg.memory.stale_jiffies * 9 / 10;
	expect_ihave(&known, 1, XDP_DROP, DEDUP_REASON_ihave_duplicate);
	expect_event(&known, XDP_DROP, DEDUP_REASON_duplicate);
	expect_event(&fresh, XDP_PASS, DEDUP_REASON_new);
}

TEST(the_clock_goes_on_by_itself)
{
	struct dedup_config cfg = fixture_live_config(FIXTURE_PORTS);
	struct id id = id_fresh();
	__u64 *stale_at;

	cfg.memory.stale_jiffies /= 2; /* a second */
	fixture_load(&cfg);
	stale_at = &fixture.filter.state->stale_at;
	expect_event(&id, XDP_PASS, DEDUP_REASON_new);
	fixture_await(stale_at, *stale_at + cfg.memory.stale_jiffies);
	expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
	*stale_at = 0;
	fixture_await(stale_at, 1);
	expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
}

/* By the kernel's own timer. How long exactly, operations_test says. */
static void an_id_is_remembered(enum dedup_layout layout)
{
	struct filter_spec spec = { .capacity = 1000,
				    .fpr_e18 = SPEC_FPR(1e-6),
				    .window_ns = 500 * MS,
				    .layout = layout,
				    .streams = { { SPEC_GSP, .ports = { { GOSSIP_PORT, GOSSIP_PORT } },
						   .ports_cnt = 1 } },
				    .streams_cnt = 1 };
	struct dedup_config cfg;
	struct id id = id_fresh();
	uint64_t start, ns = 0;
	struct frame f;

	assert_int_equal(plan_local(&spec, &cfg), 0);
	fixture_load(&cfg);
	start = kernel_now_ns();
	expect_event(&id, XDP_PASS, DEDUP_REASON_new);
	frame_build(&f, &(struct frame_plan){ .body = 0 }, &id);
	while (ns < 20 * spec.window_ns && fixture_run(&f) == XDP_DROP) {
		usleep(1000);
		ns = kernel_now_ns() - start;
	}
	ns = kernel_now_ns() - start;
	assert_in_range(ns, spec.window_ns, 20 * spec.window_ns);
	fixture_count();
	assert_int_equal(fixture.seen.new, 2);
	assert_int_equal(fixture.seen.early, 0);
	fixture_unload(NULL);
}

TEST(an_id_is_remembered_for_the_window)
{
	for (int layout = DEDUP_BLOCKED; layout <= DEDUP_COUNTDOWN; layout++)
		an_id_is_remembered(layout);
}

/* When the hand last passed a block. */
static uint64_t last_pass_ns(const struct dedup_state *st)
{
	uint64_t last = 0;

	for (size_t i = 0; i < ARRAY_SIZE(st->marks); i++)
		if (READ_ONCE(st->marks[i].at_ns) > last)
			last = READ_ONCE(st->marks[i].at_ns);
	return last;
}

/* After its last pass, of which nothing is left to be counted. */
static bool has_looked_again(void)
{
	const struct dedup_state *st = fixture.filter.state;

	fixture_count();
	return READ_ONCE(st->last_ns) > last_pass_ns(st) &&
	       fixture.seen.early == READ_ONCE(st->early);
}

TEST(overload_drives_the_hand)
{
	struct dedup_config cfg = fixture_live_config(FIXTURE_PORTS);
	uint64_t start = kernel_now_ns();
	struct frame f;
	bool again;

	cfg.memory.tick_ns = 1000 * MS;
	fixture_load(&cfg);
	while (fixture.seen.early < 2 * cfg.memory.blocks && kernel_now_ns() - start < 100000 * MS) {
		for (int i = 0; i < 100; i++) {
			struct id id = id_fresh();

			frame_build(&f, &(struct frame_plan){ .body = 0 }, &id);
			assert_int_equal(fixture_run(&f), XDP_PASS);
		}
		fixture_count();
	}
	assert_true(fixture.seen.early >= 2 * cfg.memory.blocks);
	assert_int_equal(fixture.seen.new + fixture.seen.unlearned, fixture.seen.rx);
	/* There may be more to do: it looks again soon, not a tick later. */
	start = kernel_now_ns();
	do {
		usleep(1000);
		again = has_looked_again();
	} while (!again && kernel_now_ns() - start < 500 * MS);
	assert_true(again);
}

/* As if the hand had been held up: by its marks, everything has been due for a second. */
TEST(a_hand_that_was_held_up_says_so)
{
	struct dedup_config cfg = fixture_live_config(FIXTURE_PORTS);
	struct dedup_state *st;
	uint64_t start;

	fixture_load(&cfg);
	st = fixture.filter.state;
	start = kernel_now_ns();
	assert_int_equal(st->late, 0);
	for (uint32_t i = 0; i < dedup_hand_segments(&cfg); i++)
		dedup_mark(st, -1, i)->at_ns = start - cfg.memory.window_ns - 1000 * MS;
	while (fixture.seen.late < cfg.memory.places && kernel_now_ns() - start < 10000 * MS) {
		usleep(1000);
		fixture_count();
	}
	assert_int_equal(fixture.seen.late, cfg.memory.places);
	assert_int_equal(st->late, cfg.memory.places);
	assert_true(st->late_max_ns >= 1000 * MS);
}

/* What is more than a step may do, the next one does, which here is far off. */
TEST(a_step_is_bounded)
{
	struct dedup_config cfg = fixture_live_config(FIXTURE_PORTS);
	struct dedup_state *st;

	cfg.memory.blocks = cfg.memory.places = 3 * DEDUP_STEP_PLACES;
	cfg.memory.segment_places = cfg.memory.blocks / 16;
	cfg.memory.busy_tick_ns = 1000000 * MS;
	fixture_load(&cfg);
	st = fixture.filter.state;
	dedup_hand_request(st, &cfg, cfg.memory.blocks, false);
	fixture_await(&st->passed, DEDUP_STEP_PLACES);
	usleep(100000);
	assert_int_equal(READ_ONCE(st->passed), DEDUP_STEP_PLACES);
}

/* Filters that drop for a time (load --for). */

#define HOUR_NS (3600000 * MS)

/* The hand of a still filter never says that the time is over: the test does. */
static void load_timed(bool still, bool ihave_pass)
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

	load_timed(true, false);
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

	load_timed(true, true);
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

	load_timed(false, false);
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

ROOT_MAIN(NULL, fixture_unload)
