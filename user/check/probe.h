/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Probes features of the kernel with BPF programs that are attached to no interface and are freed
 * at once. Needs CAP_BPF and CAP_NET_ADMIN, or CAP_SYS_ADMIN. Logs nothing.
 */
#ifndef XDP_DEDUP_PROBE_H
#define XDP_DEDUP_PROBE_H

/* Returns 1 if the kernel compiles BPF programs, 0 if not; -errno if that is unknown. */
int probe_jit(void);

/* Checks that the kernel can replace a function of a program by another program, which libxdp's
 * dispatcher needs. Returns 0; or -errno, the reason why it cannot.
 */
int probe_replacing(void);

#endif
