/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the machine's network namespaces, which the kernel does not list: those that a thread is
 * in, those that a process has open, and those that are mounted where any process sees it (as ip
 * netns and container runtimes do). One is not found if only a socket holds it, or a mount in a
 * mount namespace that has no process. Logs nothing.
 */
#ifndef XDP_DEDUP_NETNS_H
#define XDP_DEDUP_NETNS_H

#include <stdint.h>

/* Calls ask(arg) in each of them except this process's own, until it returns 1; it returns 0 for
 * no, -errno if it cannot tell. It runs in a child process, which enters one namespace after the
 * other: so this process never has to return to its own. Returns 1 if a call did, 0 if all
 * namespaces were found and all calls returned 0; else -errno. -EACCES if not all of the machine's
 * processes can be seen, as in a container.
 */
int netns_ask_others(int (*ask)(uint32_t), uint32_t arg);

#endif
