/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The data of filters for metrics. A filter stays open between two readings, because opening a large
 * filter takes many times as long as reading it. Counters and the hand are read each time
 * (readings_take()). Slow readings are taken only every few seconds (readings_refresh()): the
 * occupancy, from a sample of the memory; interfaces; advice.
 */
#pragma once

#include <stdint.h>

#include "attach.h"
#include "config_file.h"
#include "monitor.h"

struct want_lost;

/* All zero before the first reading. */
struct readings {
	struct monitor filters;
	const struct config_file *wanted; /* the file, as of the last reading; NULL: no file */
	uint64_t take_ns, refresh_ns;	  /* how long the last take and the last refresh took */
	struct links links;		  /* the interfaces, as of the last refresh */
	const struct want_lost *lost;	  /* for metrics; NULL: `recover` is off */
};

/* Reads the filters of the file `wanted`; with `metrics-all`, or if `wanted` is NULL, also all
 * other loaded filters. A filter of the file that is not loaded has the `err` -ENOENT. The file
 * must stay while the readings are used. A filter that was loaded or changed since the last call is
 * opened, which takes longer. A filter that cannot be read has an `err`, and the others are read;
 * the reason is logged when it changes. Returns 0; or -errno (logged) if filters cannot be listed.
 *
 * Children by fork() have no memory of these filters, and must call none of these functions.
 */
int readings_take(struct readings *r, const struct config_file *wanted);

/* Does what readings_take() does, and also takes the slow readings. Call it about every ten
 * seconds, and when interfaces have changed.
 */
int readings_refresh(struct readings *r, const struct config_file *wanted);

/* Returns the filter of this name, which stays open until the next reading; NULL if it is not open,
 * or has been loaded or changed since.
 */
const struct filter *readings_filter(const struct readings *r, const char *name);

/* Does what readings_filter() does, but also returns a filter that was changed since. */
struct filter *readings_last_filter(const struct readings *r, const char *name);

/* Returns whether all loaded filters have the names and MACs that this host's interfaces have now.
 * False also if a filter has not been read since it was loaded or changed.
 */
bool readings_agree(const struct readings *r, const struct links *now);

/* Logs advice (advice.h) of the last refresh: once when it begins to hold, and once when it ends.
 * Logs nothing about a filter that was read only once: its recent counts are not known.
 */
void readings_log_advice(struct readings *r);

/* Closes all filters. The next reading opens them again. */
void readings_free(struct readings *r);
