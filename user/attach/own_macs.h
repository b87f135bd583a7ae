/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tells the packet path which frames are for this host: those to the MACs of a filter's interfaces
 * and of the devices on top of them. It knows the MACs of the moment when it was told: frames to
 * one that is new since pass, counted as `ignored`.
 */
#ifndef XDP_DEDUP_OWN_MACS_H
#define XDP_DEDUP_OWN_MACS_H

#include "links.h"
#include "open_filter.h"

/* Tells the filter the MACs for its interfaces in this network namespace; what it knows for those
 * in others stays. The caller holds the lock of lock_take(). 0; -ENOSPC if there are more than
 * the filter has room for: then it knows the first ones.
 */
int own_macs_set(struct filter *f, const struct links *l);

/* Does the filter know exactly the MACs that this interface has now? Also true if the interface is
 * gone, or if the filter takes frames for any host.
 */
bool own_macs_agree(const struct filter *f, const struct links *l, uint32_t ifindex);

#endif
