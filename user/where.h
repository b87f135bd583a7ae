/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a filter runs: what the kernel says of this network namespace, and what the
 * filter's own record says of others, which cannot be asked.
 */
#ifndef XDP_DEDUP_WHERE_H
#define XDP_DEDUP_WHERE_H

#include <stdbool.h>

#include "attach.h"
#include "loader.h"

/* Does a program on an interface work with the pins of this name, of whatever version
 * or however incomplete they are? If that cannot be told: yes.
 */
bool where_attached(const char *name);

/* Detaches those programs from one interface, or from all if ifindex is 0. Returns how
 * many interfaces of this namespace still run one, or -errno.
 */
int where_detach(const char *name, int ifindex);

/* Was the filter attached in another network namespace, and never detached there? */
bool where_elsewhere(const struct filter *f);

/* Opens the filter whose program runs on this interface: *a says how. If none does, a->ifindex is
 * 0, and the filter that it was recorded for is opened. -ENOENT if that is nowhere; -ENOTUNIQ,
 * said, if there are several.
 */
int where_on(const char *ifname, struct attachment *a, struct filter *f);

/* Opens the filter of this name; or else the one of the interface of this name, as where_on().
 * Says what is wrong.
 */
int where_open(const char *what, struct filter *out);

/* The slot of an interface of this namespace in the filter's record: by its index, or,
 * if it is gone, by the name it had. NULL if it has none.
 */
struct dedup_iface *where_recorded(struct filter *f, const char *ifname);

#endif
