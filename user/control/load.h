/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* load --replace: for load.c. */
#ifndef XDP_DEDUP_LOAD_H
#define XDP_DEDUP_LOAD_H

#include "options.h"

/* load --replace, for whoever has the lock: puts this version's program, and what else is asked
 * for, in the place of the filter that is named, or that runs on the first interface. 0; -ENOENT
 * (not logged) if there is none; or another -errno (logged), and then it is as it was.
 */
int load_replace(const struct options *o);

#endif
