/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The survey's profiles for all traffic: for IP packets, and for frames that are not IP. */
#ifndef XDP_DEDUP_SURVEY_ALL_H
#define XDP_DEDUP_SURVEY_ALL_H

#include "survey_state.h"

/* Returns the stream of the profile for all traffic that is better than streams for `feeds` feeds
 * that find `streams_find` duplicates; -1 if there is none. Adds all profiles for all traffic to
 * the survey's result.
 */
int survey_all_judge(struct survey *s, uint64_t streams_find, uint32_t feeds);

/* Checks that frames that are not IP have copies at once, and that none is sent again soon after: a
 * filter of this window would drop that, too. The copies must be a large enough part of `packets`.
 * Returns SURVEY_BEST, or the reason against it. The survey must have a candidate for frames.
 */
enum survey_why survey_all_judge_frames(const struct survey *s, uint64_t window_ns, uint64_t packets);

/* Sets `why` of the profile for frames in the survey's result, if the result has it. */
void survey_all_set_frames_why(struct survey *s, enum survey_why why);

#endif
