/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two faults of interfaces on top of each other. A filter on both sees each packet twice, and drops
 * it the second time. A lower device may merge UDP packets, and then the program on the upper
 * device sees only the first id of them.
 */
#ifndef XDP_DEDUP_STACKING_H
#define XDP_DEDUP_STACKING_H

#include "links.h"

/* stacking_find() returns two of these interfaces, `upper` on top of `lower`; both are NULL if
 * there are none. They belong to *l.
 */
struct stacked {
	const struct link *upper, *lower;
};
struct stacked stacking_find(const struct links *l, const uint32_t *indices, int cnt);

/* Does a device below this one merge UDP packets (GRO with rx-udp-gro-forwarding or rx-gro-list)
 * before this one sees them? Returns 1, and *out is that device; 0; or -errno if that is unknown of
 * the device *out.
 */
int stacking_merges(const struct links *l, uint32_t index, const struct link **out);

#endif
