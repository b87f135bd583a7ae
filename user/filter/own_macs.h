/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which frames are for this host: the MACs of a filter's interfaces and of what is on top of
 * them, which the packet path is told. The list stands for the moment it was made: frames to
 * a MAC that came later pass as `ignored`.
 */
#ifndef XDP_DEDUP_OWN_MACS_H
#define XDP_DEDUP_OWN_MACS_H

#include "pins.h"
#include "links.h"

/* Tells the filter those of its interfaces in this network namespace; what it knows of others
 * stays. Meant for one process at a time (loader_begin). -ENOSPC if there are more than the
 * filter has room for, and it knows the first ones then.
 */
int own_macs_set(struct filter *f, const struct links *l);

/* Does the filter know just those for this interface? */
bool own_macs_agree(const struct filter *f, const struct links *l, uint32_t ifindex);

#endif
