/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* `recover = yes`: wants what the kernel discards behind the service's filters, so that the next
 * copy passes. The kernel's drop monitor is on while each filter's interfaces allow it. A flood of
 * discarded packets takes about a tenth of a CPU here: between two turns there is a pause. If
 * there is no room for packets meanwhile, the monitor is off until the others are read, so that the
 * kernel's part of the cost is bounded, too.
 */
#pragma once

#include <systemd/sd-event.h>

#include "diag_once.h"
#include "lost_packets.h"
#include "readings.h"

/* One filter of the file, also one that is not loaded. */
struct recovered {
	char name[NAME_MAX_LEN + 1];
	struct lost_packets packets;
	struct filter *filter; /* in this turn; NULL: it cannot be read */
	bool seen;
};

/* The caller sets the first fields, with the rest all zero. */
struct want_lost {
	sd_event *events;
	const struct readings *readings;

	struct links links;	      /* the interfaces, as of the last update */
	struct drop_monitor *monitor; /* NULL: it is off */
	sd_event_source *packets, *pause;
	bool is_flooded;  /* the monitor is off until all that it has reported is read */
	uint64_t paid_ns; /* CLOCK_MONOTONIC: until then, CPU time is used up */
	struct recovered **list;
	int cnt;
	const struct recovered *identified; /* whose ids the packet program finds in this turn */
	uint64_t unread; /* discarded packets that were not reported: there were too many at once */
	uint32_t missed; /* the monitor's part of that, as read last */
	struct diag_once off; /* why the monitor is off */
};

/* Turns the monitor on or off. Call it after each reading by readings_refresh(), and when filters
 * or interfaces have changed, after readings_take(). If filters cannot be recovered now, the reason
 * is logged once, and the next call tries again.
 */
void want_lost_update(struct want_lost *w, bool recover);

/* Updates w->unread. */
void want_lost_count(struct want_lost *w);

void want_lost_close(struct want_lost *w);
