/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The name of a filter that is to be made: which one it is, and whether another one has it. */
#ifndef XDP_DEDUP_NAME_H
#define XDP_DEDUP_NAME_H

#include "open_filter.h"

/* The name for a filter whose first interface is this one: the interface's, in which characters
 * that a filter's name cannot have became '_', which is noted.
 */
void name_default(const char *ifname, char name[NAME_MAX_LEN + 1]);

/* 0 if no filter has this name; pins that a killed load has left under it are removed. -errno
 * (logged) if one is in use. The caller holds the lock of lock_take().
 */
int name_claim(const char *name);

/* What of that can be told without changing anything: 0, after a note if there are pins of which
 * only name_claim() can tell whether anything uses them; or -errno (logged) if a filter of
 * this name runs on an interface here, or it cannot be told.
 */
int name_look(const char *name);

#endif
