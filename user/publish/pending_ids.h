/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ids of pending events of which the kernel lets further copies pass, because only the application
 * teaches the filter: a copy of one that is pending need not be published. Pure.
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

/* Makes an empty table for about so many events. Returns 0, and the caller frees it; or -ENOMEM. */
int pending_ids_open(struct pending_ids *p, uint32_t events);
void pending_ids_close(struct pending_ids *p);

/* Adds the event, unless one of its stream and id is there: false. */
bool pending_ids_add(struct pending_ids *p, struct intake_event *e);

/* Removes the event, if it is there. */
void pending_ids_remove(struct pending_ids *p, struct intake_event *e);

#endif
