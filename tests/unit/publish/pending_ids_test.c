// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ids of pending events, against a plain list. */
#include "unit.h"

#include "pending_ids.h"

#define EVENTS 40
#define IDS 9 /* few: most are there already */
#define STREAMS 2
#define STEPS 100000

TEST(any_order)
{
	static struct publish_stream streams[STREAMS];
	struct intake_event *there[STREAMS][IDS] = { 0 };
	struct pending_ids p;

	srandom(34);
	assert_int_equal(pending_ids_open(&p, EVENTS), 0);
	for (int step = 0; step < STEPS; step++) {
		int stream = random() % STREAMS, n = random() % IDS;
		struct intake_event **at = &there[stream][n];

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
	for (int i = 0; i < STREAMS * IDS; i++)
		free(there[i / IDS][i % IDS]);
	pending_ids_close(&p);
}

UNIT_MAIN()
