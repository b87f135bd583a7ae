/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A BPF file system that lasts. A pin lives as long as its bpffs, which lives as long as a
 * mount namespace has it mounted, and that as long as a process is in it; with the pins go the
 * filter's timer, so its clock, and libxdp's dispatchers. `ip netns exec`, for one, runs its
 * command in a mount namespace of its own, which ends with the command.
 */
#ifndef XDP_DEDUP_BPFFS_H
#define XDP_DEDUP_BPFFS_H

#include <stdbool.h>

/* Sees to it that BPFFS is a bpffs that another process holds, too: the one here; or else
 * moves this process into the mount namespace of an ancestor or of PID 1 that has one (so
 * open files by relative paths before). Where that is PID 1's, and there is none, it is
 * mounted if `may_mount`, and else missing, which is no failure. What cannot be told is one:
 * says so.
 */
int bpffs_ready(bool may_mount);

#endif
