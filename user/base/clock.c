// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "clock.h"

uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

uint64_t clock_left_ns(uint64_t start_ns, uint64_t for_ns)
{
	uint64_t spent_ns = clock_ns(CLOCK_MONOTONIC) - start_ns;

	if (!for_ns)
		return UINT64_MAX;
	return spent_ns < for_ns ? for_ns - spent_ns : 0;
}
