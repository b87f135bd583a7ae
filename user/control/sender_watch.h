/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The senders of numbered streams of a watched filter (sender_list.h), and what each of their paths
 * brings from one reading to the next. Nothing here has a clock, or prints.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sender_list.h"

#define SENDERS_WATCHED_MAX 64 /* of a filter: those that sender_list_read() has first */

/* Between the last two readings of a path. */
struct path_rates {
	double packets;	 /* a second */
	double received; /* numbers a second */
	double first;	 /* part of all numbers that it brought first, 0 to 1; below 0: none came */
};

/* A sender. Counters of `now` never go back while it has one account. */
struct watched_sender {
	char source[SENDER_TEXT_MAX];	 /* sender_hex() */
	char stream[DEDUP_STREAM_NAME];	 /* the first stream of its realm */
	struct source_figures now, base; /* `base`: when it was read first, or all 0, if it has come
					  * since the first reading
					  */
	bool has_rates;
	double messages; /* a second, that it has sent; set only if has_rates */
	struct path_rates paths[DEDUP_PATHS_MAX]; /* of now.paths; set only if has_rates */
};

/* All zero: nothing was read yet. */
struct sender_watch {
	struct watched_sender *list; /* cnt: in the order of sender_list_read() */
	uint32_t cnt;
	uint32_t left_out; /* senders that are not in the list */
	bool is_read;
};

/* Reads all senders of a filter with accounts. `seconds`: since the last reading; 0: that is
 * unknown, and no rates are. Returns 0; or -ENOMEM, and *f stays.
 */
int sender_watch_take(struct sender_watch *f, const struct filter *filter, double seconds);

/* Reads the senders of the list again, which is quick: others are not looked for. One that has gone
 * stays as it was. Rates stay.
 */
void sender_watch_update(struct sender_watch *f, const struct filter *filter);
void sender_watch_free(struct sender_watch *f);

/* Makes the next reading of a sender. `before`: the one before it; NULL: there is none, and
 * `is_new` says whether the sender has come since the first reading.
 */
void watched_sender_take(struct watched_sender *next, const struct watched_sender *before,
			 bool is_new, double seconds);

/* Returns how many numbers a path has lost since the first reading, or since the sender came. */
uint64_t watched_lost_since(const struct watched_sender *f, uint32_t path);
