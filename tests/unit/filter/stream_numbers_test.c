// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Numbers of numbered streams from user space: what packets bring is known there, and what is added
 * there is known to packets; also while there is a predecessor.
 */
#include "unit.h"

#include "ids.h"
#include "predecessor.h"
#include "sim.h"
#include "number_calls.h"
#include "stream_ids.h"
#include "stream_numbers.h"

#define NOW 1000 /* jiffies */

#define BITS_32 "sequence = payload+4:4\nhistory = 256"
#define BITS_64 "sequence = payload+4:8"
#define LITTLE_64 "sequence = payload+4:8le"
#define LITTLE_12 "sequence = payload+4:2le/0xfff0"
#define BITS_12 "sequence = payload+4:2/0xfff0"

static struct sim sim, old;

static void start(struct sim *s, const char *keys)
{
	sim_start_numbered(s, keys, 4, 0);
	s->state.stale_at = NOW + s->config.memory.stale_jiffies;
}

/* The id, as an application has it: a source of 4 bytes and a number, as in the packet. */
static int make_id(const struct sim *s, uint32_t source, uint64_t number, uint8_t *id)
{
	const struct dedup_numbered *n = &s->config.numbered[0];
	uint32_t bytes = s->config.policy.streams[0].loads[1].bytes;
	uint64_t word = dedup_integer_in(number << n->shift, n->little, 0);
	uint8_t text[12];

	memcpy(text, &source, 4);
	memcpy(text + 4, &word, bytes);
	if (n->width == 12)
		text[n->little ? 4 : 5] |= 0xf; /* bits that are not the number's */
	return stream_make_id(&s->filter, text, 4 + bytes, id);
}

/* What a packet with this number does. Returns an enum dedup_recovered. */
static int packet(struct sim *s, uint32_t source, uint64_t number)
{
	const struct dedup_config *c = &s->config;
	struct dedup_source_key key = { .era = s->state.sources_era, .words = 1 };
	struct dedup_packet_numbers p = { .first = number & ((1ULL << 40) - 1),
					  .now = NOW,
					  .count = 1 };

	key.id.word[0] = source;
	if (c->numbered[0].width > 40)
		key.id.word[key.words++] = number >> 40;
	key.id.word[DEDUP_SOURCE_WORDS] = c->policy.streams[0].realm_key + key.era;
	key.hash = dedup_source_hash(&key, c->secrets.key);
	return dedup_see(&c->sources, &c->numbered[0].recovery, s->filter.blocks, &key, &p);
}

static const uint8_t *id_of(const struct sim *s, uint32_t source, uint64_t number)
{
	static uint8_t id[DEDUP_ID_BYTES_MAX];

	assert_int_equal(make_id(s, source, number, id), 0);
	return id;
}

#define see(s, source, number) ids_see(&(s)->filter, id_of(s, source, number))
#define test(s, source, number) ids_test(&(s)->filter, id_of(s, source, number))
#define drop(s, source, number) ids_remove(&(s)->filter, id_of(s, source, number))

/* Source 0 and number 0 are a source and a number like others. */
TEST(numbers_are_shared_with_packets)
{
	static const char *const KEYS[] = { BITS_32, BITS_64, BITS_12, LITTLE_64, LITTLE_12 };

	for (size_t i = 0; i < ARRAY_SIZE(KEYS); i++) {
		start(&sim, KEYS[i]);
		assert_true(numbers_is_numbered(&sim.filter) && ids_can_remove(&sim.filter));
		for (uint32_t source = 0; source < 2; source++) {
			assert_int_equal(see(&sim, source, 0), -ENOENT);
			assert_int_equal(test(&sim, source, 0), 0);
			assert_int_equal(drop(&sim, source, 0), 0);
			assert_int_equal(numbers_sources(&sim.filter), source);
			assert_int_equal(packet(&sim, source, 0), DEDUP_FRESH);
			assert_int_equal(numbers_sources(&sim.filter), source + 1);
			assert_int_equal(test(&sim, source, 0), 1);
			assert_int_equal(see(&sim, source, 0), 1);
			assert_int_equal(test(&sim, source, 7), 0);
			assert_int_equal(see(&sim, source, 7), 0);
			assert_int_equal(see(&sim, source, 7), 1);
			assert_int_equal(packet(&sim, source, 7), DEDUP_SEEN);
			assert_int_equal(drop(&sim, source, 7), 1);
			assert_int_equal(drop(&sim, source, 7), 0);
			assert_int_equal(test(&sim, source, 0), 1);
			assert_int_equal(packet(&sim, source, 7), DEDUP_FRESH);
		}
		sim_stop(&sim);
	}
}

TEST(numbers_far_from_the_others_are_refused)
{
	start(&sim, BITS_32);
	packet(&sim, 1, 10000);
	assert_int_equal(see(&sim, 1, 10000 - 600), -ERANGE);
	assert_int_equal(see(&sim, 1, 10000 + 600), -ERANGE);
	assert_int_equal(see(&sim, 1, 10000 + 400), 0);
	/* A number of another lap is in this one's place. */
	assert_int_equal(see(&sim, 1, 9900), -ERANGE);
	assert_int_equal(packet(&sim, 1, 9900), DEDUP_LATE);
	/* Far ones are not noted, as those of packets are. */
	assert_int_equal(see(&sim, 1, 9700), -ERANGE);
	assert_int_equal(packet(&sim, 1, 9700), DEDUP_FAR);
	assert_int_equal(packet(&sim, 1, 9700), DEDUP_SEEN);
	sim_stop(&sim);

	/* The upper bits of long numbers belong to the source. */
	start(&sim, BITS_64);
	packet(&sim, 1, 5);
	assert_int_equal(see(&sim, 1, 1ULL << 40 | 6), -ENOENT);
	assert_int_equal(see(&sim, 1, 6), 0);
	sim_stop(&sim);
}

/* Zeros in place of bytes that are missing would be another number. */
TEST(ids_have_all_bytes)
{
	static const uint8_t BYTES[10];
	uint8_t id[DEDUP_ID_BYTES_MAX];

	start(&sim, BITS_32);
	for (size_t len = 0; len <= sizeof(BYTES); len++)
		assert_int_equal(stream_make_id(&sim.filter, BYTES, len, id), len == 8 ? 0 : -EINVAL);
	sim_stop(&sim);
}

TEST(every_call_is_about_numbers)
{
	uint8_t ids[3][DEDUP_ID_BYTES_MAX];
	int results[3];

	start(&sim, BITS_32);
	packet(&sim, 1, 5);
	for (uint32_t i = 0; i < 3; i++)
		make_id(&sim, 1, 4 + i, ids[i]);
	ids_see_many(&sim.filter, ids, 3, results);
	assert_true(!results[0] && results[1] == 1 && !results[2]);
	assert_int_equal(ids_add(&sim.filter, ids[2]), 1);
	assert_int_equal(ids_add(&sim.filter, id_of(&sim, 1, 9)), 0);
	assert_int_equal(packet(&sim, 1, 9), DEDUP_SEEN);
	assert_int_equal(ids_learn_again(&sim.filter, id_of(&sim, 1, 10)), 0);
	assert_int_equal(packet(&sim, 1, 10), DEDUP_SEEN);
	assert_int_equal(ids_learn_again(&sim.filter, id_of(&sim, 1, 10)), 1);
	assert_int_equal(ids_learn_again(&sim.filter, id_of(&sim, 2, 10)), 0);
	sim_stop(&sim);
}

TEST(predecessor_is_asked)
{
	start(&old, BITS_32);
	packet(&old, 1, 5);
	start(&sim, BITS_32);
	sim_succeed(&sim, &old);
	sim.state.stale_at = NOW + sim.config.memory.stale_jiffies;
	sim.filter.predecessor = &old.filter;

	/* Its number is known; it learns others, whether its successor has the source or not. */
	assert_int_equal(test(&sim, 1, 5), 1);
	assert_int_equal(see(&sim, 1, 5), 1);
	assert_int_equal(see(&sim, 1, 6), 0);
	assert_int_equal(see(&sim, 1, 6), 1);
	assert_int_equal(packet(&old, 1, 6), DEDUP_SEEN);
	assert_int_equal(see(&sim, 2, 6), -ENOENT);
	packet(&sim, 1, 8);
	assert_int_equal(see(&sim, 1, 7), 0);
	assert_int_equal(packet(&old, 1, 7), DEDUP_SEEN);
	assert_int_equal(packet(&sim, 1, 7), DEDUP_SEEN);
	assert_int_equal(see(&sim, 1, 8), 1);

	sim_take_charge(&sim);
	old.state.successor = DEDUP_SUCCESSOR_IN_CHARGE;
	assert_int_equal(see(&sim, 1, 9), 0);
	assert_int_equal(packet(&old, 1, 9), DEDUP_FRESH);
	assert_int_equal(packet(&sim, 1, 9), DEDUP_SEEN);
	/* Out of both. */
	assert_int_equal(drop(&sim, 1, 7), 1);
	assert_int_equal(test(&sim, 1, 7), 0);
	sim_stop(&sim);
	sim_stop(&old);
}

UNIT_MAIN()
