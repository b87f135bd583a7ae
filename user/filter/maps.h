/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Operations on single maps of an open filter. Log nothing. */
#ifndef XDP_DEDUP_MAPS_H
#define XDP_DEDUP_MAPS_H

#include "pins.h"

/* Opens a map of an open filter. Returns the descriptor, which the caller closes; -ENOENT if the
 * filter has been unloaded; another -errno as filter_open() does.
 */
int filter_open_map(const struct filter *f, enum pin pin);

/* Separates the filter's program from its predecessor: removes the predecessor's maps from the maps
 * of maps, removes their pins, and marks that for processes that have the predecessor open. Returns
 * 0, also if there is no predecessor; or -errno.
 */
int filter_drop_predecessor(const struct filter *f);

/* Returns 1 if the programs of two open filters share one predecessor, or both have none; else 0;
 * or -errno.
 */
int filter_same_predecessor(const struct filter *a, const struct filter *b);

#endif
