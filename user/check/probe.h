/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What can only be told by trying it on BPF programs of this process's own, which are attached to
 * no interface and go at once. Takes CAP_BPF and CAP_NET_ADMIN, or CAP_SYS_ADMIN. Logs nothing.
 */
#ifndef XDP_DEDUP_PROBE_H
#define XDP_DEDUP_PROBE_H

/* Does the kernel compile BPF programs? 1 yes, 0 no; -errno if it cannot be told. */
int probe_jit(void);

/* Does the kernel replace a function of a program by another program, as libxdp's dispatcher needs?
 * 0 yes; -errno says why not.
 */
int probe_replacing(void);

#endif
