// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "timer.h"

#include <time.h>

int timer_arm(sd_event *events, sd_event_source **timer, uint64_t in_us,
	      sd_event_time_handler_t then, void *arg)
{
	if (!*timer)
		return sd_event_add_time_relative(events, timer, CLOCK_MONOTONIC, in_us,
						  in_us / 10 + 1, then, arg);
	sd_event_source_set_time_relative(*timer, in_us);
	return sd_event_source_set_enabled(*timer, SD_EVENT_ONESHOT);
}
