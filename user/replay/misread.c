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

/* Has the integer of a load's word read in the other byte order. Its bits stay. */
static void reverse(struct dedup_load *load, __u32 *little, __u32 *shift)
{
	uint32_t unused = 64 - 8 * load->bytes;

	load->mask = __builtin_bswap64(load->mask) >> unused;
	*shift += *little ? unused : -unused;
	*little = !*little;
}

bool misread_reverse(struct dedup_config *cfg, const struct replay_result *r)
{
	bool any = false;

	for (uint32_t i = 0; i < r->streams_cnt; i++) {
		struct dedup_stream *s = &cfg->policy.streams[i];
		struct dedup_load *number = &s->loads[s->loads_cnt - 1];
		struct dedup_numbered *n = &cfg->numbered[i];

		if (!misread_is(cfg, r, i) || number->bytes == 1)
			continue;
		reverse(number, &n->little, &n->shift);
		if (n->count.bytes)
			reverse(&n->count, &n->count_little, &n->count_shift);
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
