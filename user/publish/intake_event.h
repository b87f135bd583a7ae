/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events of an intake (intake.h): how one is found in what came, kept, and ended. */
#ifndef XDP_DEDUP_PUBLISH_INTAKE_EVENT_H
#define XDP_DEDUP_PUBLISH_INTAKE_EVENT_H

#include "intake.h"

/* What to add to CLOCK_MONOTONIC for CLOCK_REALTIME. */
uint64_t intake_event_clock_offset(void);

/* Reads the filter's streams again: an id's number is one of the list as it is now. Returns what
 * publish_streams_refresh() returns, which it notes.
 */
int intake_event_follow(struct intake *in);

/* Finds the id and the stream of what came, and fills them in. Returns 1; 0 if it is no event of a
 * stream that is published; or the -errno of xdp_dedup_id_of(), or of intake_event_follow(). Counts
 * those that are not 1.
 */
int intake_event_find(struct intake *in, const struct xdp_dedup_datagram *d, struct intake_event *e);

/* Returns a copy of the event, with a copy of its payload if it came by a UDP socket, until
 * intake_end(). NULL: there is no memory.
 */
struct intake_event *intake_event_keep(struct intake *in, const struct intake_event *found);

/* There is no memory for the event: counts it, gives its packet back, and wants its id, so that its
 * next copy passes.
 */
void intake_event_lose(struct intake *in, const struct intake_event *found);

#endif
