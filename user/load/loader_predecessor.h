/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The maps of a predecessor (include/predecessor.h), of which a successor is made: a filter that
 * runs, or one that is made of a snapshot. Failures are logged.
 */
#ifndef XDP_DEDUP_LOADER_PREDECESSOR_H
#define XDP_DEDUP_LOADER_PREDECESSOR_H

#include "open_filter.h"

struct snapshot; /* snapshot_file.h */

struct predecessor {
	struct dedup_config config;
	bool has_program; /* which is to be exchanged for the successor's */
	bool sets_told;	  /* it knows of the first `told` ids of the filter that is to get it */
	uint64_t told;
	int state_fd, filter_fd, timer_fd;
};

/* Takes the maps of a filter that is open. 0, and the caller closes *out; or -errno. */
int predecessor_of_filter(const struct filter *f, struct predecessor *out);

/* Makes a filter of the snapshot: its memory, aged by the time since, its hand going. No packet
 * program ever runs on it. beside: the filter that runs, if that is to get it, whose ids it is told
 * of; else NULL. 0, likewise; 1 if no id of the snapshot is left, and then nothing is made; or -errno.
 */
int predecessor_of_snapshot(const struct snapshot *snapshot, const struct filter *beside,
			    struct predecessor *out);
void predecessor_close(struct predecessor *p);

/* Pins the maps in the directory of the successor. 0 or -errno. */
int predecessor_pin(const struct predecessor *p, const char *directory);

#endif
