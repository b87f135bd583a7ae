/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Puts packets on the slow path. include/slow_path.h explains how that works. */
#ifndef XDP_DEDUP_SLOW_PATH_REASON_H
#define XDP_DEDUP_SLOW_PATH_REASON_H

#include "open_filter.h"

#define SLOW_PATH_WALK_US 250	  /* a walk of the hand through the reasons takes no longer */
#define SLOW_PATH_WALK_TRIES 2000 /* with SLOW_PATH_WALK_US before each: half a second */

/* Puts a reason where the kernel finds it. Returns 0 or more, or -errno. May be called several
 * times.
 */
typedef int (*put_reason_fn)(struct filter *f, void *arg);

/* Calls put(f, arg), and makes packets look for the reason until it has expired. Returns what
 * put() returned; -ESTALE if the hand stopped while it walked through the reasons.
 */
int slow_path_put_reason(struct filter *f, put_reason_fn put, void *arg);

#endif
