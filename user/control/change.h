/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the verbs that change a running filter have in common: which one it is and where (change.c),
 * what is asked for (change_ask.c), and how that is done (change_do.c).
 */
#ifndef XDP_DEDUP_CHANGE_H
#define XDP_DEDUP_CHANGE_H

#include "attach.h"
#include "open_filter.h"
#include "options.h"

struct change {
	struct filter f;	 /* as it runs */
	struct filter_spec spec; /* of it; what is asked for goes over that */
	struct attachment *list; /* where it runs, of cnt */
	int cnt;
	bool is_given_up[DEDUP_IFACES_MAX]; /* of --remove: it has gone, and left the record */
	char *ifnames[DEDUP_IFACES_MAX];    /* of `where`, in the list or the options */
	struct placement where;		    /* where it is to run; change_begin(): where it runs */
};

/* Takes the lock, opens the filter that is named, and finds out where it runs. Returns 0, and the
 * caller calls change_end(); or -errno, after printing why: for one, if the filter runs where this
 * process cannot see it.
 */
int change_begin(const struct options *o, struct change *c);
void change_end(struct change *c);

/* Does so for a caller that holds the lock. */
int change_open(const struct options *o, struct change *c);

/* Does so for the filter `what`, or for the filter that runs on the interface `what`. The caller
 * holds the lock. The filter may run nowhere. Returns 0; -ENOENT, which is not printed, if there is
 * no such filter; another -errno, after printing why.
 */
int change_find(const struct options *o, const char *what, struct change *c);

/* Puts the options that were given over c->spec. 0 or -EINVAL (logged). */
int change_ask_packets(const struct options *o, struct change *c);
void change_ask_action(const struct options *o, struct change *c);
void change_ask_shape(const struct options *o, struct change *c);

/* Does any option say how large the filter is to be, or of which kind? */
bool change_asks_shape(const struct options *o);

/* Plans what c->spec asks for, at c->where. 0 or -errno (logged). */
int change_plan(struct change *c, struct dedup_config *cfg);

/* Takes interfaces out of c->where, and adds others, as load would check them; at least one must be
 * left. 0; or -errno (logged).
 */
int change_interfaces(struct change *c, char *const *add, int add_cnt, char *const *remove,
		      int remove_cnt);

/* Gives the filter's memory a program of this plan. *cfg lacks only the secrets. Returns 0; or
 * -errno, after printing why.
 */
int change_program(const struct options *o, struct change *c, struct dedup_config *cfg);

/* Puts a filter of this plan in the place of the one that runs, which becomes its predecessor. *cfg
 * lacks only the secrets. Returns 0, after reporting what both are; or -errno (logged).
 */
int change_filter(const struct options *o, struct change *c, struct dedup_config *cfg);

/* Reports what the filter is. */
void change_report(const char *name, const struct dedup_config *cfg);

/* Waits, without the lock, until the filter that is named has no predecessor that knows ids. 0,
 * also if there is no such filter; or -errno (logged).
 */
int change_wait_for_predecessor(const char *what);

/* A filter has one predecessor at most: 0 if it has none, or --forget gives it up, which the change
 * does once it is committed; or -errno (logged).
 */
int change_check_room(const struct options *o, struct filter *f);

/* Is there memory for so many bytes more, which `what` takes? 0 or -ENOMEM (logged). */
int change_check_memory(const char *what, uint64_t need);

#endif
