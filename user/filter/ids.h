/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ids in a live filter, from user space: on the mapped memory, without a system
 * call, safe beside the running packet path. An id here is the filter's id_bytes bytes.
 */
#ifndef XDP_DEDUP_IDS_H
#define XDP_DEDUP_IDS_H

#include <stdint.h>

#include "pins.h"

/* Is the id in the window? 1 yes (but for false positives), 0 no. */
int ids_test(const struct filter *f, const uint8_t *id);

/* What a packet does: learns the id if it is fresh. 1 if it was new, 0 if it was known,
 * -ENOSPC if the window is full until the hand has moved on (milliseconds), -EINVAL for
 * the all-zero id.
 */
int ids_see(struct filter *f, const uint8_t *id);

/* The same of cnt ids, at most IDS_AT_ONCE, in order: their memory is fetched meanwhile. */
#define IDS_AT_ONCE 16
void ids_see_many(struct filter *f, const uint8_t (*ids)[DEDUP_ID_BYTES_MAX], unsigned int cnt,
		  int *results);

/* As ids_see, but in countdown a known id too is known from now on as long as a new one, if
 * there is room.
 */
int ids_add(struct filter *f, const uint8_t *id);

/* Countdown: takes the id out, and perhaps others that share a cell with it. 1 if it was
 * known, 0 if not. -EOPNOTSUPP in other layouts, -EINVAL for the all-zero id.
 */
int ids_remove(struct filter *f, const uint8_t *id);

/* Has the layout ids_remove()? */
bool ids_can_remove(const struct filter *f);

#endif
