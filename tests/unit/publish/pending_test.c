// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of messages without an acknowledgement, against a plain list. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "pending.h"

#define SLOTS 13
#define STEPS 200000
#define BYTES_MAX 5000

/* A message of the model: where its answer goes. */
struct model_message {
	struct pending_message message;
	uint32_t slot, generation;
	bool is_there;
};

static void count_one(void *arg, struct pending_slot *s)
{
	uint32_t *cnt = arg;

	assert_non_null(s->message);
	++*cnt;
}

static void check_same(struct pending *p, const struct model_message *all, size_t cnt)
{
	uint32_t there = 0, seen = 0;
	uint64_t bytes = 0;

	for (size_t i = 0; i < cnt; i++) {
		const struct model_message *m = &all[i];
		struct pending_slot *s = pending_find(p, m->slot, m->generation);

		assert_int_equal(s != NULL, m->is_there);
		if (!m->is_there)
			continue;
		assert_ptr_equal(s->message, &m->message);
		assert_int_equal(pending_number(p, s), m->slot);
		there++;
		bytes += m->message.bytes;
	}
	pending_each(p, count_one, &seen);
	assert_int_equal(pending_count(p), there);
	assert_int_equal(seen, there);
	assert_int_equal(p->bytes, bytes);
	assert_int_equal(pending_has_room(p), there < SLOTS && (bytes < BYTES_MAX || !there));
}

/* The last messages are remembered: so answers to those that are gone come, too. */
#define MESSAGES (4 * SLOTS)

static void any_order(void **state)
{
	static struct model_message all[MESSAGES];
	struct pending p;
	size_t next = 0;

	(void)state;
	srandom(34);
	assert_int_equal(pending_open(&p, SLOTS, BYTES_MAX), 0);
	memset(all, 0, sizeof(all));
	for (int step = 0; step < STEPS; step++) {
		struct model_message *m = &all[random() % MESSAGES];

		if (random() % 2 && pending_has_room(&p) && !all[next].is_there) {
			struct pending_slot *s;

			m = &all[next];
			next = (next + 1) % MESSAGES;
			m->message.bytes = random() % (2 * BYTES_MAX / SLOTS);
			s = pending_add(&p, &m->message, step);
			m->slot = pending_number(&p, s);
			m->generation = s->generation;
			m->is_there = true;
			assert_false(s->is_sent);
			assert_int_equal(s->tries, 0);
			assert_int_equal(s->begin_ns, step);
		} else if (m->is_there) {
			struct pending_slot *s = pending_find(&p, m->slot, m->generation);

			s->is_sent = true;
			s->tries = 5;
			assert_ptr_equal(pending_remove(&p, s), &m->message);
			m->is_there = false;
		}
		if (step % 16 == 0)
			check_same(&p, all, MESSAGES);
	}
	pending_close(&p);
}

static void hostile_answers(void **state)
{
	struct pending_message m = { .bytes = 10 };
	struct pending_slot *s;
	struct pending p;

	(void)state;
	assert_int_equal(pending_open(&p, 2, 1), 0);
	assert_null(pending_find(&p, 0, 0));
	s = pending_add(&p, &m, 1);
	assert_null(pending_find(&p, 2, 1));
	assert_null(pending_find(&p, UINT32_MAX, s->generation));
	assert_null(pending_find(&p, pending_number(&p, s), s->generation + 1));
	assert_false(pending_has_room(&p)); /* its bytes */
	pending_remove(&p, s);
	assert_true(pending_has_room(&p));
	pending_close(&p);
}

int main(void)
{
	static const struct CMUnitTest TESTS[] = {
		cmocka_unit_test(any_order),
		cmocka_unit_test(hostile_answers),
	};

	return run_any_tests("pending", TESTS, ARRAY_SIZE(TESTS));
}
