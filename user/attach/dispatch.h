/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The pins of libxdp's dispatchers. For each dispatcher libxdp has a directory
 * dispatch-IFINDEX-ID, named by the interface's index and the dispatcher's program id, in which the
 * programs of the dispatcher are pinned, and the links that attach them to it. Two things go wrong
 * there, and are put right here:
 * - libxdp removes the directory when it detaches. If the dispatcher ends in another way (ip link
 *   set dev IFNAME xdp off, the interface is deleted, a tool is killed), the directory stays, and
 *   keeps our program and its maps alive.
 * - An interface that moves to another network namespace may get another index there, and libxdp no
 *   longer finds the directory.
 * Who can write into that directory can have anything removed, and who can read it can keep libxdp
 * waiting for its lock: it is looked into only if it is for root alone. Nothing but
 * dispatch_ready() prints.
 */
#ifndef XDP_DEDUP_DISPATCH_H
#define XDP_DEDUP_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Makes libxdp's directory, for root alone, if may_make and it is not there, before somebody else
 * does it. 0, also if there is none; -errno (logged) if it is not for root alone.
 */
int dispatch_ready(bool may_make);

/* Makes libxdp find the pins of this dispatcher, which runs on this interface: renames their
 * directory if it has another index. 1 if there are pins; 0 if not (the program is no dispatcher,
 * or is pinned in another bpffs); -errno.
 */
int dispatch_follow(int ifindex, uint32_t dispatcher_id);

/* Removes the pins of dispatchers that no interface of the machine runs any more, if they have one
 * of our filters that was loaded in this network namespace. Where the whole machine cannot be
 * looked at, it is enough that none runs it here, nor where interfaces of this namespace may have
 * moved to (links_run_xdp()), if the filter's record has no others. The caller holds the lock of
 * lock_take(). Takes half a second for each that is to be removed.
 */
void dispatch_sweep(void);

/* For --force: the same for the filter with this state map only, wherever it was loaded, and also
 * if it cannot be told whether an interface runs it (which would then pass everything).
 */
void dispatch_forget(uint32_t state_id);

/* Has the filter with this state map, which dispatchers of this network namespace run, pins in one
 * that none runs here? For after dispatch_sweep(), which leaves what may run elsewhere. 1 or 0;
 * -errno if it cannot be told.
 */
int dispatch_runs_elsewhere(uint32_t state_id);

#endif
