// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "survey_all.h"

#include "survey_sum.h"

#define MIRROR_PART 0.05	/* least part of IP packets, and of those that are not UDP */
#define MIRROR_SURE_PART 0.2	/* least part of its copies that were surely not sent again */
#define MIRROR_INSTEAD_PART 0.8 /* least part of the duplicates that streams would find */

/* Returns whether traffic of all kinds has copies at once, as from a mirror. A part of the copies
 * must be of packets that senders do not repeat; TCP repeats acknowledgements and resets.
 */
static bool is_mirror(const struct survey *s, const struct survey_sum *sum, uint32_t feeds)
{
	bool all_kinds =
		s->other_ip_packets < SURVEY_GAIN_LEAST
			? feeds > DEDUP_STREAMS_MAX
			: survey_sum_is_part(s->other_sure_copies, MIRROR_PART, s->other_ip_packets);

	return all_kinds && survey_sum_is_part(s->sure_copies, MIRROR_SURE_PART, sum->copies) &&
	       !((double)sum->found < MIRROR_PART * (double)s->ip_packets);
}

int survey_all_judge(struct survey *s, uint64_t streams_find, uint32_t feeds)
{
	struct survey_result *r = &s->result;
	uint64_t most = streams_find;
	int best = -1;

	for (int i = 0; i < (int)s->streams; i++) {
		const struct profile *p = &s->profiles.list[i];
		bool mirror = i == s->mirror;
		struct survey_sum sum = { 0 };
		enum survey_why why;

		if (!s->all[i] || i == s->frames)
			continue;
		survey_sum_add(&sum, s->all[i], true, survey_sum_window_max(p));
		why = survey_sum_judge(p, &sum, mirror ? s->ip_packets : r->packets);
		if (mirror && why == SURVEY_BEST && !is_mirror(s, &sum, feeds))
			why = SURVEY_FINDS_FEWER;
		if (why == SURVEY_BEST && (double)sum.found < MIRROR_INSTEAD_PART * (double)most)
			why = SURVEY_FINDS_FEWER;
		/* A profile that knows the protocol is preferred to the mirror. */
		if (why == SURVEY_BEST && (best < 0 || best == s->mirror)) {
			if (best >= 0)
				s->all[best]->fit.why = SURVEY_LESS_SPECIFIC;
			best = i;
		} else if (why == SURVEY_BEST) {
			why = SURVEY_LESS_SPECIFIC;
		}
		s->all[i]->fit.why = why;
	}
	for (uint32_t i = 0; i < s->streams; i++)
		if (s->all[i])
			survey_sum_finish(&r->all[r->all_cnt++], s->all[i], &s->profiles.list[i]);
	return best;
}

enum survey_why survey_all_judge_frames(const struct survey *s, uint64_t window_ns, uint64_t packets)
{
	const struct candidate *c = s->all[s->frames];
	struct survey_sum sum = { 0 };
	enum survey_why why;

	survey_sum_add(&sum, c, true, window_ns);
	why = survey_sum_judge(&s->profiles.list[s->frames], &sum, sum.packets);
	if (why != SURVEY_BEST)
		return why;
	if (sum.flood)
		return SURVEY_FLOOD;
	if (s->frame_again_ns && s->frame_again_ns <= SURVEY_TURNS(window_ns))
		return SURVEY_SAME_SENDER;
	if (!survey_sum_is_gain(sum.found, packets) ||
	    !survey_sum_is_part(sum.found, MIRROR_PART, sum.packets))
		return SURVEY_FINDS_NONE;
	return SURVEY_BEST;
}

void survey_all_set_frames_why(struct survey *s, enum survey_why why)
{
	for (uint32_t i = 0; i < s->result.all_cnt; i++)
		if (s->result.all[i].profile == &s->profiles.list[s->frames])
			s->result.all[i].why = why;
}
