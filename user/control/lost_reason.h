/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why the kernel has discarded a packet, in plain words. */
#ifndef XDP_DEDUP_LOST_REASON_H
#define XDP_DEDUP_LOST_REASON_H

#include <stdbool.h>

#include "drop_monitor.h"

struct lost_reason {
	const char *key; /* for programs; as in `behind` of status, where that has it */
	const char *text;
	/* The next copy may be received, and only packets for a program here are lost by it: so
	 * it is worth wanting.
	 */
	bool may_be_wanted;
};

/* Returns the reason; the one with the key "other" if there is no row for it. */
const struct lost_reason *lost_reason_of(const struct drop *d);

/* Has an XDP program discarded the packet, in skb mode or on a veth? */
bool lost_is_by_xdp(const struct drop *d);

#endif
