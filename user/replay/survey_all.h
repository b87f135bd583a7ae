/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The survey's profiles for all traffic: of packets, and of frames that are not IP. */
#ifndef XDP_DEDUP_SURVEY_ALL_H
#define XDP_DEDUP_SURVEY_ALL_H

#include "survey_state.h"

/* Returns the profile for all traffic, by its stream, that is better than streams for `feeds` feeds
 * that find `streams_find` duplicates; -1: there is none. Puts all of them into the survey's result.
 */
int survey_all_judge(struct survey *s, uint64_t streams_find, uint32_t feeds);

/* Do frames that are not IP come again at once, and none of them a little later, which a filter of
 * this window would drop, too? It must be worth it among so many packets. Returns SURVEY_BEST, or
 * what speaks against it. The survey has a candidate for frames.
 */
enum survey_why survey_all_judge_frames(const struct survey *s, uint64_t window_ns, uint64_t packets);

/* Sets `why` of the profile for frames in the survey's result, if it is there. */
void survey_all_set_frames_why(struct survey *s, enum survey_why why);

#endif
