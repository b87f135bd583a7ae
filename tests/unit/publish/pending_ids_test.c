// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ids of pending events, against a plain list. */
#include "unit.h"

#include "pending_ids.h"

#define EVENTS 40
#define IDS 9 /* few: most are there already */
#define REALMS 2
#define STREAMS 3
#define STEPS 100000

TEST(any_order)
{
	static struct publish_stream streams[STREAMS] = { { .realm = "a" },
							  { .realm = "b" },
							  { .realm = "a" } };
	struct intake_event *there[REALMS][IDS] = { 0 };
	struct pending_ids p;

	srandom(34);
	assert_int_equal(pending_ids_open(&p, EVENTS), 0);
	for (int step = 0; step < STEPS; step++) {
		int stream = random() % STREAMS, n = random() % IDS;
		struct intake_event **at = &there[stream % REALMS][n];

		if (random() % 2) {
			struct intake_event *e = calloc(1, sizeof(*e));

			e->stream = &streams[stream];
			e->id.len = 1 + n % 3;
			memset(e->id.bytes, n / 3, e->id.len);
			assert_int_equal(pending_ids_add(&p, e), !*at);
			if (*at)
				free(e);
			else
				*at = e;
		} else if (*at) {
			pending_ids_remove(&p, *at);
			free(*at);
			*at = NULL;
		}
	}
	for (int i = 0; i < REALMS * IDS; i++)
		free(there[i / IDS][i % IDS]);
	pending_ids_close(&p);
}

/* A number may come again for another event. */
TEST(numbers_are_no_ids)
{
	static struct publish_stream rtp = { .realm = "rtp", .is.number_bytes = 2 };
	struct intake_event events[2] = { { .stream = &rtp, .id.len = 6 },
					  { .stream = &rtp, .id.len = 6 } };
	struct pending_ids p;

	assert_int_equal(pending_ids_open(&p, EVENTS), 0);
	for (int i = 0; i < 2; i++)
		assert_true(pending_ids_add(&p, &events[i]));
	for (int i = 0; i < 2; i++)
		pending_ids_remove(&p, &events[i]);
	pending_ids_close(&p);
}

UNIT_MAIN()
