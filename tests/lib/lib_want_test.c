// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Events that are missing though the filter knows them: asked for with libxdp-dedup, they come. */
#include "lib_runner.h"

#include "wanted.h"

static int wanted(const struct id *id)
{
	return xdp_dedup_want(lib.f, id->bytes, sizeof(id->bytes));
}

TEST(kind_wants)
{
	struct id id = id_fresh(), by_packet = id_fresh();
	uint64_t before = lib_stats().wanted;

	assert_int_equal(wanted(&id), 0); /* unknown: it passes by itself */
	assert_int_equal(lib_added(&id), 0);
	assert_false(lib_packet_dropped(&by_packet));
	for (int i = 0; i < 3; i++) {
		const struct id *ids[] = { &id, &by_packet };

		for (int j = 0; j < 2; j++) {
			assert_true(lib_packet_dropped(ids[j]));
			assert_int_equal(wanted(ids[j]), 1);
			assert_int_equal(lib_asked(ids[j]), 1); /* it is known nevertheless */
			assert_false(lib_dropped(GSP_IHAVE, ids[j]));
		}
		for (int j = 0; j < 2; j++) {
			assert_false(lib_packet_dropped(ids[j]));
			assert_true(lib_packet_dropped(ids[j]));
			assert_true(lib_dropped(GSP_IHAVE, ids[j]));
		}
	}
	assert_int_equal(lib_stats().wanted, before + 6);
}

/* Of so many bytes an id is what it is in a packet; none is wanted in vain. */
TEST(kind_pads_what_it_wants)
{
	static const uint8_t ZEROS[XDP_DEDUP_ID_MAX];
	uint8_t longer[XDP_DEDUP_ID_MAX + 1] = { 1 };

	for (size_t len = 1; len <= XDP_DEDUP_ID_MAX; len += 3) {
		struct id id = id_fresh();

		id.bytes[0] = len;
		memset(id.bytes + len, 0, sizeof(id.bytes) - len);
		assert_int_equal(lib_added(&id), 0);
		assert_int_equal(xdp_dedup_want(lib.f, id.bytes, len), 1);
		assert_false(lib_packet_dropped(&id));
		assert_true(lib_packet_dropped(&id));
	}
	assert_int_equal(xdp_dedup_want(lib.f, NULL, 0), 0);
	assert_int_equal(xdp_dedup_want(lib.f, ZEROS, sizeof(ZEROS)), 0);
	assert_int_equal(xdp_dedup_want(lib.f, longer, sizeof(longer)), -EINVAL);
}

TEST(so_many_and_no_more_are_wanted)
{
	static struct id ids[DEDUP_WANTED_MAX + 1];

	lib_load("");
	for (int i = 0; i <= DEDUP_WANTED_MAX; i++) {
		ids[i] = id_fresh();
		assert_int_equal(lib_added(&ids[i]), 0);
		assert_int_equal(wanted(&ids[i]), i < DEDUP_WANTED_MAX ? 1 : -ENOSPC);
	}
	assert_false(lib_packet_dropped(&ids[0]));
	assert_int_equal(wanted(&ids[DEDUP_WANTED_MAX]), 1);
	assert_false(lib_packet_dropped(&ids[DEDUP_WANTED_MAX]));
}

/* A filter that errs about every tenth event, and a receiver that asks for the events it lacks, as
 * it would ask its peers (IWANT). The peers send each in several copies.
 */

#define EVENTS 20000
#define COPIES 3

/* Lists the events that have not come; free() it. */
static uint32_t *missing(const struct gossip_receiver *r, uint32_t *cnt)
{
	uint32_t *list = calloc(EVENTS, sizeof(*list));

	assert_non_null(list);
	*cnt = 0;
	for (uint32_t i = 0; i < EVENTS; i++)
		if (!r->copies[i])
			list[(*cnt)++] = i;
	return list;
}

static void want_all(uint64_t seed, const uint32_t *list, uint32_t cnt)
{
	struct id id;

	for (uint32_t i = 0; i < cnt; i++) {
		gossip_id(seed, list[i], id.bytes);
		assert_int_equal(wanted(&id), 1);
	}
}

static uint64_t send_copies(struct gossip_sender *s, const uint32_t *list, uint32_t cnt)
{
	for (int copy = 0; copy < COPIES; copy++)
		assert_return_code(gossip_send(s, list, cnt), EIO);
	return (uint64_t)cnt * COPIES;
}

TEST_WITH(who_asks_again_ends_with_every_event, lib_setup_links, NULL)
{
	uint64_t seed = gossip_now_ns(), sent = 0;
	struct gossip_receiver *r = e2e_receiver(0, AF_INET, seed, EVENTS);
	struct gossip_sender *s = e2e_sender(0, AF_INET, seed);
	uint32_t *list = missing(r, &(uint32_t){ 0 }), cnt = EVENTS, lost;
	struct filter_counters c;

	e2e_load("load ve0 --name " LIB_NAME " --capacity %d --fpr 0.1", EVENTS);
	lib_take(LIB_NAME);
	sent += send_copies(s, list, cnt);
	e2e_counters_after(LIB_NAME, sent);
	assert_return_code(gossip_receive(r, 0), EIO);
	free(list);
	list = missing(r, &lost);
	assert_true(lost > 0);
	want_all(seed, list, lost);
	sent += send_copies(s, list, lost);
	c = e2e_counters_after(LIB_NAME, sent);
	assert_return_code(gossip_receive(r, 0), EIO);
	free(list);

	print_message("# %u of %d events were lost and came when they were wanted\n", lost, EVENTS);
	assert_int_equal(gossip_receiver_lost(r), 0);
	assert_int_equal(gossip_delivered(r, 1), EVENTS); /* each exactly once */
	assert_int_equal(c.wanted, lost);
	assert_int_equal(c.new, EVENTS - lost);
	assert_int_equal(c.dropped, sent - EVENTS);
	e2e_close(s, r);
}

int main(void)
{
	lib_add_own_tests();
	return lib_run_tests("lib_want");
}
