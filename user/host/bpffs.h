/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A BPF file system that outlives this process. A pin lives as long as its bpffs, a bpffs as long
 * as a mount namespace has it mounted, and a mount namespace as long as a process is in it. If the
 * pins go, so do the filter's timer, which drives its hand, and libxdp's dispatchers. That would
 * happen under `ip netns exec`, say: it runs its command in a new mount namespace, which ends with
 * the command.
 */
#ifndef XDP_DEDUP_BPFFS_H
#define XDP_DEDUP_BPFFS_H

#include <stdbool.h>

/* Sees to it that BPFFS is a bpffs that another process has mounted too, in this order:
 * - it is one already;
 * - this process is in PID 1's mount namespace, where BPFFS is no bpffs: one is mounted there if
 *   may_mount, else it stays missing, which is no failure;
 * - this process moves into the mount namespace of an ancestor, or of PID 1, that has one. Relative
 *   paths then mean other files.
 * 0; -errno (logged) if nothing of that works or it cannot be told.
 */
int bpffs_ready(bool may_mount);

/* Removes a directory of pins, and the pins in it, from the open directory `at`. No link is
 * followed: what is no directory goes itself. 0; -EPERM if others than root can change what is in
 * it; another -errno, after which some pins may be gone.
 */
int bpffs_remove(int at, const char *name);

#endif
