// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "event_loop.h"

#include <signal.h>
#include <stdbool.h>
#include <time.h>

int loop_open(sd_event **ret_loop, const struct loop_signal *signals, void *arg)
{
	int err = sd_event_default(ret_loop);

	for (; signals->signal && err >= 0; signals++) {
		sigset_t one;

		sigemptyset(&one);
		sigaddset(&one, signals->signal);
		sigprocmask(SIG_BLOCK, &one, NULL);
		err = sd_event_add_signal(*ret_loop, NULL, signals->signal, signals->then, arg);
	}
	return err < 0 ? err : sd_event_set_watchdog(*ret_loop, true);
}

int timer_arm(sd_event *events, sd_event_source **timer, uint64_t in_us,
	      sd_event_time_handler_t then, void *arg)
{
	if (!*timer)
		return sd_event_add_time_relative(events, timer, CLOCK_MONOTONIC, in_us,
						  in_us / 10 + 1, then, arg);
	sd_event_source_set_time_relative(*timer, in_us);
	return sd_event_source_set_enabled(*timer, SD_EVENT_ONESHOT);
}
