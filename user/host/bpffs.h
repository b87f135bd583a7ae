/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A BPF file system that outlives this process. A pin exists as long as its bpffs, a bpffs as long
 * as a mount namespace has it mounted, and a mount namespace as long as a process is in it: that of
 * `ip netns exec` ends with its command.
 */
#pragma once

#include <stdbool.h>

/* Makes sure that BPFFS is a bpffs that another process has mounted too. Tries in this order:
 * - BPFFS is such a bpffs: nothing to do.
 * - This process is in PID 1's mount namespace, where BPFFS is no bpffs: mounts one there if
 *   may_mount; else BPFFS stays missing, which is no failure. If several processes do this at
 *   once, one of them mounts, unless another process keeps the directory locked for 2 s.
 * - Moves this process into the mount namespace of an ancestor, or of PID 1, that has a bpffs.
 *   Relative paths then mean other files.
 * Returns 0; or -errno (logged) if all of these fail, or if it is unknown whether BPFFS lasts.
 */
int bpffs_ready(bool may_mount);
