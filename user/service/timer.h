/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Timers of the service's event loop. */
#ifndef XDP_DEDUP_TIMER_H
#define XDP_DEDUP_TIMER_H

#include <stdint.h>
#include <systemd/sd-event.h>

/* Has *timer, which is NULL before the first time, go off once, in so many microseconds or up to a
 * tenth more (sd-event's own accuracy is 250 ms); an earlier time is forgotten. The caller unrefs
 * it. 0 or -errno.
 */
int timer_arm(sd_event *events, sd_event_source **timer, uint64_t in_us,
	      sd_event_time_handler_t then, void *arg);

#endif
