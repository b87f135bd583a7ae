/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why the kernel has discarded a packet, in plain words. */
#pragma once

#include <stdbool.h>

#include "drop_monitor.h"

/* Is the next copy worth wanting: may it be received, and are only packets for a program here lost
 * by this reason?
 */
enum lost_want {
	LOST_WANT_NO,
	LOST_WANT_NO_SOCKET, /* a program is meant that may be there soon; also anybody's flood */
	LOST_WANT_NO_ROOM,
	LOST_WANTS,
};

struct lost_reason {
	const char *key; /* for programs; as in `behind` of status, where that has it */
	const char *text;
	enum lost_want want;
};

/* Returns the reason; the one with the key "other" if there is no row for it. */
const struct lost_reason *lost_reason_of(const struct drop *d);

/* Has an XDP program discarded the packet, in skb mode or on a veth? */
bool lost_is_by_xdp(const struct drop *d);
