/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Composes a filter that the survey recommends. */
#ifndef XDP_DEDUP_SURVEY_DRAFT_H
#define XDP_DEDUP_SURVEY_DRAFT_H

#include "survey_state.h"

#define SURVEY_WINDOW_LEAST_NS (100 * UINT64_C(1000000))

struct survey_draft {
	struct survey *s;
	struct survey_filter *out;
	uint64_t cap_ns;  /* the longest window that fits all profiles */
	uint64_t p99_ns;  /* the shortest window that finds 99 % of each profile's duplicates */
	uint64_t need_ns; /* the recommended window, with headroom */
	uint32_t ports_cnt, to_cnt, realms;
	uint32_t feeds[DEDUP_STREAMS_MAX];
	uint32_t feeds_cnt;
	const struct candidate *frames; /* for frames that are not IP; NULL: not in the filter */
	/* True: each destination of a numbered feed has its own stream, and so is a path. False: a
	 * stream has as many destinations as possible.
	 */
	bool apart;
	/* The interfaces of each stream's numbers: a bit for each. */
	uint64_t ifaces[DEDUP_STREAMS_MAX][SURVEY_IFACE_WORDS];
};

/* Extends the window for duplicates that this profile finds: to at least least_ns, and at most the
 * longest one that fits the profile. Numbers need no window. Returns false if no window fits all.
 */
bool survey_draft_window(struct survey_draft *d, const struct profile *p, uint64_t p99_ns,
			 uint64_t least_ns);

/* Adds a stream of this profile, in a new realm, for the packets of this candidate. */
void survey_draft_add(struct survey_draft *d, const struct profile *p, const struct candidate *c);

/* Adds the feeds with the largest gain that fit and are not in `taken`, and sets them in `taken`.
 * `order`: from survey_feeds_list(). Returns how many do not fit.
 */
uint32_t survey_draft_streams(struct survey_draft *d, struct destination *const *order, bool *taken);

/* Returns the index of the window in WINDOWED_MAX_WINDOW_NS. */
uint32_t survey_draft_window_of(const struct survey_draft *d);

/* Sets the rest of the filter: window and capacity, or their defaults if all streams are numbered;
 * the paths of numbered streams; the tunnels of copies; and how many duplicates it drops. for_all:
 * the stream of the filter's profile for all traffic; -1: none.
 */
void survey_draft_finish(struct survey_draft *d, int for_all);

#endif
