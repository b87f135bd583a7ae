/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is done with single maps of an open filter. Logs nothing. */
#ifndef XDP_DEDUP_MAPS_H
#define XDP_DEDUP_MAPS_H

#include "pins.h"

/* Opens the map `samples` of an open filter. The caller closes the descriptor. -ENOENT: the filter
 * has been unloaded; another -errno as of filter_open().
 */
int filter_open_samples(const struct filter *f);

/* Opens a map that filters have which deliver, one of pin_is_delivery(); or any; likewise. */
int filter_open_delivery(const struct filter *f, enum pin pin);
int filter_open_map(const struct filter *f, enum pin pin);

/* No packet is noted in the map `judged` (exchange.h). 0 or -errno. */
int filter_clear_judged(const struct filter *f);

/* Has the filter's program no predecessor any more: takes the predecessor's maps out of the maps of
 * maps, and removes their pins. Says so to whoever has it open. 0, also if there are none; or
 * -errno.
 */
int filter_drop_predecessor(const struct filter *f);

/* Do the programs of two open filters have the same predecessor, or none? 1 or 0; -errno. */
int filter_same_predecessor(const struct filter *a, const struct filter *b);

/* Removes the pin of the packet program; likewise. */
int filter_unpin_program(const struct filter *f);

#endif
