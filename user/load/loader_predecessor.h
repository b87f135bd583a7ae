/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The maps of the predecessor (include/predecessor.h) of a filter that is to be made: of a running
 * filter, or of one made from a snapshot. Failures are logged.
 */
#pragma once

#include "open_filter.h"

struct snapshot; /* snapshot_file.h */

/* The order of its maps in fds[], and of their pins from PIN_PREDECESSOR_STATE on. */
enum { PREDECESSOR_STATE, PREDECESSOR_FILTER, PREDECESSOR_TIMER, PREDECESSOR_MAPS };

struct predecessor {
	struct dedup_config config;
	bool has_program; /* the successor's program is to replace it */
	bool sets_reported; /* the first `reported` ids of its successor are counted (state.reported) */
	uint64_t reported;
	int fds[PREDECESSOR_MAPS];
};

/* Opens the maps of an open filter once more. Returns 0, and the caller closes *out with
 * predecessor_close(); or -errno.
 */
int predecessor_of_filter(const struct filter *f, struct predecessor *out);

/* Makes a filter from the snapshot: its memory, aged by the time since the save, with a hand that
 * runs. No packet program ever runs on it. successor: the running filter whose predecessor it
 * becomes, and whose learned ids it counts; or NULL. Returns 0, and the caller closes *out with
 * predecessor_close(); 1 if no id of the snapshot is left, and then nothing is made; or -errno.
 */
int predecessor_of_snapshot(const struct snapshot *snapshot, const struct filter *successor,
			    struct predecessor *out);
void predecessor_close(struct predecessor *p);
