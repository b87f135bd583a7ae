/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How many ids came in one window, at most: of any of a list of windows, found in one pass and in
 * little memory. Times are in ns and do not go backwards.
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
	uint32_t in[WINDOWED_MAX_RING]; /* what came in it and those before it, by number % WINDOWED_MAX_RING */
	uint32_t most;	   /* in as many adjacent ones as any window of this level lies in */
	uint32_t above;	   /* what came in the next level's bucket that is not complete */
	uint64_t above_at; /* its number */
};

/* Begins as { 0 }. */
struct windowed_max {
	uint64_t end_ns; /* of the shortest bucket, that is being filled */
	uint32_t in;
	struct windowed_max_level levels[WINDOWED_MAX_WINDOWS];
};

/* An id came. */
void windowed_max_add(struct windowed_max *p, uint64_t now_ns);

/* No more will come. */
void windowed_max_end(struct windowed_max *p);

/* At least as many as came in any window of WINDOWED_MAX_WINDOW_NS[i], and at most those of one
 * that is longer by a bucket: half of it, or less. After windowed_max_end().
 */
uint64_t windowed_max_most(const struct windowed_max *p, uint32_t i);

/* The index of the shortest window of at least this length, or of the longest of all; of the
 * longest window of at most this length, or of the shortest of all.
 */
uint32_t windowed_max_window_from(uint64_t ns);
uint32_t windowed_max_window_to(uint64_t ns);

#endif
