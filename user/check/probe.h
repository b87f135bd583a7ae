/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Features that are found out by trying them on BPF programs of this process, which are attached to
 * no interface and are freed at once. Needs CAP_BPF and CAP_NET_ADMIN, or CAP_SYS_ADMIN. Logs
 * nothing.
 */
#ifndef XDP_DEDUP_PROBE_H
#define XDP_DEDUP_PROBE_H

/* Does the kernel compile BPF programs? Returns 1 or 0; -errno if that is unknown. */
int probe_jit(void);

/* Checks that the kernel can replace a function of a program by another program, as libxdp's
 * dispatcher needs. Returns 0; or -errno, the reason why it cannot.
 */
int probe_replacing(void);

#endif
