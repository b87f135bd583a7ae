/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the verbs that change a running filter have in common. */
#ifndef XDP_DEDUP_CHANGE_H
#define XDP_DEDUP_CHANGE_H

#include "attach.h"
#include "options.h"
#include "pins.h"

struct change {
	struct filter f;	 /* as it runs */
	struct filter_spec spec; /* of it; what is asked for goes over that */
	struct attachment *list; /* where it runs, of cnt */
	int cnt;
	char *ifnames[DEDUP_IFACES_MAX]; /* of `where`, in the list or the options */
	struct placement where;		 /* where it is to run; change_begin(): where it runs */
};

/* Takes the lock, opens the filter that is named, and finds out where it runs. 0, and the caller ends
 * it with change_end(); or -errno, which is said, as if it runs where this process cannot see it.
 */
int change_begin(const struct options *o, struct change *c);
void change_end(struct change *c);

/* Waits, without the lock, until the filter that is named has no predecessor that knows ids. 0, or
 * -errno, which is said.
 */
int change_wait_for_predecessor(const char *what);

/* A filter has one predecessor at most: 0 if it has none, or --forget gives it up; or -errno, which
 * is said.
 */
int change_make_room(const struct options *o, const char *name);

/* Is there memory for another filter beside the one that runs? 0 or -ENOMEM, which is said. */
int change_check_memory(const struct dedup_config *cfg);

#endif
