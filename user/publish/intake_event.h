/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Events of an intake (intake.h): finds one in a packet, keeps it, and ends it. */
#ifndef XDP_DEDUP_PUBLISH_INTAKE_EVENT_H
#define XDP_DEDUP_PUBLISH_INTAKE_EVENT_H

#include "intake.h"

/* Returns CLOCK_REALTIME minus CLOCK_MONOTONIC, in ns. */
uint64_t intake_event_clock_offset(void);

/* Reads the filter's streams again, and notes in *in whether they have changed or cannot be read.
 * Returns what publish_streams_refresh() returns.
 */
int intake_event_refresh(struct intake *in);

/* Finds the id and the stream of a datagram, and sets them in *e. Returns 1; 0 if it is no event of
 * a published stream; or the -errno of xdp_dedup_id_of() or intake_event_refresh(). Counts all
 * datagrams for which it does not return 1.
 */
int intake_event_find(struct intake *in, const struct xdp_dedup_datagram *d, struct intake_event *e);

/* Returns a copy of the event, with a copy of its payload if it came by a UDP socket. It lives
 * until intake_end(). Returns NULL if there is no memory.
 */
struct intake_event *intake_event_keep(struct intake *in, const struct intake_event *found);

/* Ends an event for which there is no memory: counts it, and gives its packet back. */
void intake_event_discard(struct intake *in, const struct intake_event *found);

#endif
