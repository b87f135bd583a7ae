/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets and duplicates over a capture's time, in bins of equal width. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TIMELINE_BINS 240
#define TIMELINE_WIDTH_NS 1000000 /* of a bin, at first */

/* Begins as { 0 }. If a time is behind the last bin, the bins become twice as wide. */
struct timeline {
	uint64_t first_ns, width_ns; /* width_ns 0: no packet yet */
	uint32_t cnt;		     /* bins up to the last packet */
	struct timeline_bin {
		uint64_t packets, duplicates;
	} bins[TIMELINE_BINS];
};

/* Notes a packet. A time before that of the first packet counts as the first packet's. */
void timeline_note(struct timeline *t, uint64_t ns, bool is_duplicate);
