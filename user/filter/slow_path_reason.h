/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes packets take the slow path (include/slow_path.h). */
#pragma once

#include "open_filter.h"

#define SLOW_PATH_WALK_US 250	  /* the longest walk of the hand through the reasons */
#define SLOW_PATH_WALK_TRIES 2000 /* with SLOW_PATH_WALK_US before each: half a second */

/* Puts a reason where packets find it; may be called repeatedly. Returns 0 or more, or -errno. */
typedef int (*put_reason_fn)(struct filter *f, void *arg);

/* Calls put(f, arg), and makes packets check for the reason until it has expired. Returns what
 * put() returned; -ESTALE if the hand stopped while it walked through the reasons.
 */
int slow_path_put_reason(struct filter *f, put_reason_fn put, void *arg);
