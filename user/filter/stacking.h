/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What must not be with interfaces that lie on top of each other: a packet that meets one
 * filter twice is dropped the second time; and what a lower device merged is one packet to the
 * program on an upper one, which sees the first id only.
 */
#ifndef XDP_DEDUP_STACKING_H
#define XDP_DEDUP_STACKING_H

#include "links.h"

/* A pair of these interfaces of which the first is on top of the other; NULL if there is none. */
struct stacked {
	const struct link *upper, *lower;
};
struct stacked stacking_find(const struct links *l, const uint32_t *indices, int cnt);

/* A device below this one that merges UDP packets (GRO for forwarding, or by
 * lists) before this one sees them. 1 and *out, or 0; -errno if it cannot be told.
 */
int stacking_merges(const struct links *l, uint32_t index, const struct link **out);

#endif
