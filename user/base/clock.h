/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

#include <stdint.h>
#include <time.h>

/* Returns the time of this clock, as this process reads it, in ns. */
uint64_t clock_ns(clockid_t clock);

/* Returns how much of for_ns is left since start_ns of CLOCK_MONOTONIC: 0 if it is over, UINT64_MAX
 * if for_ns is 0, which is without end.
 */
uint64_t clock_left_ns(uint64_t start_ns, uint64_t for_ns);

/* Reads *offset_ns from /proc: the process's CLOCK_MONOTONIC plus *offset_ns is the kernel's own,
 * which the hand reads. They differ in a time namespace alone. *offset_ns is valid until the process
 * enters another one. Returns 0; -EXDEV if it is unknown: without /proc; or after
 * unshare(CLONE_NEWTIME), until the process has entered its new namespace or has ended, as /proc
 * shows that one; another -errno.
 */
int clock_read_offset(int64_t *offset_ns);
