/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the machine's network namespaces, which the kernel does not list: those that a thread is
 * in, those that a process has open, and those that are mounted in a mount namespace of a process
 * (as ip netns and container runtimes do). It does not find a namespace that only a socket holds,
 * or only a mount in a mount namespace without processes. Logs nothing.
 */
#ifndef XDP_DEDUP_NETNS_H
#define XDP_DEDUP_NETNS_H

#include <stdint.h>

/* Calls ask(arg) in each of these namespaces except this process's own, until a call returns 1.
 * ask() returns 1 for yes, 0 for no, -errno if it does not know. It runs in a child process, which
 * enters one namespace after the other: so this process never leaves its own. Returns 1 if a call
 * returned 1; 0 if all namespaces were found and all calls returned 0; else -errno: -EACCES if this
 * process cannot see all processes of the machine, as in a container.
 */
int netns_ask_others(int (*ask)(uint32_t), uint32_t arg);

#endif
