/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The machine's network namespaces, which the kernel lists nowhere: those of all threads, those
 * that processes have open, and those that are mounted (as ip netns and containers' runtimes do)
 * where any process sees it. Not found is one that nothing but a socket holds, or a mount in a
 * mount namespace without processes. Says nothing.
 */
#ifndef XDP_DEDUP_NETNS_H
#define XDP_DEDUP_NETNS_H

#include <stdint.h>

/* Asks in each of them but this process' own, until the answer is 1. `ask` returns 1 or 0, or
 * -errno if it cannot tell; it runs in a child process, for which there is no way back to fail.
 * 1 if that was an answer, 0 if all were 0; else -errno, also where not all of them can be found
 * or entered: then -EACCES if this process does not see all others, as in a container.
 */
int netns_ask_others(int (*ask)(uint32_t), uint32_t arg);

#endif
