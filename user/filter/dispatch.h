/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What libxdp pins of its dispatchers: a directory each, dispatch-IFINDEX-ID by the interface's
 * index and the dispatcher's program id, with the programs in it and the links that hold them
 * there. libxdp removes one when it detaches. Who detaches otherwise (ip link set dev IFNAME xdp
 * off, an interface's end, a tool that is killed) leaves it, and with it our program and its
 * maps; and an interface that has moved to another network namespace may have another index there,
 * under which libxdp does not find it. Nothing here says anything.
 */
#ifndef XDP_DEDUP_DISPATCH_H
#define XDP_DEDUP_DISPATCH_H

#include <stdint.h>

/* For libxdp to find the programs of this dispatcher, which runs on this interface, by its index
 * there. 1 if there are pins of it; 0 if not: it is no dispatcher, or not from here; -errno.
 */
int dispatch_follow(int ifindex, uint32_t dispatcher_id);

/* Removes what is left of dispatchers that ran filters which were loaded in this network
 * namespace, and now run on no interface of the machine; or, where that cannot be told, if
 * all interfaces of the filter are still here and do not run them. The rest stays. Under the lock
 * of loader_begin(); takes half a second if anything is left.
 */
void dispatch_sweep(void);

/* The same of the filter with this state map alone, wherever it was loaded, for --force: also where
 * it cannot be told whether an interface runs it, which then passes everything.
 */
void dispatch_forget(uint32_t state_id);

#endif
