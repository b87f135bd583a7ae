/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sums of a survey's counts over the destinations of a feed, and whether a profile is worth it. */
#ifndef XDP_DEDUP_SURVEY_SUM_H
#define XDP_DEDUP_SURVEY_SUM_H

#include "survey_state.h"

#define SURVEY_GAIN_LEAST 10	 /* the fewest duplicates for which a profile is worth it */
#define SURVEY_DIFFERS_PART 0.01 /* the most duplicates with other bytes: else the id is wrong */
#define SURVEY_FEED_PART 0.05	 /* the fewest common packets of two destinations of a feed */

/* The counts of one stream at all destinations of a feed. */
struct survey_sum {
	uint64_t packets, duplicates, copies, found, differ;
	uint64_t repeats, other_host, flood;
	uint64_t go_on, jump, ids; /* of RTP's numbers */
	uint64_t p99_ns;
};

/* Returns the longest window that fits the profile. */
uint64_t survey_sum_window_max(const struct profile *p);

/* Returns cnt * part / whole; 0 if `whole` is 0. */
uint64_t survey_sum_scaled(uint64_t cnt, uint64_t part, uint64_t whole);

/* Returns how many of the candidate's copies a filter with this window finds: a filter for its
 * destination or, with is_feed, for its feed.
 */
uint64_t survey_sum_found(const struct candidate *c, bool is_feed, uint64_t window_ns);

/* Adds a candidate's counts to the sums, for a window of cap_ns. */
void survey_sum_add(struct survey_sum *sum, const struct candidate *c, bool is_feed, uint64_t cap_ns);

/* Returns whether this many duplicates among this many packets are worth a filter. */
bool survey_sum_is_gain(uint64_t found, uint64_t packets);

/* Returns whether cnt is more than this part (0 to 1) of the whole. */
bool survey_sum_is_part(uint64_t cnt, double part, uint64_t whole);

/* Judges a profile by its sums, for this many packets. Returns the reason against it; SURVEY_BEST
 * if these sums give none.
 */
enum survey_why survey_sum_judge(const struct profile *p, const struct survey_sum *sum,
				 uint64_t packets);

/* Sets the ages of *d; `ages` may be NULL. */
void survey_sum_set_ages(struct survey_duplicates *d, const struct histogram *ages);

/* Ends the counts of a candidate, and copies them to *out for the survey's result. */
void survey_sum_finish(struct survey_fit *out, struct candidate *c, const struct profile *p);

#endif
