// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "survey_state.h"

#include <errno.h>
#include <stdlib.h>

#include "integers.h"

/* A profile that knows the protocol is preferred if it finds this part of another one's copies. */
#define AS_MANY_PART 0.95

static uint32_t feed_of(const struct survey *s, uint32_t destination)
{
	while (s->table.destinations[destination].feed != destination)
		destination = s->table.destinations[destination].feed;
	return destination;
}

/* Joins destinations that get equal packets to feeds. */
static void join_feeds(struct survey *s)
{
	struct destination *destinations = s->table.destinations;

	for (uint32_t i = 0; i < SURVEY_DESTINATIONS_MAX; i++)
		destinations[i].feed = i;
	for (uint32_t i = 0; i < SURVEY_PAIRS_MAX; i++) {
		const struct destination_pair *p = &s->table.pairs[i];
		const struct candidate *c = destinations[p->b].candidates[p->stream];
		uint64_t least = lesser(destinations[p->a].d.packets, destinations[p->b].d.packets);
		uint32_t a, b;

		if (!c || p->cnt < SURVEY_GAIN_LEAST ||
		    (double)p->cnt < SURVEY_FEED_PART * (double)least ||
		    (double)c->fit.differ > SURVEY_DIFFERS_PART * (double)c->fit.duplicates.packets)
			continue;
		a = feed_of(s, p->a);
		b = feed_of(s, p->b);
		destinations[a > b ? a : b].feed = a < b ? a : b;
	}
	for (uint32_t i = 0; i < SURVEY_DESTINATIONS_MAX; i++)
		destinations[i].feed = feed_of(s, i);
}

/* Returns the best stream for packets with these sums; -1 if none suits. Sets why[]. */
static int choose(const struct survey *s, const struct survey_sum *sums, uint64_t packets,
		  enum survey_why *why)
{
	int best = -1;

	for (int i = 0; i < (int)s->streams; i++) {
		why[i] = survey_sum_judge(&s->profiles.list[i], &sums[i], packets);
		if (why[i] == SURVEY_BEST && i != s->payload &&
		    (best < 0 || sums[i].found > sums[best].found))
			best = i;
	}
	if (why[s->payload] == SURVEY_BEST) {
		bool gsp = best >= 0 && s->profiles.list[best].stream.decoder == DEDUP_GSP;
		double part = gsp ? AS_MANY_PART / 2 : AS_MANY_PART;

		if (best < 0 || (double)sums[best].found < part * (double)sums[s->payload].found)
			best = s->payload;
	}
	for (int i = 0; i < (int)s->streams; i++)
		if (why[i] == SURVEY_BEST && i != best)
			why[i] = i == s->payload ? SURVEY_LESS_SPECIFIC : SURVEY_FINDS_FEWER;
	return best;
}

/* Chooses the best profile for all destinations of a feed; `first` is its first destination. */
static void judge_feed(struct survey *s, uint32_t first)
{
	enum survey_why why[DEDUP_STREAMS_MAX] = { SURVEY_BEST };
	struct survey_sum sums[DEDUP_STREAMS_MAX] = { 0 };
	struct destination *destinations = s->table.destinations;
	uint64_t packets = 0;
	bool is_feed = false;
	int best;

	for (uint32_t i = first + 1; i < SURVEY_DESTINATIONS_MAX; i++)
		is_feed |= destinations[i].used && destinations[i].feed == first;
	for (uint32_t i = first; i < SURVEY_DESTINATIONS_MAX; i++) {
		if (!destinations[i].used || destinations[i].feed != first)
			continue;
		packets += destinations[i].d.packets;
		destinations[i].d.feed = is_feed;
		for (uint32_t j = 0; j < s->streams; j++)
			if (destinations[i].candidates[j])
				survey_sum_add(&sums[j], destinations[i].candidates[j], is_feed,
					       survey_sum_window_max(&s->profiles.list[j]));
	}
	best = choose(s, sums, packets, why);
	for (uint32_t i = first; i < SURVEY_DESTINATIONS_MAX; i++) {
		const struct candidate *c;

		if (!destinations[i].used || destinations[i].feed != first)
			continue;
		for (uint32_t j = 0; j < s->streams; j++)
			if (destinations[i].candidates[j])
				destinations[i].candidates[j]->fit.why = why[j];
		c = best < 0 ? NULL : destinations[i].candidates[best];
		destinations[i].best = c ? best : -1;
		destinations[i].found =
			c ? survey_sum_found(c, is_feed,
					     survey_sum_window_max(&s->profiles.list[best]))
			  : 0;
		destinations[i].feed_found = best < 0 ? 0 : sums[best].found;
	}
}

void survey_feeds_judge(struct survey *s)
{
	join_feeds(s);
	for (uint32_t i = 0; i < SURVEY_DESTINATIONS_MAX; i++)
		if (s->table.destinations[i].used && s->table.destinations[i].feed == i)
			judge_feed(s, i);
}

static int by_gain(const void *a, const void *b)
{
	const struct destination *x = *(struct destination *const *)a,
				 *y = *(struct destination *const *)b;

	if (x->feed_found != y->feed_found)
		return x->feed_found < y->feed_found ? 1 : -1;
	if (x->feed != y->feed && x->feed_found)
		return x->feed < y->feed ? -1 : 1;
	if (x->found != y->found)
		return x->found < y->found ? 1 : -1;
	if (x->d.identical.packets != y->d.identical.packets)
		return x->d.identical.packets < y->d.identical.packets ? 1 : -1;
	if (x->d.packets != y->d.packets)
		return x->d.packets < y->d.packets ? 1 : -1;
	return (x > y) - (x < y);
}

static void finish_destination(struct survey *s, struct destination *p, struct survey_destination *out)
{
	int best = -1;

	survey_sum_set_ages(&p->d.identical, p->ages);
	for (uint32_t i = 0; i < s->streams; i++) {
		if (!p->candidates[i])
			continue;
		if ((int)i == p->best)
			best = (int)p->d.fits_cnt;
		survey_sum_finish(&p->d.fits[p->d.fits_cnt++], p->candidates[i],
				  &s->profiles.list[i]);
	}
	*out = p->d;
	out->best = best < 0 ? NULL : &out->fits[best];
}

int survey_feeds_list(struct survey *s, struct destination **order)
{
	struct survey_result *r = &s->result;
	struct destination *destinations = s->table.destinations;
	uint32_t cnt = 0, feeds = 0;

	for (uint32_t i = 0; i < SURVEY_DESTINATIONS_MAX; i++)
		if (destinations[i].used)
			order[cnt++] = &destinations[i];
	qsort(order, cnt, sizeof(struct destination *), by_gain);
	r->destinations = calloc(cnt + 1, sizeof(*r->destinations));
	if (!r->destinations)
		return -ENOMEM;
	for (uint32_t i = 0; i < cnt; i++) {
		uint32_t number = 0;

		for (uint32_t j = 0; order[i]->d.feed && j < i; j++)
			if (order[j]->feed == order[i]->feed)
				number = r->destinations[j].feed;
		if (order[i]->d.feed)
			order[i]->d.feed = number ? number : ++feeds;
		finish_destination(s, order[i], &r->destinations[i]);
	}
	r->destinations_cnt = cnt;
	r->others = s->table.others;
	r->others_cnt = s->table.others_cnt;
	return 0;
}
