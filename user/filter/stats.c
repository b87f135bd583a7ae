// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stats.h"

#include "hand.h"
#include "layout.h"

struct fill stats_fill_by(const struct dedup_config *cfg, const struct dedup_block *blocks,
			  uint64_t hand, struct sample sample)
{
	return layout_of(cfg->layout)->fill(cfg, blocks, hand, sample);
}

struct fill stats_fill(const struct dedup_config *cfg, const struct dedup_block *blocks, uint64_t hand)
{
	return stats_fill_by(cfg, blocks, hand, FILL_ALL);
}

uint64_t stats_oldest_ns(const struct dedup_config *cfg, const struct dedup_state *st, uint64_t now_ns)
{
	uint64_t hand = READ_ONCE(st->hand), at;
	uint32_t epoch = dedup_hand_epoch(hand);
	/* Blocked, flat: of the segment that the hand enters next; marks of even and odd epochs
	 * have slots of their own, so that of two turns ago has not been overwritten yet.
	 * Countdown: of the segment that the hand is in, one turn ago.
	 */
	uint32_t seg = (dedup_hand_pos(hand) + cfg->segment_places - 1) / cfg->segment_places;

	if (!layout_of(cfg->layout)->has_generations) {
		seg = dedup_hand_pos(hand) / cfg->segment_places;
		epoch--;
	} else if (seg * (uint64_t)cfg->segment_places >= cfg->places) {
		seg = 0;
		epoch++;
	}
	at = READ_ONCE(st->marks[(epoch & 1) * DEDUP_MARKS + seg].at_ns);
	/* dedup_hand_start() has put marks before the start; or there is none yet. */
	if (!at || (int64_t)(at - st->started_ns) < 0)
		at = st->started_ns;
	return now_ns > at ? now_ns - at : 0;
}

bool stats_stopped(const struct dedup_config *cfg, const struct dedup_state *st, uint64_t now_ns)
{
	uint64_t last_ns = READ_ONCE(st->last_ns);

	/* last_ns is after now_ns if the hand has stepped since the caller read the clock. */
	return now_ns > last_ns && now_ns - last_ns > cfg->stale_ns;
}
