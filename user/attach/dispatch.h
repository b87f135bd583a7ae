/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The pins of libxdp's dispatchers. For each dispatcher libxdp has a directory
 * dispatch-IFINDEX-ID, named by the interface's index and the dispatcher's program id. In it are
 * pinned the programs of the dispatcher, and the links that attach them to it. These functions
 * correct two problems:
 * - libxdp removes the directory when it detaches. If the dispatcher ends in another way (ip link
 *   set dev IFNAME xdp off, the interface is deleted, a tool is killed), the directory stays, and
 *   keeps our program and its maps alive.
 * - An interface that moves to another network namespace may get another index there. Then libxdp
 *   does not find the directory.
 *
 * If a user can write to that directory, he could make root remove any file; if he can read it, he
 * could make libxdp wait for its lock. So these functions read it only if it is for root alone.
 * Only dispatch_ready() logs.
 */
#ifndef XDP_DEDUP_DISPATCH_H
#define XDP_DEDUP_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Makes libxdp's directory, for root alone, if may_make and it does not exist, before anybody else
 * can. Returns 0, also if there is none; -errno (logged) if it is not for root alone.
 */
int dispatch_ready(bool may_make);

/* Makes libxdp find the pins of this dispatcher, which runs on this interface: renames their
 * directory if it has another index. Returns 1 if there are pins; 0 if not (the program is no
 * dispatcher, or is pinned in another bpffs); or -errno.
 */
int dispatch_follow(int ifindex, uint32_t dispatcher_id);

/* Removes the pins of this dispatcher, which the interface no longer runs. What cannot be removed
 * now is left to dispatch_sweep().
 */
void dispatch_remove(int ifindex, uint32_t dispatcher_id);

/* Removes the pins of dispatchers that no interface of the machine runs any more, if one of their
 * programs is of a filter that was loaded in this network namespace. If not all namespaces can be
 * searched, it is enough to search this one and those to which its interfaces may have moved
 * (links_run_xdp()), if the filter's record has no other interfaces. The caller holds the lock of
 * lock_take(). Takes half a second for each dispatcher that is removed.
 */
void dispatch_sweep(void);

/* For --force: does what dispatch_sweep() does, but only for the filter with this state map,
 * wherever it was loaded, also if it is unknown whether an interface runs the filter. Such an
 * interface would then pass everything.
 */
void dispatch_forget(uint32_t state_id);

/* Dispatchers of this network namespace run the filter with this state map. Does the filter also
 * have pins of a dispatcher that no interface runs here? Called after dispatch_sweep(), which
 * leaves the pins of dispatchers that may run elsewhere. Returns 1 or 0; -errno if that is unknown.
 */
int dispatch_runs_elsewhere(uint32_t state_id);

#endif
