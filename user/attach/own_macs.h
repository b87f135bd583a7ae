/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Gives the packet path the MACs of this host: those of a filter's interfaces and of the devices
 * on top of them, at the time of the call. Frames to a MAC that is newer pass, counted as `ignored`.
 */
#pragma once

#include "links.h"
#include "open_filter.h"

/* Writes the MACs of the filter's interfaces in this network namespace into its record; the MACs
 * for interfaces of other namespaces stay. The caller holds the lock of lock_take(). Returns 0;
 * -ENOSPC if there is not room for all, and then the record has the first ones.
 */
int own_macs_set(struct filter *f, const struct links *l);

/* Copies to *f the MACs that *from has for the interfaces in the record of *f. For interfaces in
 * other network namespaces the record is the only source.
 */
void own_macs_keep(struct filter *f, const struct filter *from);

/* Does the record have exactly the MACs that this interface has now? Also true if the interface
 * does not exist, or if the filter takes frames for any host.
 */
bool own_macs_agree(const struct filter *f, const struct links *l, uint32_t ifindex);
