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

#endif
