// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "misread.h"

bool misread_is(const struct dedup_config *cfg, const struct replay_result *r, uint32_t n)
{
	const uint64_t *reasons = r->streams[n].reasons;
	uint64_t wrong = reasons[DEDUP_REASON_far_number] + reasons[DEDUP_REASON_bad_count] +
			 reasons[DEDUP_REASON_unlearned];
	uint64_t right = reasons[DEDUP_REASON_new] + reasons[DEDUP_REASON_duplicate] +
			 reasons[DEDUP_REASON_late_number];

	return cfg->numbered[n].width && wrong > right;
}

static bool may_reverse(const struct dedup_load *l)
{
	return l->bytes > 1 && l->base != DEDUP_FRAME && l->base != DEDUP_END;
}

/* Makes the load read the other byte order. The bits of the number stay. */
static void reverse(struct dedup_load *l)
{
	bool little = !dedup_is_little(l);

	if (!may_reverse(l))
		return;
	l->mask = __builtin_bswap64(l->mask);
	l->shift = little ? 0 : 8 * (8 - l->bytes);
	l->form = little ? DEDUP_MASKED_LITTLE : DEDUP_MASKED;
}

bool misread_reverse(struct dedup_config *cfg, const struct replay_result *r)
{
	bool any = false;

	for (uint32_t n = 0; n < r->streams_cnt; n++) {
		struct dedup_stream *s = &cfg->policy.streams[n];
		struct dedup_load *number = &s->loads[s->loads_cnt - 1];

		if (!misread_is(cfg, r, n) || !may_reverse(number))
			continue;
		reverse(number);
		if (cfg->numbered[n].count.bytes)
			reverse(&cfg->numbered[n].count);
		s->adjacent = 0;
		any = true;
	}
	return any;
}

void misread_compare(const struct dedup_config *cfg, struct replay_result *r,
		     const struct replay_result *other)
{
	uint64_t found = 0, now = 0, missed = 0;

	for (uint32_t n = 0; n < r->streams_cnt; n++) {
		if (!cfg->numbered[n].width)
			continue;
		now += r->streams[n].reasons[DEDUP_REASON_duplicate];
		found += other->streams[n].reasons[DEDUP_REASON_duplicate];
		missed += other->streams[n].missed;
	}
	if (found <= now)
		return;
	r->other.found = found;
	r->other.copies = found + missed;
}
