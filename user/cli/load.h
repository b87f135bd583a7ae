/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the verbs that put a filter on interfaces have in common. */
#ifndef XDP_DEDUP_LOAD_H
#define XDP_DEDUP_LOAD_H

#include <stdint.h>

#include "attach.h"
#include "links.h"
#include "options.h"

/* Attaches a filter that has been made to these interfaces, or removes it. drop_ns: how long it
 * drops from then on, where it drops for a time; else 0. 0 or -errno, which is said.
 */
int load_start(const char *name, const struct placement *where, const struct links *links,
	       uint64_t drop_ns);

/* load --replace, for whoever has the lock: puts this version's program, and what else is asked
 * for, in the place of the filter that is named, or that runs on the first interface. 0; -ENOENT,
 * not said, if there is none; or another -errno, which is said, and then it is as it was.
 */
int load_replace(const struct options *o);

#endif
