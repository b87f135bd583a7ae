/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Destinations that get equal packets form a feed; each feed has one best profile. */
#ifndef XDP_DEDUP_SURVEY_FEEDS_H
#define XDP_DEDUP_SURVEY_FEEDS_H

#include "survey_state.h"

/* Finds the feeds, and chooses the best profile of each: sets `feed`, `best`, `found` and
 * `feed_found` of its destinations, and `why` of their candidates.
 */
void survey_feeds_judge(struct survey *s);

/* Writes the destinations to the survey's result, those with the largest gain first, and numbers
 * the feeds. `order` has room for SURVEY_DESTINATIONS_MAX, and gets the destinations in the
 * result's order. Returns 0 or -ENOMEM.
 */
int survey_feeds_list(struct survey *s, struct destination **order);

#endif
