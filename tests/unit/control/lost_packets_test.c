// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which lost packets are wanted. This filter has no map, so a want fails, and is counted as such. */
#include "lost_packets.h"

#include "unit.h"

static const struct row {
	const char *name;
	enum lost_want want;
	bool learn_app, no_id;
	uint16_t deliver; /* streams, as bits */
	bool wanted;
} ROWS[] = {
	{ "lost", .want = LOST_WANT_NO_ROOM, .wanted = true },
	{ "anybody-could-send-it", .want = LOST_WANT_NO },
	{ "an-ihave", .want = LOST_WANT_NO_ROOM, .no_id = true },
	{ "the-application-learns", .want = LOST_WANT_NO_ROOM, .learn_app = true },
	{ "delivered", .want = LOST_WANT_NO_ROOM, .deliver = 1 << 1 },
	{ "another-stream-is-delivered", .want = LOST_WANT_NO_ROOM, .deliver = 1 << 0,
	  .wanted = true },
};

TEST_ROWS(wanted, ROWS)
{
	static struct dedup_config config;
	static struct lost_packets l;
	struct dedup_state state = { 0 };
	struct filter f = { .config = &config, .state = &state, .wanted_fd = -1 };
	const struct lost_reason reason = { "x", "x", row->want };
	struct lost_packet packet = { .reason = &reason, .id = { .stream = 1, .reason = -1 } };

	config.asked.learn_app = row->learn_app;
	config.policy.deliver = row->deliver;
	packet.id.reason = row->no_id ? DEDUP_REASON_ihave_new : -1;
	l = (struct lost_packets){ 0 };
	lost_packets_want(&l, &f, &packet);
	assert_int_equal(l.unwanted, row->wanted);
	if (row->want)
		assert_int_equal(l.wants[row->want - 1].left,
				 row->wanted ? LOST_WANTS_IN_A_SECOND - 1 : 0);
}

UNIT_MAIN()
