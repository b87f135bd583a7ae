/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether this kernel lets a CPU begin another packet before it has finished one. Kernels with
 * PREEMPT_RT do since Linux 6.18, unless they were built with PREEMPT_RT_NEEDS_BH_LOCK. What a
 * program keeps for its CPU, as the id that it looks up, is then not one packet's: a fresh packet
 * could be judged by the id of another one.
 */
#ifndef XDP_DEDUP_PREEMPTION_H
#define XDP_DEDUP_PREEMPTION_H

#include <stdbool.h>

/* Does it, by these texts of uname(), and by the file of its configuration? If there is no such
 * file, the option counts as not set, which is its default.
 */
bool preemption_of(const char *release, const char *version, const char *config);

/* Checks that a filter that drops duplicates may run here. Returns 0; or -EOPNOTSUPP (logged). */
int preemption_check(void);

#endif
