/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ids in a live filter, from user space: on the mapped memory, without a system
 * call, safe beside the running packet path.
 */
#ifndef XDP_DEDUP_IDS_H
#define XDP_DEDUP_IDS_H

#include <stdint.h>

#include "gsp.h"
#include "loader.h"

/* Is the id in the window? 1 yes (but for false positives), 0 no. */
int ids_test(const struct filter *f, const uint8_t id[GSP_ID_BYTES]);

/* Learns the id. 1 if it was new, 0 if it was known, -ENOSPC if the window is full
 * until the hand has moved on (milliseconds), -EINVAL for the all-zero id.
 */
int ids_add(struct filter *f, const uint8_t id[GSP_ID_BYTES]);

#endif
