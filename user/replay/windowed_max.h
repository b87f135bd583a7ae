/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts the most ids in one window, for each of a list of windows, in one pass and little memory.
 * Times are in ns and do not go backwards.
 */
#pragma once

#include <stdint.h>

#define WINDOWED_MAX_WINDOWS 19
#define WINDOWED_MAX_RING \
	8 /* buckets: a window has at most 6 of the window before it, and begins in one */

/* 10 ms to 30 days, ascending; each is a multiple of the one before. */
extern const uint64_t WINDOWED_MAX_WINDOW_NS[WINDOWED_MAX_WINDOWS];

/* Buckets of one length: half of the first window, or the window before. */
struct windowed_max_level {
	uint64_t at;			/* the number of the newest bucket */
	uint32_t in[WINDOWED_MAX_RING]; /* ids of the last buckets, by number % WINDOWED_MAX_RING */
	uint32_t most;			/* the most ids in as many buckets as a window can touch */
	uint32_t above;			/* ids in the next level's incomplete bucket */
	uint64_t above_at;		/* that bucket's number */
};

/* Begins as { 0 }. */
struct windowed_max {
	uint64_t end_ns; /* end of the current bucket of the first level */
	uint32_t in;
	struct windowed_max_level levels[WINDOWED_MAX_WINDOWS];
};

/* Counts an id. */
void windowed_max_add(struct windowed_max *p, uint64_t now_ns);

/* Completes all buckets. No id may be added afterwards. */
void windowed_max_end(struct windowed_max *p);

/* Returns an upper bound of the ids in any window of WINDOWED_MAX_WINDOW_NS[i]: at most the most
 * ids in a window that is one bucket longer, which is up to half. windowed_max_end() must have been
 * called.
 */
uint64_t windowed_max_most(const struct windowed_max *p, uint32_t i);

/* _from() returns the index of the shortest window of at least this length, or of the longest of
 * all. _to() returns the index of the longest window of at most this length, or of the shortest of
 * all.
 */
uint32_t windowed_max_window_from(uint64_t ns);
uint32_t windowed_max_window_to(uint64_t ns);
