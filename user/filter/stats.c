// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stats.h"

#include "hand.h"
#include "layout.h"
#include "open_filter.h"
#include "predecessor.h"

struct fill stats_fill(const struct dedup_config *cfg, const struct dedup_block *blocks,
		       uint64_t hand, struct sample sample)
{
	return layout_of(cfg->memory.layout)->fill(cfg, blocks, hand, sample);
}

struct fill stats_fill_of(const struct filter *f, bool exact, uint64_t seed)
{
	return stats_fill(f->config, f->blocks, READ_ONCE(f->state->hand),
			  exact ? FILL_ALL : fill_sample(f->config, seed));
}

uint64_t stats_oldest_ns(const struct dedup_config *cfg, const struct dedup_state *st, uint64_t now_ns)
{
	uint64_t hand = READ_ONCE(st->hand), at;
	uint32_t epoch = dedup_hand_epoch(hand), pos = dedup_hand_pos(hand);
	/* Blocked, flat: the mark of the segment that the hand enters next. Even and odd epochs
	 * have marks of their own, so the mark of two turns ago is not overwritten yet. Countdown:
	 * the mark of the segment that the hand is in, one turn ago.
	 */
	uint32_t seg = (pos + cfg->memory.segment_places - 1) / cfg->memory.segment_places;

	if (!layout_of(cfg->memory.layout)->has_generations) {
		seg = pos / cfg->memory.segment_places;
		epoch--;
	} else if (seg * (uint64_t)cfg->memory.segment_places >= cfg->memory.places) {
		seg = 0;
		epoch++;
	}
	at = READ_ONCE(st->marks[(epoch & 1) * DEDUP_MARKS + seg].at_ns);
	/* No mark yet, or one of dedup_hand_start(), which is before the start. */
	if (!at || (int64_t)(at - st->started_ns) < 0)
		at = st->started_ns;
	return now_ns > at ? now_ns - at : 0;
}

struct stats_pace stats_pace(const struct dedup_config *cfg, struct dedup_state *st, int64_t credit,
			     uint64_t now_ns)
{
	uint64_t at_ns = dedup_hand_guard_ns(st, cfg);
	int64_t ids = READ_ONCE(st->learned) - dedup_hand_guard_ids(st, cfg);

	if (credit > 0)
		ids = ids > credit ? ids - credit : 0;
	return (struct stats_pace){ .ids = ids > 0 ? ids : 0,
				    .age_ns = now_ns > at_ns ? now_ns - at_ns : 0 };
}

uint64_t stats_forgets_in_ns(const struct dedup_config *cfg, struct dedup_state *st, uint64_t now_ns)
{
	uint64_t at = READ_ONCE(st->forgotten_at), next_ns = READ_ONCE(st->next_ns);
	uint64_t places = at - READ_ONCE(st->passed), due_ns;
	uint32_t turns, after;

	if (!at)
		return 2 * cfg->memory.window_ns;
	if (dedup_is_forgotten(st) || !places)
		return 0;
	if (!layout_of(cfg->memory.layout)->has_generations)
		return (next_ns > now_ns ? next_ns - now_ns : 0) +
		       (places - 1) * cfg->memory.countdown_ns;
	/* The last place to be passed is `after` segments further on the circle, after `turns` more
	 * turns. It is due a window after it was passed last, and a window later for each turn.
	 */
	turns = (places - 1) / cfg->memory.places;
	after = (places - 1) % cfg->memory.places / cfg->memory.segment_places;
	due_ns = dedup_hand_mark(st, cfg, after)->at_ns + (1 + turns) * cfg->memory.window_ns;
	return due_ns > now_ns ? due_ns - now_ns : 1;
}

/* Returns whether the hand of f->predecessor, which exists, has stopped: then it may know ids for
 * too long, and is not used. Takes the time from the last step of the filter's own hand.
 */
static bool predecessor_stopped(const struct filter *f)
{
	const struct filter *predecessor = f->predecessor;
	int64_t behind_ns = READ_ONCE(f->state->last_ns) - READ_ONCE(predecessor->state->last_ns);

	return behind_ns > (int64_t)predecessor->config->memory.stale_ns;
}

bool stats_uses_predecessor(const struct filter *f)
{
	return f->predecessor && !dedup_is_forgotten(f->predecessor->state) &&
	       !predecessor_stopped(f);
}

double stats_share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

double stats_rate_of_both(double a, double b)
{
	return a + b - a * b;
}

double stats_deliveries(const struct filter_counters *c)
{
	double all = 0;

#define X(name, help) all += (double)c->name;
	DEDUP_DELIVERIES(X)
#undef X
	return all;
}

bool stats_stopped(const struct dedup_config *cfg, const struct dedup_state *st, uint64_t now_ns)
{
	uint64_t last_ns = READ_ONCE(st->last_ns);

	/* last_ns is after now_ns if the hand has stepped since the caller read the clock. */
	return now_ns > last_ns && now_ns - last_ns > cfg->memory.stale_ns;
}

bool stats_between(const struct filter_counters *now, const struct filter_counters *before,
		   struct filter_counters *out)
{
	bool forward = true;

	*out = (struct filter_counters){ 0 };
#define X(name, help)                         \
	out->name = now->name - before->name; \
	forward &= now->name >= before->name;
	DEDUP_COUNTERS(X)
#undef X
	out->dropped_bytes = now->dropped_bytes - before->dropped_bytes;
	return forward && now->dropped_bytes >= before->dropped_bytes;
}
