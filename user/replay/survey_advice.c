// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Chooses what a survey recommends. */
#include "survey_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* Returns the stream of the profile for all traffic that is better than streams for `feeds` feeds
 * that find `streams_find` duplicates; -1 if there is none. Adds all profiles for all traffic to
 * the survey's result.
 */
static int judge_for_all(struct survey *s, uint64_t streams_find, uint32_t feeds)
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

/* Checks that frames that are not IP have copies at once, and that none is sent again soon after: a
 * filter of this window would drop that, too. The copies must be a large enough part of `packets`.
 * Returns SURVEY_BEST, or the reason against it. The survey must have a candidate for frames.
 */
static enum survey_why judge_frames(const struct survey *s, uint64_t window_ns, uint64_t packets)
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

/* Sets `why` of the profile for frames in the survey's result, if the result has it. */
static void set_frames_why(struct survey *s, enum survey_why why)
{
	for (uint32_t i = 0; i < s->result.all_cnt; i++)
		if (s->result.all[i].profile == &s->profiles.list[s->frames])
			s->result.all[i].why = why;
}

/* Drafts a filter for feeds. Returns how many do not fit. */
static uint32_t draft_streams(struct survey_draft *d, struct destination *const *order, bool *taken,
			      bool apart)
{
	*d->out = (struct survey_filter){ 0 };
	*d = (struct survey_draft){ d->s, d->out, .cap_ns = SPEC_WINDOW_MAX_NS, .apart = apart };
	memset(taken, 0, SURVEY_DESTINATIONS_MAX * sizeof(*taken));
	return survey_draft_streams(d, order, taken);
}

/* Recommends streams for feeds: one filter, and a second one for what it leaves out. Each
 * destination gets its own stream, unless that leaves out more feeds.
 */
static void advise_streams(struct survey *s, struct destination *const *order)
{
	struct survey_draft first = { .s = s, .out = &s->result.filter };
	struct survey_draft rest = { .s = s, .out = &s->result.rest, .cap_ns = SPEC_WINDOW_MAX_NS };
	bool taken[SURVEY_DESTINATIONS_MAX];
	uint32_t least = draft_streams(&first, order, taken, false);

	s->result.left_out = draft_streams(&first, order, taken, true);
	if (s->result.left_out > least)
		s->result.left_out = draft_streams(&first, order, taken, false);
	if (!first.feeds_cnt)
		return;
	s->result.advice = SURVEY_STREAMS;
	survey_draft_finish(&first, -1);
	rest.apart = first.apart;
	survey_draft_streams(&rest, order, taken);
	if (rest.feeds_cnt)
		survey_draft_finish(&rest, -1);
}

static void add_frames(struct survey_draft *d)
{
	d->frames = d->s->all[d->s->frames];
	survey_draft_add(d, &d->s->profiles.list[d->s->frames], d->frames);
}

/* Adds the profile for frames to a filter with the mirror, if it suits the mirror's window. */
static void add_frames_if_best(struct survey_draft *d)
{
	enum survey_why why;

	if (!d->s->all[d->s->frames])
		return;
	why = judge_frames(d->s, WINDOWED_MAX_WINDOW_NS[survey_draft_window_of(d)], 0);
	set_frames_why(d->s, why);
	if (why == SURVEY_BEST)
		add_frames(d);
}

/* Recommends a filter for frames that are not IP. Its window is shorter than that of streams, so it
 * is a filter of its own: it replaces streams that find less, else it is the second filter.
 */
static void advise_frames(struct survey *s)
{
	struct survey_result *r = &s->result;
	struct survey_draft d = { .s = s, .out = &r->filter, .cap_ns = SPEC_WINDOW_MIN_NS };
	enum survey_why why;

	if (!s->all[s->frames])
		return;
	why = judge_frames(s, SPEC_WINDOW_MIN_NS, r->packets);
	set_frames_why(s, why);
	if (why != SURVEY_BEST)
		return;
	r->left_out += r->advice != SURVEY_NOTHING;
	if (r->filter.drops >= survey_sum_found(s->all[s->frames], true, SPEC_WINDOW_MIN_NS)) {
		if (r->rest.spec.streams_cnt)
			return;
		d.out = &r->rest;
	} else {
		r->rest = r->filter;
		r->filter = (struct survey_filter){ 0 };
		r->advice = SURVEY_MIRROR;
	}
	add_frames(&d);
	survey_draft_finish(&d, -1);
}

/* Recommends a stream for all traffic. */
static void advise_for_all(struct survey *s, int for_all)
{
	struct survey_draft d = { .s = s, .out = &s->result.filter, .cap_ns = SPEC_WINDOW_MAX_NS };
	const struct profile *p = &s->profiles.list[for_all];
	uint64_t least = SURVEY_WINDOW_LEAST_NS;

	/* A mirror's copies arrive soon; a longer window would drop packets that are sent again. */
	if (for_all == s->mirror)
		least = s->all[for_all]->ages->greatest;
	survey_draft_window(&d, p, histogram_part(s->all[for_all]->ages, 0.99), least);
	survey_draft_add(&d, p, s->all[for_all]);
	if (for_all == s->mirror)
		add_frames_if_best(&d);
	s->result.advice = for_all == s->mirror ? SURVEY_MIRROR : SURVEY_STREAMS;
	survey_draft_finish(&d, for_all);
}

static void advise(struct survey *s, struct destination *const *order)
{
	uint64_t find = 0;
	uint32_t feeds = 0;
	int for_all;

	for (uint32_t i = 0; i < s->result.destinations_cnt; i++) {
		find += order[i]->found;
		feeds += order[i]->found > 0;
	}
	for_all = judge_for_all(s, find, feeds);
	if (for_all >= 0)
		advise_for_all(s, for_all);
	else
		advise_streams(s, order);
	if (for_all < 0)
		advise_frames(s);
	else if (for_all != s->mirror)
		set_frames_why(s, SURVEY_LESS_SPECIFIC);
}

int survey_judge(struct survey *s)
{
	struct destination **order = calloc(SURVEY_DESTINATIONS_MAX, sizeof(struct destination *));
	int err = order ? 0 : -ENOMEM;

	if (!err) {
		survey_feeds_judge(s);
		err = survey_feeds_list(s, order);
	}
	if (!err)
		advise(s, order);
	free(order);
	return err;
}
