/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What metrics need to know of all filters. A filter stays open between two readings, for to open a
 * large one takes many times as long as to read it; and what takes long to find out is found out
 * every few seconds only (readings_refresh()): fill, of a sample of the memory; interfaces; advice.
 * Counters and the hand are as of each reading (readings_take()).
 */
#ifndef XDP_DEDUP_READINGS_H
#define XDP_DEDUP_READINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "advice.h"
#include "attach.h"
#include "config_file.h"
#include "open_filter.h"
#include "status.h"

#define READING_TEXT_MAX 256

/* Of one filter. */
struct reading {
	char name[sizeof(((struct filter *)0)->name)];
	int err; /* 0; -ENOENT: it is not loaded; another -errno: it cannot be read. Then the rest
		  * is not set.
		  */
	struct status status;
	uint64_t hand_lag_ns; /* how long the place at the hand has been due */
	uint64_t fill_ns;     /* so old is what was read of the memory, and of the interfaces */
	struct advice advice[ADVICE_MAX];
	int advice_cnt;
	const struct config_filter *wanted; /* what the file says of it; NULL: nothing */

	/* For readings.c. */
	bool is_seen;
	uint64_t refreshed_ns;		     /* CLOCK_MONOTONIC; 0: never */
	struct filter_counters then, recent; /* at that time; and between that and the time before */
	bool has_recent;
	struct filter_counters shown, shown_streams[DEDUP_STREAMS_MAX]; /* the last time */
	bool has_shown, has_shown_streams;
	char found[READING_TEXT_MAX], logged[READING_TEXT_MAX];
};

/* All zero: nothing has been read yet. */
struct readings {
	struct reading **list; /* cnt, sorted by name */
	int cnt;
	uint64_t take_ns, refresh_ns; /* so long took the last ones */
	struct attach_view view;      /* the interfaces, as of the last refresh, or later */
};

/* Reads all filters that are loaded, and lists those of the file `wanted`, which may be NULL, that
 * are not. What it says of a filter is in `wanted` of its reading, as long as the file is there.
 * What has been loaded or changed since is opened, which takes longer. One that cannot be read is
 * listed so, and hides no other; the reason is logged, once as long as it does not change. 0, or
 * -errno (logged): there is no telling which filters there are.
 *
 * For memory of filters in children by fork(): there is none, and a child calls none of these.
 */
int readings_take(struct readings *r, const struct config_file *wanted);

/* The same, and what takes long: to be called every ten seconds or so, and when interfaces have
 * come or gone.
 */
int readings_refresh(struct readings *r, const struct config_file *wanted);

/* Closes all filters, so that what nobody else holds is freed: before large ones are unloaded, or
 * for good. The next reading opens them again.
 */
void readings_free(struct readings *r);

#endif
