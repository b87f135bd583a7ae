/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two things that go wrong with interfaces on top of each other. A filter on both meets each packet
 * twice, and drops it the second time. And a lower device may merge UDP packets into one, of which
 * the program on the upper one sees only the first id.
 */
#ifndef XDP_DEDUP_STACKING_H
#define XDP_DEDUP_STACKING_H

#include "links.h"

/* Two of these interfaces of which `upper` is on top of `lower`; both are NULL if there are none.
 * They belong to *l.
 */
struct stacked {
	const struct link *upper, *lower;
};
struct stacked stacking_find(const struct links *l, const uint32_t *indices, int cnt);

/* Does a device below this one merge UDP packets (GRO with rx-udp-gro-forwarding or rx-gro-list)
 * before this one sees them? 1, and *out is that device; 0 no; -errno if it cannot be told of *out.
 */
int stacking_merges(const struct links *l, uint32_t index, const struct link **out);

#endif
