/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a filter runs: what the kernel says of this network namespace, and what the
 * filter's own record says of others, which cannot be asked.
 */
#ifndef XDP_DEDUP_ATTACHMENTS_H
#define XDP_DEDUP_ATTACHMENTS_H

#include <stdbool.h>

#include "attach.h"
#include "loader.h"

/* Who works with certain pins, of whatever version or however incomplete they are: programs
 * with this state map, or this program.
 */
struct identity {
	uint32_t state_id, prog_id; /* 0: unknown */
};

/* -errno if it cannot be told. */
int attachments_identify(const char *name, struct identity *out);

bool attachments_is_theirs(const struct attachment *a, struct identity id);

enum attached { ATTACHED_NOWHERE, ATTACHED_HERE, ATTACHED_ELSEWHERE };

/* Is the filter of this name in use, in this network namespace or out of sight (then some 3 s
 * are spent to be sure)? An enum attached; -errno if that cannot be told. Under the lock of
 * loader_begin().
 */
int attachments_in_use(const char *name);

/* Detaches the filter of this name from every interface here. 0 or -errno, which is said. */
int attachments_detach(const char *name);

/* Opens the filter of this name; or else the one whose program runs on the interface of this
 * name, or the only one that it was recorded for. Says what is wrong.
 */
int attachments_open(const char *what, struct filter *out);

/* The slot of an interface of this namespace in the filter's record: by its index, or,
 * if it is gone, by the name it had. NULL if it has none.
 */
struct dedup_iface *attachments_recorded(const struct filter *f, const char *ifname);

/* Interfaces that run the filter here, but are recorded elsewhere, have moved and taken their
 * program along: from now on they are recorded here. Of what cannot be told says so. Under the lock
 * of loader_begin(). 0 or -errno, which is said.
 */
int attachments_follow(struct filter *f);

/* The recorded name of an interface on which the filter may run out of sight: of another
 * network namespace, or no longer in this one. NULL if there is none.
 */
const char *attachments_unseen(const struct filter *f);

#endif
