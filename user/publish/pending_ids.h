/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ids of pending events. The filter learns an id when the event is stored (--learn app), or when a
 * socket has taken it (--deliver xsk), so copies may pass before; this table finds them. Numbers
 * are not in it: one may come again soon, for another event. Pure.
 */
#ifndef XDP_DEDUP_PUBLISH_PENDING_IDS_H
#define XDP_DEDUP_PUBLISH_PENDING_IDS_H

#include <stdbool.h>
#include <stdint.h>

#include "intake.h"

struct pending_ids {
	struct intake_event **chains; /* the first event of each; or NULL */
	uint32_t mask;		      /* chains - 1 */
};

/* Makes an empty table for some `events` events. Returns 0, and the caller closes it; or -ENOMEM. */
int pending_ids_open(struct pending_ids *p, uint32_t events);
void pending_ids_close(struct pending_ids *p);

/* Adds the event. Returns false if an event of its realm has its id already. */
bool pending_ids_add(struct pending_ids *p, struct intake_event *e);

/* Removes the event, if it is in the table. */
void pending_ids_remove(struct pending_ids *p, struct intake_event *e);

#endif
