/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The system calls that answering scrapes takes (libseccomp). */
#ifndef XDP_DEDUP_CALLS_H
#define XDP_DEDUP_CALLS_H

/* From now on every other call fails with EPERM, for good: no socket is made or connected, nothing
 * is signalled, no namespace, process or thread is made, no memory made executable. 0, or -errno
 * (logged).
 */
int calls_limit(void);

#endif
