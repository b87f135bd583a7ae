/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The event loop of a program: its signals, and its timers. */
#pragma once

#include <stdint.h>
#include <systemd/sd-event.h>

struct loop_signal {
	int signal; /* 0: the last one */
	sd_event_signal_handler_t then;
};

/* Opens the program's event loop, with these signals, and with systemd's watchdog. Blocks the
 * signals, also for later threads. Returns 0, and the caller unrefs *ret_loop; or -errno.
 */
int loop_open(sd_event **ret_loop, const struct loop_signal *signals, void *arg);

/* Sets *timer, which is NULL before the first time, to fire once, in in_us microseconds or up to a
 * tenth later (sd-event's own accuracy is 250 ms). An earlier setting is cancelled. The caller
 * unrefs *timer. Returns 0, or -errno.
 */
int timer_arm(sd_event *events, sd_event_source **timer, uint64_t in_us,
	      sd_event_time_handler_t then, void *arg);
