/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether this kernel lets a CPU begin another packet before it has finished one. Kernels with
 * PREEMPT_RT do since Linux 6.18, unless they were built with PREEMPT_RT_NEEDS_BH_LOCK. Per-CPU
 * memory of a program, such as the id that it looks up, is then shared by several packets: a fresh
 * packet could be judged by the id of another packet.
 */
#ifndef XDP_DEDUP_PREEMPTION_H
#define XDP_DEDUP_PREEMPTION_H

#include <stdbool.h>

/* Does a kernel with these texts of uname() and this configuration file do so? If the file does not
 * exist, the option counts as not set, which is its default.
 */
bool preemption_of(const char *release, const char *version, const char *config);

/* Checks that a filter that drops duplicates may run here. Returns 0; or -EOPNOTSUPP (logged). */
int preemption_check(void);

#endif
