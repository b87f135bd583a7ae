// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* libxdp-dedup as applications use it: what it answers, one id at a time and in batches,
 * and for how long.
 */
#include "lib_runner.h"

#include "await.h"
#include "hand.h"
#include "model_hash.h"

/* Answers. */

TEST(kind_answers)
{
	struct id a = id_fresh(), b = id_fresh(), c = id_fresh();

	for (int i = 0; i < 2; i++) {
		assert_int_equal(lib_asked(&a), 0); /* asking teaches nothing */
		assert_int_equal(lib_asked(&b), 0);
	}
	assert_int_equal(lib_seen(&a), 0);
	assert_int_equal(lib_added(&b), 0);
	assert_false(lib_packet_dropped(&c));
	for (int i = 0; i < 2; i++) {
		const struct id *ids[] = { &a, &b, &c };

		for (int j = 0; j < 3; j++) {
			assert_int_equal(lib_asked(ids[j]), 1);
			assert_int_equal(lib_seen(ids[j]), 1);
			assert_int_equal(lib_added(ids[j]), 1);
			assert_true(lib_packet_dropped(ids[j]));
		}
	}
	c = id_fresh();
	assert_int_equal(lib_asked(&c), 0);
	assert_false(lib_packet_dropped(&c));
}

/* Of so many bytes an id is what it is in a packet, with zeros behind it. */
TEST(kind_pads_ids)
{
	for (size_t len = 1; len <= XDP_DEDUP_ID_MAX; len++) {
		struct id id = { 0 }, other = { 0 };

		memset(id.bytes, (int)len, len);
		memset(other.bytes, 0x80 | (int)len, len);
		assert_int_equal(xdp_dedup_check_and_add(lib.f, id.bytes, len), 0);
		assert_int_equal(xdp_dedup_test(lib.f, id.bytes, len), 1);
		assert_int_equal(lib_asked(&id), 1);
		assert_true(lib_packet_dropped(&id));
		if (len > 1)
			assert_int_equal(xdp_dedup_test(lib.f, id.bytes, len - 1), 0);

		assert_false(lib_packet_dropped(&other));
		assert_int_equal(xdp_dedup_test(lib.f, other.bytes, len), 1);
		assert_int_equal(xdp_dedup_add(lib.f, other.bytes, len), 1);
		assert_int_equal(xdp_dedup_check_and_add(lib.f, other.bytes, len), 1);
	}
}

TEST(kind_refuses_long_ids)
{
	static const size_t LENS[] = { XDP_DEDUP_ID_MAX + 1, 64, SIZE_MAX };
	uint8_t bytes[64];
	int result;

	memset(bytes, 7, sizeof(bytes));
	for (size_t i = 0; i < ARRAY_SIZE(LENS); i++) {
		struct xdp_dedup_id id = { bytes, LENS[i] };

		assert_int_equal(xdp_dedup_test(lib.f, bytes, LENS[i]), -EINVAL);
		assert_int_equal(xdp_dedup_add(lib.f, bytes, LENS[i]), -EINVAL);
		assert_int_equal(xdp_dedup_check_and_add(lib.f, bytes, LENS[i]), -EINVAL);
		assert_int_equal(xdp_dedup_remove(lib.f, bytes, LENS[i]), -EINVAL);
		assert_int_equal(xdp_dedup_check_and_add_many(lib.f, &id, 1, &result), 0);
		assert_int_equal(result, -EINVAL);
	}
	assert_int_equal(lib_stats().set_bits, 0);
	assert_int_equal(xdp_dedup_test(lib.f, bytes, XDP_DEDUP_ID_MAX), 0);
}

TEST(kind_takes_no_id_for_new)
{
	static const uint8_t ZEROS[XDP_DEDUP_ID_MAX];
	uint64_t learned = READ_ONCE(lib.raw.state->learned);

	for (size_t len = 0; len <= sizeof(ZEROS); len++) {
		const void *bytes = len ? ZEROS : NULL;

		for (int i = 0; i < 2; i++) {
			struct xdp_dedup_id ids[] = { { bytes, len }, { bytes, len } };
			int results[] = { 7, 7 };

			assert_int_equal(xdp_dedup_test(lib.f, bytes, len), 0);
			assert_int_equal(xdp_dedup_add(lib.f, bytes, len), 0);
			assert_int_equal(xdp_dedup_check_and_add(lib.f, bytes, len), 0);
			assert_int_equal(xdp_dedup_check_and_add_many(lib.f, ids, 2, results), 0);
			assert_true(!results[0] && !results[1]);
			assert_int_equal(xdp_dedup_remove(lib.f, bytes, len),
					 lib_is_countdown() ? 0 : -EOPNOTSUPP);
		}
	}
	assert_int_equal(lib_stats().set_bits, 0);
	assert_int_equal(READ_ONCE(lib.raw.state->learned), learned);
}

/* Batches. */

#define POOL 700

static struct id pool[POOL];
static bool known[POOL]; /* as it should be */

/* Of the pool, or a bad one: a long one, none, zeros. */
static struct xdp_dedup_id any_id(uint64_t random, int *expected)
{
	static const uint8_t ZEROS[XDP_DEDUP_ID_MAX];
	uint32_t n = random / 64 % POOL;

	*expected = random % 64 == 0 ? -EINVAL : 0;
	if (random % 64 < 4)
		return (struct xdp_dedup_id[]){ { pool[0].bytes, XDP_DEDUP_ID_MAX + 1 },
						{ NULL, 0 },
						{ ZEROS, 5 },
						{ ZEROS, 32 } }[random % 64];
	*expected = known[n];
	known[n] = true;
	return (struct xdp_dedup_id){ pool[n].bytes, sizeof(pool[n].bytes) };
}

static void check_batch(size_t cnt, uint64_t *seed)
{
	struct xdp_dedup_id *ids = calloc(cnt + 1, sizeof(*ids));
	int *expected = calloc(cnt + 1, sizeof(int)), *results = malloc((cnt + 1) * sizeof(int));
	size_t duplicates = 0;

	results[cnt] = 99;
	for (size_t i = 0; i < cnt; i++) {
		ids[i] = any_id(random_next(seed), &expected[i]);
		duplicates += expected[i] == 1;
	}
	assert_int_equal(xdp_dedup_check_and_add_many(lib.f, ids, cnt, results), duplicates);
	assert_memory_equal(results, expected, cnt * sizeof(int));
	assert_int_equal(results[cnt], 99);
	free(ids);
	free(expected);
	free(results);
}

/* With repeats, also within one: as one by one. */
TEST(kind_sees_many)
{
	static const size_t COUNTS[] = { 0, 1, 15, 16, 17, 31, 32, 33, 1000 };
	uint64_t seed = 3;

	assert_int_equal(xdp_dedup_check_and_add_many(lib.f, NULL, 0, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(COUNTS); i++) {
		for (int j = 0; j < POOL; j++) {
			pool[j] = id_fresh();
			known[j] = random_next(&seed) % 8 == 0;
			if (known[j])
				assert_int_equal(lib_added(&pool[j]), 0);
		}
		check_batch(COUNTS[i], &seed);
		check_batch(COUNTS[i], &seed);
	}
}

/* Memory. */

TEST(kind_removes)
{
	struct id id = id_fresh(), other = model_id_sharing(lib.raw.config, &id, 0);
	struct id by_packet = model_id_sharing(lib.raw.config, &id, 0);

	assert_int_equal(lib_added(&id), 0);
	assert_int_equal(lib_added(&other), 0);
	assert_false(lib_packet_dropped(&by_packet));
	assert_true(lib_packet_dropped(&by_packet));
	if (!lib_is_countdown()) {
		assert_int_equal(xdp_dedup_remove(lib.f, id.bytes, 32), -EOPNOTSUPP);
		assert_int_equal(lib_asked(&id), 1);
		return;
	}
	assert_int_equal(xdp_dedup_remove(lib.f, id.bytes, 32), 1);
	assert_int_equal(xdp_dedup_remove(lib.f, id.bytes, 32), 0);
	assert_int_equal(lib_asked(&id), 0);
	assert_int_equal(lib_asked(&other), 1);
	assert_int_equal(xdp_dedup_remove(lib.f, by_packet.bytes, 32), 1);
	assert_int_equal(lib_asked(&by_packet), 0);
	assert_false(lib_packet_dropped(&by_packet)); /* it has forgotten it too */
	assert_true(lib_packet_dropped(&by_packet));
	assert_int_equal(lib_seen(&id), 0);
	assert_true(lib_packet_dropped(&id));
}

/* Only countdown's add makes an id young again. */
TEST(kind_ages)
{
	struct id a = id_fresh(), b = id_fresh(), c = id_fresh();
	int turns = lib_is_countdown() ? lib.raw.config->memory.places : 2;

	assert_int_equal(lib_added(&a), 0);
	assert_int_equal(lib_seen(&b), 0);
	assert_false(lib_packet_dropped(&c));
	for (int i = 1; i < turns; i++) {
		e2e_tool("rotate " LIB_NAME);
		assert_int_equal(lib_asked(&a), 1);
		assert_int_equal(lib_seen(&b), 1);
		assert_true(lib_packet_dropped(&c));
	}
	assert_int_equal(lib_added(&a), 1);
	e2e_tool("rotate " LIB_NAME);
	assert_int_equal(lib_asked(&a), lib_is_countdown());
	assert_int_equal(lib_asked(&b), 0);
	assert_int_equal(lib_asked(&c), 0);
	assert_int_equal(lib_seen(&b), 0);
	e2e_tool("reset " LIB_NAME);
	assert_int_equal(lib_asked(&a), 0);
	assert_int_equal(lib_stats().set_bits, 0);
}

TEST(kind_is_full)
{
	struct xdp_dedup_id ids[3];
	struct id old = id_fresh(), first = id_fresh(), second = id_fresh();
	int results[3];

	assert_int_equal(lib_added(&old), 0);
	lib_freeze();
	lib.raw.state->limit = lib.raw.state->learned;
	assert_int_equal(lib_added(&first), -ENOSPC);
	assert_int_equal(lib_seen(&first), -ENOSPC);
	assert_int_equal(lib_asked(&first), 0);
	assert_int_equal(lib_asked(&old), 1);
	assert_int_equal(lib_seen(&old), 1);
	ids[0] = (struct xdp_dedup_id){ first.bytes, 32 };
	ids[1] = (struct xdp_dedup_id){ old.bytes, 32 };
	ids[2] = (struct xdp_dedup_id){ second.bytes, 32 };
	assert_int_equal(xdp_dedup_check_and_add_many(lib.f, ids, 3, results), 1);
	assert_true(results[0] == -ENOSPC && results[1] == 1 && results[2] == -ENOSPC);
	lib.raw.state->limit++;
	assert_int_equal(xdp_dedup_check_and_add_many(lib.f, ids, 3, results), 1);
	assert_true(results[0] == 0 && results[1] == 1 && results[2] == -ENOSPC);
	assert_int_equal(lib.raw.state->learned, lib.raw.state->limit);
}

/* Asked for, a known event passes once more; of so many bytes an id is what it is in a packet. */
TEST(kind_wants)
{
	static const uint8_t LONGER[XDP_DEDUP_ID_MAX + 1] = { [XDP_DEDUP_ID_MAX] = 1 };
	struct id by_app = id_fresh(), by_packet = id_fresh(), shorter = { { 1, 2, 3 } };
	const struct id *ids[] = { &by_app, &by_packet, &shorter };
	uint64_t before = lib_stats().wanted;

	assert_int_equal(lib_wanted(&by_app), 0); /* unknown: it passes by itself */
	assert_int_equal(lib_added(&by_app), 0);
	assert_int_equal(xdp_dedup_add(lib.f, shorter.bytes, 3), 0);
	assert_false(lib_packet_dropped(&by_packet));
	for (size_t i = 0; i < 3 * ARRAY_SIZE(ids); i++) {
		const struct id *id = ids[i % ARRAY_SIZE(ids)];

		assert_true(lib_packet_dropped(id));
		assert_int_equal(xdp_dedup_want(lib.f, id->bytes, id == &shorter ? 3 : 32), 1);
		assert_int_equal(lib_asked(id), 1); /* it is known nevertheless */
		assert_false(lib_dropped(GSP_IHAVE, id));
		assert_false(lib_packet_dropped(id));
		assert_true(lib_packet_dropped(id));
		assert_true(lib_dropped(GSP_IHAVE, id));
	}
	assert_int_equal(lib_stats().wanted, before + 3 * ARRAY_SIZE(ids));
	assert_int_equal(xdp_dedup_want(lib.f, NULL, 0), 0);
	assert_int_equal(xdp_dedup_want(lib.f, LONGER, XDP_DEDUP_ID_MAX), 0); /* all zero */
	assert_int_equal(xdp_dedup_want(lib.f, LONGER, sizeof(LONGER)), -EINVAL);
}

/* Unloaded while it is open: nothing is told to be a duplicate, and a new one is a new one. */
TEST(stale_when_unloaded)
{
	struct xdp_dedup_filter *old;
	struct id id = id_fresh(), other = id_fresh();
	struct xdp_dedup_id ids[20];
	int results[20];

	lib_load("--layout countdown --window 5s");
	assert_int_equal(lib_added(&id), 0);
	assert_false(lib_stats().stopped);
	e2e_tool("unload ve0");
	AWAIT(lib_asked(&id) == -ESTALE);
	assert_int_equal(lib_asked(&other), -ESTALE);
	assert_int_equal(lib_seen(&id), -ESTALE);
	assert_int_equal(lib_added(&other), -ESTALE);
	assert_int_equal(lib_wanted(&id), -ESTALE);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		ids[i] = (struct xdp_dedup_id){ other.bytes, i + 13 };
	assert_int_equal(xdp_dedup_check_and_add_many(lib.f, ids, 20, results), 0);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		assert_int_equal(results[i], -ESTALE);
	assert_true(lib_stats().stopped);

	old = lib.f;
	assert_int_equal(xdp_dedup_open(LIB_NAME, &lib.f), -ENOENT);
	lib.f = NULL;
	lib_load("--layout flat");
	assert_int_equal(lib_asked(&id), 0);
	assert_int_equal(lib_seen(&id), 0);
	assert_int_equal(xdp_dedup_test(old, id.bytes, 32), -ESTALE);
	xdp_dedup_close(old);
	assert_true(lib_packet_dropped(&id));
}

TEST(the_application_alone_learns)
{
	struct id id = id_fresh();

	lib_load("--learn app --layout countdown --hash tezos");
	assert_false(lib_packet_dropped(&id));
	assert_false(lib_packet_dropped(&id));
	assert_int_equal(lib_seen(&id), 0);
	assert_true(lib_packet_dropped(&id));
}

/* A source and a number, in network byte order; the packet's other bytes are 0. */
static struct id number_id(uint8_t source, uint8_t number)
{
	struct id id = { 0 };

	id.bytes[3] = source;
	id.bytes[7] = number;
	return id;
}

static int number_seen(uint8_t source, uint8_t number)
{
	struct id id = number_id(source, number);

	return xdp_dedup_check_and_add(lib.f, id.bytes, 8);
}

/* Of a numbered stream: zeros are a number, and missing bytes are none. */
TEST(numbers_are_answered)
{
	struct id zero = number_id(0, 0), three = number_id(0, 3), four = number_id(0, 4),
		  other = number_id(1, 3);
	struct xdp_dedup_id ids[] = {
		{ four.bytes, 8 },  { zero.bytes, 7 }, { four.bytes, 9 },
		{ other.bytes, 8 }, { zero.bytes, 0 }, { four.bytes, 8 },
	};
	static const int EXPECTED[] = { 0, -EINVAL, -EINVAL, -ENOENT, -EINVAL, 1 };
	int results[ARRAY_SIZE(ids)];

	sh("printf '[profile n]\nlayer = udp\nsource = payload+8:4\nsequence = payload+12:4\n' "
	   ">/tmp/n.ini");
	e2e_tool("load ve0 --name " LIB_NAME " --profiles /tmp/n.ini --profile n:%d", GOSSIP_PORT);
	sh("ip link set ve0 down; rm /tmp/n.ini");
	lib_take(LIB_NAME);
	assert_int_equal(number_seen(0, 3), -ENOENT);
	assert_false(lib_packet_dropped(&three));
	assert_int_equal(number_seen(0, 3), 1);
	assert_int_equal(xdp_dedup_check_and_add_many(lib.f, ids, ARRAY_SIZE(ids), results), 1);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		assert_int_equal(results[i], EXPECTED[i]);
	assert_true(lib_packet_dropped(&four));
	assert_false(lib_packet_dropped(&zero));
	assert_int_equal(xdp_dedup_test(lib.f, zero.bytes, 8), 1);
	assert_int_equal(xdp_dedup_test(lib.f, zero.bytes, 7), -EINVAL);
	assert_int_equal(xdp_dedup_remove(lib.f, four.bytes, 8), 1);
	assert_false(lib_packet_dropped(&four));
	assert_int_equal(xdp_dedup_want(lib.f, three.bytes, 8), 1);
	assert_false(lib_packet_dropped(&three));
	assert_true(lib_packet_dropped(&three));
}

/* A filter that errs about every tenth event, and a receiver that asks for the events it lacks, as
 * it would ask its peers (IWANT). The peers send each in several copies.
 */

#define EVENTS 20000
#define COPIES 3

TEST_WITH(who_asks_again_ends_with_every_event, lib_setup_links, NULL)
{
	uint64_t seed = gossip_now_ns();
	struct gossip_receiver *r = e2e_receiver(0, AF_INET, seed, EVENTS);
	struct gossip_sender *s = e2e_sender(0, AF_INET, seed);
	static uint32_t missing[EVENTS];
	uint32_t lost = 0;
	struct filter_counters c;
	struct id id;

	e2e_load("load ve0 --name " LIB_NAME " --capacity %d --fpr 0.1", EVENTS);
	lib_take(LIB_NAME);
	for (int copy = 0; copy < COPIES; copy++) {
		assert_return_code(gossip_sender_start(s, NULL, EVENTS), EAGAIN);
		assert_return_code(gossip_sender_wait(s), EIO);
	}
	e2e_counters_after(LIB_NAME, EVENTS * COPIES);
	assert_return_code(gossip_receive(r, 0), EIO);
	for (uint32_t i = 0; i < EVENTS; i++) {
		if (r->copies[i])
			continue;
		missing[lost++] = i;
		gossip_id(seed, i, id.bytes);
		assert_int_equal(lib_wanted(&id), 1);
	}
	assert_true(lost > 0);
	for (int copy = 0; copy < COPIES; copy++)
		assert_return_code(gossip_send(s, missing, lost), EIO);
	c = e2e_counters_after(LIB_NAME, (EVENTS + lost) * COPIES);
	assert_return_code(gossip_receive(r, 0), EIO);

	print_message("# %u of %d events were lost and came when they were wanted\n", lost, EVENTS);
	assert_int_equal(gossip_receiver_lost(r), 0);
	assert_int_equal(gossip_delivered(r, 1), EVENTS); /* each exactly once */
	assert_int_equal(c.wanted, lost);
	assert_int_equal(c.new, EVENTS - lost);
	assert_int_equal(c.dropped, (EVENTS + lost) * COPIES - EVENTS);
	e2e_close(s, r);
}

LIB_MAIN()
