/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef XDP_DEDUP_CLOCK_H
#define XDP_DEDUP_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns the time of this clock, as this process reads it, in ns. */
uint64_t clock_ns(clockid_t clock);

#endif
