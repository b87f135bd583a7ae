// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "survey_state.h"

/* The least part of duplicates among the packets for which a profile is worth it. */
#define GAIN_PART 0.01

#define FITS_PART 0.95 /* the least part of the packets that a profile must fit */

/* The largest parts of the duplicates that may be no copies, as their loss does not matter. */
#define OTHER_HOST_PART 0.01
#define REPEATS_PART 0.1

uint64_t survey_sum_window_max(const struct profile *p)
{
	return p->window_ns ? p->window_ns : SPEC_WINDOW_MAX_NS;
}

uint64_t survey_sum_scaled(uint64_t cnt, uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t)((double)cnt * ((double)part / (double)whole)) : 0;
}

/* Returns the copies that a filter of the candidate's destination, or of its feed, can find. If the
 * earlier packets went to another destination, a filter of this destination alone cannot find a
 * copy.
 */
static uint64_t copies_of(const struct candidate *c, bool is_feed)
{
	return c->fit.copies - (is_feed ? 0 : c->fit.elsewhere);
}

uint64_t survey_sum_found(const struct candidate *c, bool is_feed, uint64_t window_ns)
{
	if (!c->ages)
		return 0;
	return survey_sum_scaled(copies_of(c, is_feed), histogram_within(c->ages, window_ns),
				 c->ages->cnt);
}

void survey_sum_add(struct survey_sum *sum, const struct candidate *c, bool is_feed, uint64_t cap)
{
	sum->packets += c->fit.packets;
	sum->duplicates += c->fit.duplicates.packets - (is_feed ? 0 : c->fit.elsewhere);
	sum->copies += copies_of(c, is_feed);
	sum->found += survey_sum_found(c, is_feed, cap);
	sum->differ += c->fit.differ;
	sum->repeats += c->repeats;
	sum->other_host += c->fit.other_host;
	sum->flood += c->fit.flood;
	sum->ids += c->fit.ids;
	sum->go_on += c->numbers ? c->numbers->go_on : c->fit.ids;
	sum->jump += c->numbers ? c->numbers->jump : 0;
	if (c->ages && c->ages->cnt >= SURVEY_GAIN_LEAST &&
	    histogram_part(c->ages, 0.99) > sum->p99_ns)
		sum->p99_ns = histogram_part(c->ages, 0.99);
}

bool survey_sum_is_gain(uint64_t found, uint64_t packets)
{
	return found >= SURVEY_GAIN_LEAST && (double)found >= GAIN_PART * (double)packets;
}

bool survey_sum_is_part(uint64_t cnt, double part, uint64_t whole)
{
	return (double)cnt > part * (double)whole;
}

/* Returns why too many of the duplicates are no copies; else SURVEY_BEST. */
static enum survey_why judge_harm(const struct profile *p, const struct survey_sum *sum)
{
	if (p->stream.decoder != DEDUP_GSP &&
	    survey_sum_is_part(sum->differ, SURVEY_DIFFERS_PART, sum->duplicates))
		return SURVEY_DIFFERS;
	if (sum->go_on < sum->ids / 2 || sum->jump > sum->go_on / 4)
		return SURVEY_NO_NUMBERS;
	if (survey_sum_is_part(sum->other_host, OTHER_HOST_PART, sum->duplicates))
		return SURVEY_OTHER_HOST;
	if (survey_sum_is_part(sum->repeats, REPEATS_PART, sum->duplicates))
		return SURVEY_SAME_SENDER;
	if (survey_sum_is_part(sum->flood, REPEATS_PART, sum->duplicates))
		return SURVEY_FLOOD;
	return SURVEY_BEST;
}

enum survey_why survey_sum_judge(const struct profile *p, const struct survey_sum *sum,
				 uint64_t packets)
{
	enum survey_why why;

	if ((double)sum->packets < FITS_PART * (double)packets)
		return SURVEY_FITS_FEW;
	if (!survey_sum_is_gain(sum->duplicates, packets))
		return SURVEY_FINDS_NONE;
	why = judge_harm(p, sum);
	if (why != SURVEY_BEST)
		return why;
	if (!survey_sum_is_gain(sum->copies, packets))
		return SURVEY_FINDS_NONE;
	return survey_sum_is_gain(sum->found, packets) ? SURVEY_BEST : SURVEY_TOO_OLD;
}

void survey_sum_set_ages(struct survey_duplicates *d, const struct histogram *ages)
{
	if (!ages)
		return;
	d->median_ns = histogram_part(ages, 0.5);
	d->p99_ns = histogram_part(ages, 0.99);
	d->greatest_ns = ages->greatest;
}

void survey_sum_finish(struct survey_fit *out, struct candidate *c, const struct profile *p)
{
	windowed_max_end(&c->most_ids);
	c->fit.profile = p;
	survey_sum_set_ages(&c->fit.duplicates, c->ages);
	if (c->ages) {
		c->fit.in_window = histogram_within(c->ages, p->numbered.width ? UINT64_MAX
							     : p->window_ns    ? p->window_ns
									    : SPEC_WINDOW_DEFAULT_NS);
		c->fit.window_ns =
			WINDOWED_MAX_WINDOW_NS[windowed_max_window_from(c->fit.duplicates.p99_ns)];
	}
	*out = c->fit;
}
