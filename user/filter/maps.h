/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Operations on single maps of an open filter. Log nothing. */
#ifndef XDP_DEDUP_MAPS_H
#define XDP_DEDUP_MAPS_H

#include "pins.h"

/* Opens a map of an open filter. Returns the descriptor, which the caller closes; -ENOENT if the
 * filter has been unloaded; another -errno as filter_open() does.
 */
int filter_open_map(const struct filter *f, enum pin pin);

/* Separates the filter's program from its predecessor: takes the predecessor's maps out of the
 * maps of maps, removes their pins, and marks that for processes that have the predecessor open.
 * Returns 0, also if there is none; or -errno.
 */
int filter_drop_predecessor(const struct filter *f);

/* Have the programs of two open filters one predecessor, or both none? Returns 1 or 0; or -errno.
 */
int filter_same_predecessor(const struct filter *a, const struct filter *b);

#endif
