// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Cells that hold when they reach 0, against cells that are counted down one by one. */
#include "unit.h"

#include "countdown.h"
#include "model_memory.h"
#include "hand.h"
#include "ids.h"
#include "sim.h"

#define HOUR_NS 3600000000000ULL
#define NEVER (1ULL << 60)

/* A countdown filter of so many cells that each id has one of them in each of k hashes, its
 * hand at this epoch, its memory as if nothing had ever been learned.
 */
static void start(struct sim *s, uint32_t index_bits, uint32_t k, uint32_t countdown_bits,
		  uint32_t epoch)
{
	struct filter_spec spec = sim_spec(1000, 0.1, 1000000 * HOUR_NS);
	__u32 *cells;

	spec.layout = DEDUP_COUNTDOWN;
	spec.index_bits = index_bits;
	spec.hashes = k;
	spec.countdown_bits = countdown_bits;
	sim_start(s, &spec, index_bits * 32 + k);
	s->config.memory.turn_ids = s->config.memory.full_ids = NEVER;
	s->state.limit = NEVER;
	s->state.hand = (uint64_t)epoch << 32;
	cells = (__u32 *)s->filter.blocks;
	for (uint32_t i = 0; i < s->config.memory.blocks * DEDUP_BLOCK_CELLS; i++)
		cells[i] = dedup_countdowns(s->state.hand, s->config.memory.places);
}

static uint32_t left_of(const struct sim *s, uint32_t cell)
{
	return dedup_cell_left(((const __u32 *)s->filter.blocks)[cell],
			       dedup_countdowns(s->state.hand, s->config.memory.places),
			       s->config.memory.places);
}

static void compare(const struct sim *s, const struct model_memory *m)
{
	for (uint32_t i = 0; i < m->size; i++)
		if (left_of(s, i) != m->left[i])
			fail_msg("%u left of cell %u, not %u", left_of(s, i), i, m->left[i]);
}

static void any_operation(struct sim *s, struct model_memory *m, struct id *pool, uint64_t *seed)
{
	uint64_t any = random_next(seed);
	struct id *id = &pool[any / 64 % 64];

	if (any / 4096 % 16 == 0)
		*id = id_fresh();
	switch (any % 16) {
	case 0:
		assert_int_equal(ids_remove(&s->filter, id->bytes), model_remove(m, id));
		break;
	case 1 ... 2:
		assert_int_equal(ids_add(&s->filter, id->bytes), model_add(m, id));
		break;
	case 3 ... 7:
		assert_int_equal(ids_test(&s->filter, id->bytes), model_test(m, id));
		break;
	default:
		assert_int_equal(ids_see(&s->filter, id->bytes), model_see(m, id));
	}
}

/* Countdowns and operations in turn; then as many countdowns as leave nothing, where these
 * are not too many.
 */
static void differ(uint32_t index_bits, uint32_t countdown_bits, uint32_t epoch, uint32_t rounds)
{
	uint64_t seed = index_bits << 8 | countdown_bits;
	uint32_t max, k = 1 + index_bits % 5;
	struct id pool[64];
	struct model_memory m;
	struct sim s;

	for (size_t i = 0; i < ARRAY_SIZE(pool); i++)
		pool[i] = id_fresh();
	start(&s, index_bits, k, countdown_bits, epoch);
	max = s.config.memory.places;
	assert_int_equal(max, (1U << countdown_bits) - 1);
	model_memory_start(&m, &s.config);
	for (uint32_t i = 0; i < rounds; i++) {
		uint32_t n = random_next(&seed) % 3;

		for (uint32_t op = random_next(&seed) % 8; op; op--)
			any_operation(&s, &m, pool, &seed);
		if (random_next(&seed) % 64 == 0)
			n += max < 200 ? random_next(&seed) % max : 200;
		sim_pass(&s, n);
		for (; n; n--)
			model_rotate(&m);
		if (index_bits < 8 || i % 64 == 0)
			compare(&s, &m);
	}
	compare(&s, &m);
	model_memory_stop(&m);
	sim_stop(&s);
}

static const uint32_t COUNTDOWN_BITS[] = { 1, 2, 4, 7, 10, 12, 24 };

/* The epoch at which the number of countdowns is just before this. */
static uint32_t epoch_before(uint64_t number, uint32_t countdown_bits)
{
	uint32_t max = (1U << countdown_bits) - 1;

	return (number - 1) / max - (max < 1000 ? 500 / max : 0);
}

/* Numbers of countdowns go round, at 2^32, and seem to change sign, at 2^31. */
TEST(counts_as_the_plain_loop_does)
{
	for (size_t i = 0; i < ARRAY_SIZE(COUNTDOWN_BITS); i++) {
		uint32_t bits = COUNTDOWN_BITS[i];

		for (uint32_t index_bits = 1; index_bits <= 16; index_bits++)
			differ(index_bits, bits, 0, tries(1, 8) * (index_bits < 10 ? 500 : 50));
		for (uint32_t index_bits = 1; index_bits <= 6; index_bits++) {
			differ(index_bits, bits, epoch_before(1ULL << 31, bits), 3000);
			differ(index_bits, bits, epoch_before(1ULL << 32, bits), 3000);
		}
	}
}

/* So many countdowns that nobody sees, but for one round of the sweep before each 2^31. */
static void jump(struct sim *s, uint64_t countdowns)
{
	uint64_t pos = dedup_hand_pos(s->state.hand) + countdowns;
	uint32_t epoch = dedup_hand_epoch(s->state.hand) + pos / s->config.memory.places;

	s->state.hand = (uint64_t)epoch << 32 | pos % s->config.memory.places;
}

TEST(nothing_comes_back_in_billions)
{
	for (uint32_t index_bits = 1; index_bits <= 10; index_bits++) {
		for (size_t b = 0; b < ARRAY_SIZE(COUNTDOWN_BITS); b++) {
			struct id id;
			struct sim s;

			start(&s, index_bits, 3, COUNTDOWN_BITS[b], 9);
			for (int round = 0; round < 12; round++) {
				id = id_fresh();
				assert_int_equal(ids_see(&s.filter, id.bytes), 0);
				jump(&s, s.config.memory.places);
				sim_pass(&s, s.config.memory.blocks);
				for (uint64_t from = 0; from < 1U << 31; from += 1U << 29) {
					for (uint32_t i = 0; i < s.config.memory.m; i++)
						assert_int_equal(left_of(&s, i), 0);
					jump(&s, (1U << 29) - 2 * s.config.memory.blocks);
				}
				sim_pass(&s, s.config.memory.blocks);
			}
			sim_stop(&s);
		}
	}
}

/* A cell ahead of this reader's number, set by one that had seen the next countdown. */
TEST(a_cell_may_be_ahead)
{
	for (uint32_t max = 1; max < 1U << 24; max = 2 * max + 1) {
		for (int i = 0; i < 4; i++) {
			static const uint32_t NOW[] = { 0, 100, (1U << 31) - 2, UINT32_MAX - 1 };
			uint32_t now = NOW[i];

			assert_int_equal(dedup_cell_left(now, now, max), 0);
			assert_int_equal(dedup_cell_left(now - 1, now, max), 0);
			assert_int_equal(dedup_cell_left(now + 1, now, max), 1);
			assert_int_equal(dedup_cell_left(now + max, now, max), max);
			assert_int_equal(dedup_cell_left(now + max + 1, now, max), max);
			assert_int_equal(dedup_cell_left(now - INT32_MAX, now, max), 0);
		}
	}
}

/* A countdown of a million cells changes no more than sixteen of them. */
TEST(a_countdown_writes_one_block)
{
	struct dedup_block *before;
	uint64_t size, seed = 3;
	uint32_t most = 0;
	struct sim s;

	start(&s, 12, 3, 3, 0);
	size = s.config.memory.blocks * sizeof(*before);
	before = malloc(size);
	assert_non_null(before);
	for (int i = 0; i < 5000; i++) {
		uint32_t changed = 0;

		for (int n = random_next(&seed) % 50; n; n--) {
			struct id id = id_fresh();

			ids_see(&s.filter, id.bytes);
		}
		memcpy(before, s.filter.blocks, size);
		sim_pass(&s, 1);
		for (uint32_t b = 0; b < s.config.memory.blocks; b++)
			changed += memcmp(&before[b], &s.filter.blocks[b], sizeof(*before)) != 0;
		assert_true(changed <= 1);
		most += changed;
	}
	assert_true(most > 100);
	free(before);
	sim_stop(&s);
}

UNIT_MAIN()
