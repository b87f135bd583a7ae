/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hand goes by the kernel's own CLOCK_MONOTONIC. A process in a time namespace reads another
 * value: it runs alike, but is ahead or behind by a constant.
 */
#ifndef XDP_DEDUP_CLOCK_H
#define XDP_DEDUP_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Measures *offset_ns, which added to this process's clock_ns() gives the kernel's clock, by
 * running a BPF program. Exactly 0 outside of time namespaces. It holds until the process enters
 * another time namespace. Needs CAP_BPF. 0 or -errno.
 */
int clock_measure_offset(int64_t *offset_ns);

/* This process's CLOCK_MONOTONIC, or CLOCK_MONOTONIC_COARSE, in ns. */
uint64_t clock_ns(clockid_t clock);

#endif
