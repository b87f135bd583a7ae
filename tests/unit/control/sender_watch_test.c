// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Senders: rates and losses between readings of a sender, and the list of senders of a filter. */
#include "unit.h"

#include "sender_watch.h"
#include "sim.h"

static struct sim sim;
static struct sender_watch senders;

/* Two paths: numbers that each brought, brought first, and lost. */
static struct watched_sender reading(uint64_t packets, uint64_t first_a, uint64_t first_b,
				     uint64_t lost)
{
	struct watched_sender f = { .now = { .messages = 10 * packets, .lost = lost, .paths_cnt = 2 } };

	for (uint32_t p = 0; p < 2; p++) {
		f.now.paths[p].ifindex = 1 + p;
		f.now.paths[p].lost = lost * (p + 2);
		f.now.paths[p].counted = (struct dedup_path){ .packets = packets,
							      .received = 8 * packets,
							      .first = p ? first_b : first_a };
		f.now.paths[p].counted.skew[p] = packets;
	}
	return f;
}

TEST(rates_are_between_readings)
{
	struct watched_sender first = reading(100, 30, 70, 5), next = reading(150, 40, 100, 9);

	watched_sender_take(&first, NULL, false, 1);
	assert_false(first.has_rates);
	assert_int_equal(watched_lost_since(&first, 0), 0);
	watched_sender_take(&next, &first, false, 2);
	assert_true(next.has_rates);
	assert_true(next.messages == 250 && next.paths[0].packets == 25);
	assert_true(next.paths[1].received == 200);
	assert_true(next.paths[0].first == 0.25 && next.paths[1].first == 0.75);
	assert_int_equal(watched_lost_since(&next, 0), 8);
	assert_int_equal(watched_lost_since(&next, 1), 12);
	assert_int_equal(next.base.paths[1].counted.skew[1], 100);
	first = next;
	watched_sender_take(&next, &first, false, 1); /* nothing came */
	assert_true(next.messages == 0 && next.paths[0].first < 0);
	watched_sender_take(&next, &first, false, 0); /* nobody knows how long it was */
	assert_false(next.has_rates);
	assert_int_equal(watched_lost_since(&next, 1), 12);
}

TEST(losses_never_go_back)
{
	struct watched_sender first = reading(100, 50, 50, 5), next = reading(100, 50, 50, 4);

	next.now.messages--;
	watched_sender_take(&first, NULL, false, 1);
	watched_sender_take(&next, &first, false, 1);
	assert_int_equal(next.now.lost, 5);
	assert_int_equal(next.now.paths[1].lost, 15);
	assert_int_equal(next.now.messages, 1000);
	assert_int_equal(watched_lost_since(&next, 0), 0);
}

/* Each of these is another account: all that it has came since the first reading. */
TEST(another_account_begins_at_0)
{
	struct watched_sender first = reading(100, 50, 50, 5);

	watched_sender_take(&first, NULL, false, 1);
	for (int what = 0; what < 6; what++) {
		struct watched_sender next = reading(100, 50, 50, 4), before = first;

		before.now.restarts = 1;
		before.now.others = 1;
		next.now.restarts = what != 0;
		next.now.others = what != 1;
		next.now.paths_cnt -= what == 2;
		next.now.paths[0].ifindex += what == 3;
		next.now.paths[0].counted.packets -= what == 4;
		next.now.paths[0].counted.first -= what == 5;
		watched_sender_take(&next, &before, false, 1);
		assert_int_equal(next.now.lost, 4);
		assert_int_equal(watched_lost_since(&next, 0), 8);
	}
}

/* A path that joins later, and a sender that comes later, have lost all since the first reading. */
TEST(later_ones_count_from_their_begin)
{
	struct watched_sender first = reading(100, 50, 50, 5), next = reading(100, 50, 50, 6);
	struct watched_sender later = reading(100, 50, 50, 5);

	first.now.paths_cnt = 1;
	memset(&first.now.paths[1], 0, sizeof(first.now.paths[1]));
	watched_sender_take(&first, NULL, false, 1);
	watched_sender_take(&next, &first, false, 1);
	assert_int_equal(watched_lost_since(&next, 0), 2);
	assert_int_equal(watched_lost_since(&next, 1), 18);
	watched_sender_take(&later, NULL, true, 1);
	assert_true(later.has_rates);
	assert_int_equal(watched_lost_since(&later, 1), 15);
}

/* A packet of a sender, on a path. */
static void send_number(uint64_t sender, uint64_t number, uint32_t path)
{
	sim_send(&sim, sender,
		 &(struct account_packet){ sim_path(&sim, path), number, 1, 1000, 1000000000 }, 0);
}

static int teardown(void **state)
{
	(void)state;
	sender_watch_free(&senders);
	sim_stop(&sim);
	return 0;
}

/* Those that are not redundant come first, then those with more messages; 64 are read. */
TEST_WITH(the_list, NULL, teardown)
{
	sim_start_numbered(&sim, "sequence = payload+4:8\nhistory = 256", 100, 2);
	for (uint64_t sender = 0; sender < 70; sender++)
		for (uint64_t n = 0; n <= sender; n++)
			for (uint32_t path = 1; path <= 1 + (sender > 2); path++)
				send_number(sender, 1000 + n, path);
	assert_int_equal(sender_watch_take(&senders, &sim.filter, 0), 0);
	assert_int_equal(senders.cnt, SENDERS_WATCHED_MAX);
	assert_int_equal(senders.left_out, 6);
	assert_string_equal(senders.list[0].source, "02000000");
	assert_string_equal(senders.list[2].source, "00000000");
	assert_string_equal(senders.list[3].source, "45000000");
	assert_string_equal(senders.list[0].stream, "a");
	assert_false(senders.list[0].now.redundant);
	assert_true(senders.list[3].now.redundant);
	assert_int_equal(senders.list[3].now.messages, 70);
	send_number(69, 1070, 1);
	sender_watch_update(&senders, &sim.filter);
	assert_int_equal(senders.list[3].now.messages, 71);
	assert_int_equal(sender_watch_take(&senders, &sim.filter, 2), 0);
	assert_string_equal(senders.list[3].source, "45000000");
	assert_true(senders.list[3].has_rates && senders.list[3].paths[0].packets == 0);
	send_number(69, 1071, 2); /* 1070 is missing there: it is not redundant any more */
	assert_int_equal(sender_watch_take(&senders, &sim.filter, 0.5), 0);
	assert_string_equal(senders.list[0].source, "45000000");
	assert_true(senders.list[0].paths[1].packets == 2);
	assert_true(senders.list[0].paths[0].first == 0 && senders.list[0].paths[1].first == 1);
	assert_int_equal(watched_lost_since(&senders.list[0], 0), 0);
}

/* A number's bits above 40 belong to the source: such senders have different names. */
TEST_WITH(long_numbers, NULL, teardown)
{
	sim_start_numbered(&sim, "sequence = payload+4:8\nhistory = 256", 4, 2);
	send_number(7, 1, 1);
	send_number(7, 2, 1);
	send_number(7, 0xab0000000001, 1);
	assert_int_equal(sender_watch_take(&senders, &sim.filter, 0), 0);
	assert_int_equal(senders.cnt, 2);
	assert_string_equal(senders.list[0].source, "07000000");
	assert_string_equal(senders.list[1].source, "07000000+ab");
}

UNIT_MAIN()
