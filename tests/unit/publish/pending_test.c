// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of events without an acknowledgement, against plain lists. */
#include "unit.h"

#include "pending.h"

#define SLOTS 13
#define STEPS 200000
#define BYTES_MAX 5000

/* Of events that are never copies. */
static struct publish_stream numbered = { .realm = "rtp", .is.number_bytes = 2 };

/* A message of the model: where its answer goes. */
struct model_message {
	uint32_t slot, generation;
	bool is_there;
	struct intake_event event;
};

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
		assert_ptr_equal(s->event, &m->event);
		assert_int_equal(pending_number(p, s), m->slot);
		there++;
		bytes += m->event.len;
	}
	for (struct pending_slot *s = NULL; (s = pending_next(p, s)); seen++)
		assert_non_null(s->event);
	assert_int_equal(pending_count(p), there);
	assert_int_equal(seen, there);
	assert_true(!p->end || p->slots[p->end - 1].event); /* a walk ends there */
	assert_int_equal(p->bytes, bytes);
	assert_int_equal((pending_room(p, 1) > 0), there < SLOTS && (bytes < BYTES_MAX || !there));
}

/* The last messages are remembered: so answers to those that are gone come, too. */
#define MESSAGES (4 * SLOTS)

/* Does the model have an event with the id and the realm? A number may come again for another one. */
static bool has_copy(const struct model_message *all, const struct intake_event *e)
{
	bool has = false;

	for (int i = 0; i < MESSAGES && !e->stream->is.number_bytes; i++)
		has |= all[i].is_there && !all[i].event.stream->is.number_bytes &&
		       !strcmp(all[i].event.stream->realm, e->stream->realm) &&
		       all[i].event.id.len == e->id.len &&
		       !memcmp(all[i].event.id.bytes, e->id.bytes, e->id.len);
	return has;
}

TEST(any_order)
{
	static struct publish_stream streams[] = {
		{ .realm = "a" },
		{ .realm = "b" },
		{ .realm = "a" },
		{ .realm = "a", .is.number_bytes = 2 },
	};
	static struct model_message all[MESSAGES];
	struct pending p;
	size_t next = 0;

	srandom(34);
	assert_int_equal(pending_open(&p, SLOTS, BYTES_MAX), 0);
	for (int step = 0; step < STEPS; step++) {
		struct model_message *m = &all[random() % MESSAGES];
		struct pending_slot *s;

		if (random() % 2 && pending_room(&p, 1) > 0 && !all[next].is_there) {
			int n = random() % 9; /* few ids: many are there already */

			m = &all[next];
			memset(&m->event, 0, sizeof(m->event));
			m->event.stream = &streams[random() % ARRAY_SIZE(streams)];
			m->event.len = random() % (2 * BYTES_MAX / SLOTS);
			m->event.id.len = 1 + n % 3;
			memset(m->event.id.bytes, n / 3, m->event.id.len);
			s = pending_add(&p, &m->event);
			assert_int_equal(s == NULL, has_copy(all, &m->event));
			if (!s)
				continue;
			next = (next + 1) % MESSAGES;
			m->slot = pending_number(&p, s);
			m->generation = s->generation;
			m->is_there = true;
			assert_false(s->is_sent);
			assert_int_equal(s->attempts, 0);
			assert_int_equal(s->first_sent_ns, 0);
		} else if (m->is_there) {
			s = pending_find(&p, m->slot, m->generation);
			pending_sent(s, step + 1, 10);
			assert_ptr_equal(pending_remove(&p, s), &m->event);
			m->is_there = false;
		}
		if (step % 16 == 0)
			check_same(&p, all, MESSAGES);
	}
	pending_close(&p);
}

TEST(hostile_answers)
{
	struct intake_event m = { .stream = &numbered, .len = 10 };
	struct pending_slot *s;
	struct pending p;

	assert_int_equal(pending_open(&p, 2, 1), 0);
	assert_null(pending_find(&p, 0, 0));
	s = pending_add(&p, &m);
	assert_null(pending_find(&p, 2, 1));
	assert_null(pending_find(&p, UINT32_MAX, s->generation));
	assert_null(pending_find(&p, pending_number(&p, s), s->generation + 1));
	assert_false(pending_room(&p, 1) > 0); /* its bytes */
	pending_remove(&p, s);
	assert_true(pending_room(&p, 1) > 0);
	pending_close(&p);
}

#define MS 1000000ULL
#define TIMEOUT_NS (5000 * MS)

/* What happens to a message that is due, in this order: `s` it is sent, `u` it cannot be sent, `r`
 * it is refused, `a` nobody has the stream, `l` the connection is lost. Then its state.
 */
static const struct fate {
	const char *name, *steps;
	uint32_t retries, attempts;
	bool is_given_up, is_sent;
	uint64_t pause_ms; /* from now until it is due */
} FATES[] = {
	{ "sent", "s", 5, 1, false, true, 5000 },
	{ "cannot-be-sent", "u", 5, 0, false, false, 100 },
	{ "refused-once", "sr", 5, 1, false, false, 200 },
	{ "refused-twice", "srsr", 5, 2, false, false, 400 },
	{ "refused-five-times", "srsrsrsrsr", 5, 5, false, false, 3200 },
	{ "longest-pause", "srsrsrsrsrsrsrsr", 99, 8, false, false, 5000 },
	{ "given-up", "srsrsr", 2, 3, true, true, 5000 },
	{ "no-retries", "sr", 0, 1, true, true, 5000 },
	{ "nobody-has-the-stream", "sasasasa", 0, 0, false, false, 500 },
	{ "answered-twice", "saa", 0, 0, false, false, 500 },
	{ "lost-resets-attempts", "srsrl", 2, 0, false, false, 0 },
	{ "lost-and-sent-again", "srsrlsrsr", 2, 2, false, false, 400 },
	{ "lost-while-sent", "sl", 0, 0, false, false, 0 },
};

TEST_ROWS(fate, FATES)
{
	struct intake_event m = { .stream = &numbered, .len = 1 };
	uint64_t now = 7 * MS, first_ns = 0;
	bool is_given_up = false;
	struct pending_slot *s;
	struct pending p;

	assert_int_equal(pending_open(&p, 1, 1), 0);
	s = pending_add(&p, &m);
	for (const char *step = row->steps; *step; step++) {
		if (*step == 's') {
			now += MS;
			first_ns = first_ns ?: now; /* is kept over retries and connections */
			pending_sent(s, now, TIMEOUT_NS);
		} else if (*step == 'u')
			pending_postpone(s, now, PENDING_UNSENT_NS);
		else if (*step == 'r')
			is_given_up = !pending_retry(s, now, row->retries);
		else if (*step == 'a')
			pending_postpone(s, now, PENDING_UNAVAILABLE_NS);
		else
			pending_restart(s);
	}
	assert_int_equal(is_given_up, row->is_given_up);
	assert_int_equal(s->attempts, row->attempts);
	assert_int_equal(s->is_sent, row->is_sent);
	assert_int_equal(s->first_sent_ns, first_ns);
	assert_int_equal(s->due_ns, row->pause_ms ? now + row->pause_ms * MS : 0);
	pending_close(&p);
}

/* How many messages of up to 10 bytes have room beside these. */
static const struct room {
	const char *name;
	uint32_t slots, there;
	size_t bytes_each, bytes_max;
	uint32_t room;
} ROOMS[] = {
	{ "room-for-free-slots", 4, 3, 10, 1000, 1 },  { "no-slot", 4, 4, 10, 1000, 0 },
	{ "room-for-part-of-one", 100, 1, 10, 69, 5 }, { "one-more-than-bytes", 100, 5, 10, 55, 1 },
	{ "bytes-are-used-up", 100, 5, 10, 50, 0 },    { "bytes-are-exceeded", 100, 5, 10, 45, 0 },
	{ "one-always-has-room", 100, 0, 0, 1, 1 },
};

TEST_ROWS(room, ROOMS)
{
	struct intake_event m = { .stream = &numbered, .len = row->bytes_each };
	struct pending p;

	assert_int_equal(pending_open(&p, row->slots, row->bytes_max), 0);
	for (uint32_t i = 0; i < row->there; i++)
		pending_add(&p, &m);
	assert_int_equal(pending_room(&p, 10), row->room);
	assert_int_equal(pending_room(&p, 1) > 0, row->room > 0);
	pending_close(&p);
}

UNIT_MAIN()
