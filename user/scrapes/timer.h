/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Timers of an event loop. */
#ifndef XDP_DEDUP_TIMER_H
#define XDP_DEDUP_TIMER_H

#include <stdint.h>
#include <systemd/sd-event.h>

/* Sets *timer, which is NULL before the first time, to fire once, in in_us microseconds or up to a
 * tenth later (sd-event's own accuracy is 250 ms). An earlier setting is cancelled. The caller
 * unrefs *timer. Returns 0, or -errno.
 */
int timer_arm(sd_event *events, sd_event_source **timer, uint64_t in_us,
	      sd_event_time_handler_t then, void *arg);

#endif
