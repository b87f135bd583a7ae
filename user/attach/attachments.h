/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a filter runs. Three words are kept apart:
 * - attached: the kernel says that an interface of this network namespace runs the program now;
 * - recorded: its program's own record (include/record.h) has the interface, on which a command
 *   attached it. Of other network namespaces, which cannot be asked, that is all there is;
 * - in use: something but its pin holds the program, here or out of sight (live.h).
 */
#ifndef XDP_DEDUP_ATTACHMENTS_H
#define XDP_DEDUP_ATTACHMENTS_H

#include <stdbool.h>

#include "attach.h"
#include "identity.h"
#include "loader.h"
#include "open_filter.h"

/* Does the attachment run the filter with this identity? False if that cannot be told (a->err). */
bool attachments_is_theirs(const struct attachment *a, struct identity id);

/* Does any interface of this network namespace run that filter, as far as can be told? 1 or 0;
 * -errno (logged) if the interfaces cannot be listed. Changes nothing.
 */
int attachments_here(struct identity id);

/* Is the filter of this name in use where this process does not see it? It is if its program runs
 * on an interface that is known to be elsewhere, or if a change of it has not ended (+NAME).
 * Otherwise asks live_anywhere(), which may take 3 s. Returns 1 or 0; -errno if it cannot be told.
 */
int attachments_elsewhere(const char *name);

enum where_attached { ATTACHED_NOWHERE, ATTACHED_HERE, ATTACHED_ELSEWHERE };

/* Is the filter of this name attached here, or else in use out of sight (attachments_elsewhere())?
 * An enum where_attached; -errno if that cannot be told. The caller holds the lock of
 * lock_take().
 */
int attachments_in_use(const char *name);

/* Detaches the filter of this name from every interface of this network namespace. 0 or -errno
 * (logged).
 */
int attachments_detach(const char *name);

/* Opens the filter of this name. If there is none, takes `what` for an interface of this network
 * namespace: opens the filter that it runs, or, if it runs none, the only one in whose record it
 * is. 0, and the caller closes *out with filter_close(); or -errno (logged).
 */
int attachments_open(const char *what, struct filter *out);

/* attachments_open(), which does not log that there is no such filter: -ENOENT. */
int attachments_find(const char *what, struct filter *out);

/* attachments_open() of WHAT or WHAT/STREAM, which selects the stream. -EDESTADDRREQ (logged) if
 * the filter has several streams and none is named; -ENOENT (logged) if it has none of this name.
 */
int attachments_open_stream(const char *what, struct filter *out);

/* Logs that this interface runs a filter whose pins are gone. Returns -ESTALE. */
int attachments_explain_gone(const char *ifname);

/* Of the filters of these names (loader_names()), opens the only one in whose record this interface
 * of this network namespace is, whether or not it is attached now. 0, and the caller closes *out
 * with filter_close(). -ENOENT (not logged) if there is none; -ENOTUNIQ if there are several, or
 * another -errno (logged).
 */
int attachments_open_recorded(char **names, const char *ifname, struct filter *out);

/* The entry of an interface of this network namespace in the filter's record: found by its index,
 * or, if there is no interface of this name now, by the name. NULL if there is none. It points into
 * the open filter.
 */
struct dedup_iface *attachments_recorded(const struct filter *f, const char *ifname);

/* Writes the record of a program that is to run on these interfaces of this network namespace, and
 * nowhere else: the interfaces, and which frames are for this host there. 0; -ENODEV if one has
 * gone; another -errno if something cannot be told: each is logged.
 */
int attachments_write_record(struct filter *f, const struct placement *where);

/* The recorded interface of another network namespace that has the index of this one, which is
 * attached here: packets of both would go to the same AF_XDP sockets (include/deliver.h), which the
 * kernel loses of one. NULL if there is none, or the filter does not deliver. list:
 * attach_list()'s, of cnt.
 */
const struct dedup_iface *attachments_twin(const struct filter *f, const struct attachment *list,
					   int cnt, const struct attachment *a);

/* Makes *view fit for this filter, which may have been loaded or changed since *view was read:
 * reads it anew, unless it has each recorded interface of this network namespace attached; also if
 * it is empty. 0 or -errno (logged), and then it is empty.
 */
int attachments_view(const struct filter *f, struct attach_view *view);

/* Brings the record up to date for interfaces that have moved here from another network namespace
 * and have taken their program along: they are attached here, but not recorded here. If it cannot
 * be told which entry is theirs, logs it. list: attach_list()'s, of cnt. The caller holds the lock
 * of lock_take(). 0; -ENOTUNIQ (logged) if one of them has a twin, as above.
 */
int attachments_follow(struct filter *f, const struct attachment *list, int cnt);

/* Takes interfaces out of the record that cannot be seen from here, if it can be told that they
 * have gone: no other network namespace runs the filter's program. Where not all can be looked at,
 * those are enough, for an interface of this one, that it can have moved to. list: attach_list()'s,
 * of cnt. The caller holds the lock of lock_take(). What cannot be told changes nothing.
 */
void attachments_forget_gone(struct filter *f, const struct attachment *list, int cnt);

/* Takes one interface out of the record that cannot be seen from here, on the user's word that it
 * has gone, and pins that it left. 0; -ENOENT if there is none of this name; -EBUSY if the filter
 * is known to run out of sight. The caller holds the lock of lock_take(). Logs nothing.
 */
int attachments_give_up(struct filter *f, const char *ifname);

/* The entry of a recorded interface that cannot be looked at from here, as it was in another
 * network namespace, or is no longer in this one: the filter may still run on it. NULL if there is
 * none. It points into the open filter.
 */
const struct dedup_iface *attachments_unseen(const struct filter *f);

#endif
