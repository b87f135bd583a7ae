// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "timeline.h"

static void widen(struct timeline *t)
{
	for (uint32_t i = 0; i < TIMELINE_BINS; i++) {
		struct timeline_bin bin = t->bins[i];

		t->bins[i] = (struct timeline_bin){ 0 };
		t->bins[i / 2].packets += bin.packets;
		t->bins[i / 2].duplicates += bin.duplicates;
	}
	t->width_ns *= 2;
	t->cnt = (t->cnt + 1) / 2;
}

void timeline_note(struct timeline *t, uint64_t ns, bool is_duplicate)
{
	uint64_t at;

	if (!t->width_ns) {
		t->first_ns = ns;
		t->width_ns = TIMELINE_WIDTH_NS;
	}
	ns = ns > t->first_ns ? ns - t->first_ns : 0;
	while (ns / t->width_ns >= TIMELINE_BINS)
		widen(t);
	at = ns / t->width_ns;
	t->bins[at].packets++;
	t->bins[at].duplicates += is_duplicate;
	if (at >= t->cnt)
		t->cnt = at + 1;
}
