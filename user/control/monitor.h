/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The list of watched filters, by name, with the last two readings of each. `watch` and the
 * service read the filters; they share this list.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "advice.h"
#include "sender_watch.h"
#include "open_filter.h"
#include "status.h"
#include "watch.h"

/* One filter. */
struct watched {
	char name[sizeof(((struct filter *)0)->name)];
	int err; /* 0; -ENOENT: it is not loaded; another -errno: it cannot be read. Then the rest
		  * is not set.
		  */
	struct status status; /* of the newest reading; its filter stays open until the next one */
	struct watch watch;   /* that reading, and the rates since the one before */
	struct sender_watch senders; /* of a filter with accounts: its senders */
	uint64_t hand_lag_ns;	     /* how long the place at the hand has been overdue */
	uint64_t fill_ns;	     /* the age of the readings of the memory and the interfaces */
	struct advice advice[ADVICE_MAX];
	int advice_cnt;
	bool seen;	    /* since monitor_begin(): set by the caller */
	uint64_t rx_before; /* for its next struct watch_reading */

	/* For monitor.c: what monitor_log_advice() has logged and not ended. */
	struct advice logged[ADVICE_MAX];
	int logged_cnt;
};

/* All zero: no filter is watched. */
struct monitor {
	struct watched **list; /* cnt, sorted by name */
	int cnt;
	size_t bytes; /* the size of each: the caller may have more than a struct watched, which
		       * comes first; 0: sizeof(struct watched)
		       */
};

/* Begins a reading of all filters: none is seen. reads_links: the caller reads the interfaces next. */
void monitor_begin(struct monitor *m, bool reads_links);

/* Returns the filter of this name. If it is not in the list, adds it, all zero but its name, with
 * no open filter, and WATCH_UNKNOWN as rx_before. NULL (logged): no memory.
 */
struct watched *monitor_get(struct monitor *m, const char *name);

/* Removes the filter at this index of the list, and frees what is known about it. */
void monitor_remove(struct monitor *m, int i);

/* Removes all filters. */
void monitor_free(struct monitor *m);

/* Closes the filter, and forgets its readings and its advice. */
void monitor_forget(struct watched *f);

/* Returns for how long ids are remembered at the present load: at most a window. */
uint64_t monitor_window_ns(const struct watched *f);

/* Sets the advice, by the counts between the last two readings; or since the load, after one
 * reading.
 */
void monitor_advise(struct watched *f);

/* Logs the advice that is new since the last call for this filter; with `ends`, also which advice
 * no longer holds.
 */
void monitor_log_advice(struct watched *f, bool ends);
