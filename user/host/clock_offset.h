/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hand uses the kernel's own CLOCK_MONOTONIC. A process in a time namespace reads a value that
 * differs from it by a constant.
 */
#ifndef XDP_DEDUP_CLOCK_OFFSET_H
#define XDP_DEDUP_CLOCK_OFFSET_H

#include <stdint.h>

/* Measures *offset_ns by running a BPF program: this process's clock_ns() plus *offset_ns is the
 * kernel's clock. Outside of time namespaces *offset_ns is exactly 0. It is valid until the process
 * enters another time namespace. Needs CAP_BPF. Returns 0, or -errno.
 */
int clock_measure_offset(int64_t *offset_ns);

#endif
