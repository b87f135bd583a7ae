/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The filter NAME and the one in +NAME, during their exchange (live_exchange.h), and where their
 * programs run. Every function here can be repeated. Failures are logged.
 */
#ifndef XDP_DEDUP_PAIR_H
#define XDP_DEDUP_PAIR_H

#include <stdbool.h>

#include "attach.h"
#include "identity.h"
#include "open_filter.h"

struct pair {
	const char *name;
	struct filter f, staged;
	struct identity id, staged_id;
	struct attachment *list; /* pair_list()'s, of cnt: of all filters */
	int cnt;
};

/* Opens both. Returns 0, and the caller closes *p with pair_close(); or -errno (not logged). */
int pair_open(const char *name, struct pair *p);
void pair_close(struct pair *p);

/* Are they two programs over one memory? */
bool pair_same_memory(const struct pair *p);

/* Is +NAME the older of the two, so that they have been exchanged? */
bool pair_is_committed(const struct pair *p);

/* Lists all attachments of this network namespace. A list that may lack some is an error: a
 * program that was not found would be taken for one that does not run. Returns 0, or -errno.
 */
int pair_list(struct pair *p);

/* Updates both records, by attachments_follow(), for interfaces that have moved here from another
 * network namespace together with either program. An interface that the change itself adds or
 * removes has not moved. Returns 0, or -errno (logged).
 */
int pair_follow(struct pair *p);

/* Both go by the list of pair_list(). pair_attached() returns the attachment of a program with
 * this identity to this interface, or NULL. pair_missing() returns the number of interfaces in
 * NAME's record that are here and run neither NAME's program nor, without a dispatcher, that of
 * +NAME; `modes`: in which mode NAME's program is to run there.
 */
const struct attachment *pair_attached(const struct pair *p, int ifindex, struct identity id);
int pair_missing(const struct pair *p, char names[][IF_NAMESIZE], enum attach_mode *modes);

/* Attaches NAME's program to these interfaces, each in its mode. Without a dispatcher, all
 * interfaces then run one program, which is pinned. Returns 0, or -errno.
 */
int pair_attach_to(const struct pair *p, char *const *names, const enum attach_mode *modes, int cnt);

/* Attaches NAME's program in the place of +NAME's, on interfaces of NAME's record where +NAME's
 * runs without a dispatcher. Goes by the list of pair_list(). Returns 0, or -errno.
 */
int pair_attach_instead(struct pair *p);

/* Attaches NAME's program to the interfaces of its record that are here. Returns 0, or -errno. */
int pair_attach_new(struct pair *p);

/* Detaches the program of +NAME. If an interface of the filter cannot be seen from here, because
 * it is in another network namespace, the program must be gone everywhere afterwards: while both
 * run, their shared maps must stay. Returns 0; -EBUSY if it is not gone; or another -errno.
 */
int pair_detach_staged(struct pair *p);

/* Pins NAME's program as it runs: in a dispatcher, the one that libxdp has loaded. Returns 0, or
 * -errno.
 */
int pair_pin_program(struct pair *p);

/* Sets when the time of --for of NAME's program ends, if its record says so. */
void pair_begin_drops(const struct pair *p);

#endif
