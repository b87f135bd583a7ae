/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The clock that the hand goes by is the kernel's own. In a time namespace CLOCK_MONOTONIC is
 * another one: it runs alike, but is ahead or behind.
 */
#ifndef XDP_DEDUP_CLOCK_H
#define XDP_DEDUP_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Asks the kernel for its clock: what must be added to this process's clock_ns(). Outside of time
 * namespaces exactly 0. Good until the process enters another one. Needs CAP_BPF; 0 or -errno.
 */
int clock_measure_offset(int64_t *offset_ns);

/* This process's CLOCK_MONOTONIC, or CLOCK_MONOTONIC_COARSE, in ns. */
uint64_t clock_ns(clockid_t clock);

#endif
