/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a filter runs. Three words have different meanings:
 * - attached: the kernel reports that an interface of this network namespace runs the program now.
 * - recorded: the program's own record (include/record.h) has the interface: a command attached
 *   the program to it. This process cannot look at interfaces of other network namespaces; it knows
 *   only their record.
 * - in use: something other than its pin holds the program, here or elsewhere (live.h).
 */
#ifndef XDP_DEDUP_ATTACHMENTS_H
#define XDP_DEDUP_ATTACHMENTS_H

#include <stdbool.h>

#include "attach.h"
#include "identity.h"
#include "loader.h"
#include "open_filter.h"

/* Does the attachment run the filter with this identity? False if its program cannot be identified
 * (a->err).
 */
bool attachments_is_theirs(const struct attachment *a, struct identity id);

/* Returns 1 if an interface of this network namespace runs that filter; 0 if none is known to run
 * it; -errno (logged) if the interfaces cannot be listed. Changes nothing.
 */
int attachments_here(struct identity id);

/* Is the filter of this name in use where this process does not see it? Returns 1 or 0; -errno if
 * that is unknown. It is 1 if the filter's program runs on an interface that is known to be in
 * another network namespace, or if a change has not ended (+NAME). Otherwise it returns what
 * live_anywhere() returns, which may take 3 s.
 */
int attachments_elsewhere(const char *name);

/* Has the filter of this name this state map, also if it cannot be opened? Or has one of the two
 * memories of a change that has not ended (+NAME)? Returns 1 or 0; -errno if that is unknown.
 */
int attachments_has_state(const char *name, uint32_t state_id);

enum where_attached { ATTACHED_NOWHERE, ATTACHED_HERE, ATTACHED_ELSEWHERE };

/* Returns an enum where_attached: attached here, or in use elsewhere (attachments_elsewhere());
 * -errno if that is unknown. The caller holds the lock of lock_take().
 */
int attachments_in_use(const char *name);

/* Detaches the filter of this name from every interface of this network namespace. Returns 0, or
 * -errno (logged).
 */
int attachments_detach(const char *name);

/* Opens the filter of this name. If there is none, takes `what` for an interface of this network
 * namespace: opens the filter that runs on it, or else the only filter whose record has it.
 * Returns 0, and the caller closes *out with filter_close(); or -errno (logged).
 */
int attachments_open(const char *what, struct filter *out);

/* Does what attachments_open() does, but does not log the -ENOENT of a missing filter. */
int attachments_find(const char *what, struct filter *out);

/* Opens the filter of WHAT or WHAT/STREAM by attachments_open(), and selects the stream. Returns
 * -EDESTADDRREQ (logged) if the filter has several streams and none is named; -ENOENT (logged) if
 * it has none of this name.
 */
int attachments_open_stream(const char *what, struct filter *out);

/* Logs that this interface runs a filter whose pins are gone. Returns -ESTALE. */
int attachments_explain_gone(const char *ifname);

/* Opens the only filter, of these names (loader_names()), whose record has this interface of this
 * network namespace, attached or not. Returns 0, and the caller closes *out with filter_close();
 * -ENOENT (not logged) if there is none; -ENOTUNIQ if there are several, or another -errno
 * (logged).
 */
int attachments_open_recorded(char **names, const char *ifname, struct filter *out);

/* Finds the entry of an interface of this network namespace in the filter's record: by its index,
 * or, if no interface has this name now, by the name. Returns a pointer into the open filter, or
 * NULL.
 */
struct dedup_iface *attachments_recorded(const struct filter *f, const char *ifname);

/* Writes the record of a program that is to run on these interfaces of this network namespace, and
 * nowhere else: the interfaces, and which frames are for this host there. Returns 0; -ENODEV if an
 * interface has gone; or another -errno. Each error is logged.
 */
int attachments_write_record(struct filter *f, const struct placement *where);

/* Finds a recorded interface of another network namespace that has the index of attachment a.
 * Packets of both would go to one AF_XDP socket (include/deliver.h), and the kernel would lose the
 * packets of one of them. Returns NULL if there is none, or if the filter does not deliver. list:
 * attach_list()'s, of cnt.
 */
const struct dedup_iface *attachments_same_index(const struct filter *f,
						 const struct attachment *list, int cnt,
						 const struct attachment *a);

/* Makes *view fit for this filter, which may have been loaded or changed since *view was read.
 * Reads *view anew if it is empty, or if a recorded interface of this network namespace is not
 * attached in it. Returns 0; or -errno (logged), with *view empty.
 */
int attachments_view(const struct filter *f, struct attach_view *view);

/* Updates the record for interfaces that have moved here from another network namespace together
 * with their program: they are attached here, but not recorded here. Logs an interface whose entry
 * is unknown. list: attach_list()'s, of cnt. The caller holds the lock of lock_take(). Returns 0;
 * -ENOTUNIQ (logged) if another interface has the index of one of them
 * (attachments_same_index()).
 */
int attachments_follow(struct filter *f, const struct attachment *list, int cnt);

/* Removes interfaces from the record that cannot be seen from here and are known to be gone: no
 * other network namespace runs the filter's program. If not all namespaces can be searched, it is
 * enough, for an interface of this namespace, to search those to which it can have moved. list:
 * attach_list()'s, of cnt. The caller holds the lock of lock_take(). An interface that may still
 * exist stays in the record.
 */
void attachments_forget_gone(struct filter *f, const struct attachment *list, int cnt);

/* Removes an interface that cannot be seen from here from the record, and the pins that it left:
 * the user has stated that it is gone. Returns 0; -ENOENT if the record has no such name; -EBUSY
 * if the filter is known to run where this process does not see it. The caller holds the lock of
 * lock_take(). Logs nothing.
 */
int attachments_give_up(struct filter *f, const char *ifname);

/* Finds a recorded interface that this process cannot see: it was in another network namespace, or
 * is no longer in this one, and the filter may still run on it. Returns a pointer into the open
 * filter, or NULL.
 */
const struct dedup_iface *attachments_unseen(const struct filter *f);

#endif
