/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The highest number of ids that came in one window, for each of a list of windows: found in one
 * pass and in little memory. Times are in ns and do not go backwards.
 */
#ifndef XDP_DEDUP_WINDOWED_MAX_H
#define XDP_DEDUP_WINDOWED_MAX_H

#include <stdint.h>

#define WINDOWED_MAX_WINDOWS 19
#define WINDOWED_MAX_RING \
	8 /* buckets: a window has at most 6 of the window before it, and begins in one */

/* 10 ms to 30 days, ascending; each is a multiple of the one before. */
extern const uint64_t WINDOWED_MAX_WINDOW_NS[WINDOWED_MAX_WINDOWS];

/* Buckets of one length: half of the first window, or the window before. */
struct windowed_max_level {
	uint64_t at;			/* the number of the newest one */
	uint32_t in[WINDOWED_MAX_RING]; /* in it and those before, by number % WINDOWED_MAX_RING */
	uint32_t most;	   /* in as many adjacent ones as a window of this level touches */
	uint32_t above;	   /* in the next level's bucket, which is not complete */
	uint64_t above_at; /* its number */
};

/* Begins as { 0 }. */
struct windowed_max {
	uint64_t end_ns; /* of the shortest bucket, which is being filled */
	uint32_t in;
	struct windowed_max_level levels[WINDOWED_MAX_WINDOWS];
};

/* Counts an id. */
void windowed_max_add(struct windowed_max *p, uint64_t now_ns);

/* Ends the counting. */
void windowed_max_end(struct windowed_max *p);

/* Returns at least the most that came in any window of WINDOWED_MAX_WINDOW_NS[i], and at most the
 * most in any window that is one bucket longer: by half, or less. Called after windowed_max_end().
 */
uint64_t windowed_max_most(const struct windowed_max *p, uint32_t i);

/* _from() returns the index of the shortest window of at least this length, or of the longest of
 * all. _to() returns the index of the longest window of at most this length, or of the shortest of
 * all.
 */
uint32_t windowed_max_window_from(uint64_t ns);
uint32_t windowed_max_window_to(uint64_t ns);

#endif
