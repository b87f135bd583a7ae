/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the operations that change a running filter share: finding the filter and its interfaces
 * (change.c), reading the given values (change_request.c), and making the change (change_do.c).
 */
#pragma once

#include "attachments.h"
#include "live_exchange.h"
#include "open_filter.h"
#include "wish.h"

struct change {
	const struct wish *w;
	struct filter f;	 /* the running filter */
	struct filter_spec spec; /* of f; change_request() writes the given values over it */
	struct attachments at;	 /* where it runs */
	struct requested_ifaces requested; /* where it is to run; change_find() sets where it runs */
	char *ifnames[DEDUP_IFACES_MAX];   /* of `where`; they belong to `at` or the request */
	struct placement where; /* the interfaces of `requested` in this network namespace */
};

/* A step of a change. Returns 0 or -errno (logged). plan() makes the configuration from the options
 * and the filter, and returns -EINVAL if they do not fit together; make() makes the change.
 */
typedef int (*change_fn)(struct change *c, struct dedup_config *cfg);

/* Make the change: of the filter w->name, with the lock; or of an open one, and do change_end().
 * Return an enum exit_code.
 */
int change_run(const struct wish *w, change_fn plan, change_fn make);
int change_steps(struct change *c, change_fn plan, change_fn make);

/* Opens the filter w->name, which must run somewhere, or be given an interface. The caller holds
 * the lock. Returns 0, and the caller calls change_end(); or -errno (logged).
 */
int change_open(const struct wish *w, struct change *c);
void change_end(struct change *c);

/* Does what change_open() does, for the filter `what`, or for the filter that runs on the
 * interface `what`. The filter may run nowhere. Returns 0; -ENOENT (not logged) if there is no
 * such filter; another -errno (logged).
 */
int change_find(const struct wish *w, const char *what, struct change *c);

/* Set the given values in c->spec, and plan a filter for c->where by it. Return 0; or -errno
 * (logged): -EINVAL if they do not fit together.
 */
int change_request(struct change *c);
int change_plan(struct change *c, struct dedup_config *cfg);

/* Returns the index of this interface, which may have several names, in ifnames; -1 if none. */
int change_place_of(const char *ifname, char *const *ifnames, int cnt);

/* Removes interfaces from c->requested, and adds others, with the checks of a load; at least one
 * must be left. `remove` has present names; or recorded ones of interfaces in other network
 * namespaces. Returns 0; or -errno (logged).
 */
int change_interfaces(struct change *c, char *const *add, int add_cnt, char *const *remove,
		      int remove_cnt);

/* Sets c->requested to the interfaces of the request, if it has any; with w->stays adds those on
 * which the filter does not run yet. Returns 0; or -errno (logged), as -ENODEV if none is here.
 */
int change_request_interfaces(struct change *c);

/* Gives the filter's memory a program of this plan. *cfg lacks only the secrets. Returns 0; or
 * -errno (logged).
 */
int change_program(struct change *c, struct dedup_config *cfg);

/* Makes the program or filter in +NAME take over, by live_exchange(), and notes what is forgotten.
 * The end of --for stays unless it is given anew. Returns 0; or -errno (logged): -EINPROGRESS if
 * the change is made, and only its last steps are left to the next command.
 */
int change_exchange(struct change *c, const struct dedup_config *cfg);

/* Reports the configuration of the filter. */
void change_report(const char *name, const struct dedup_config *cfg);

/* Replaces the running filter by one of this plan; the running one becomes its predecessor. *cfg
 * lacks only the secrets. Returns 0, after reporting both configurations; or -errno (logged).
 */
int change_filter(struct change *c, struct dedup_config *cfg);

/* With w->wait, waits, without the lock, until the filter `what` has no predecessor that knows ids.
 * Returns 0, also if there is no such filter; or -errno (logged).
 */
int change_wait(const struct wish *w, const char *what);

/* Opens the predecessor. Returns 1 if there is one that knows ids, else 0; or -errno (logged). */
int change_has_predecessor(struct filter *f);

/* Checks that the kernel allows an exchange of programs where the filter runs and is to run, and
 * that no packet passes a filter of this configuration twice there. Returns 0, or -errno (logged).
 */
int change_check_stacking(const struct change *c, const struct dedup_config *cfg);

/* Checks that the filter can get a predecessor, as it can have only one. Returns 0 if it has none,
 * or if w->forget lets the committed change remove it; or -errno (logged).
 */
int change_check_room(struct change *c);

/* Checks that there is memory for `need` more bytes. what: their use, for the message. Returns 0;
 * or -ENOMEM (logged).
 */
int change_check_memory(const char *what, uint64_t need);
