// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "clock.h"

uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}
