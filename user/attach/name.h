/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The name of a filter that is to be made: the default, and whether it is free. */
#ifndef XDP_DEDUP_NAME_H
#define XDP_DEDUP_NAME_H

#include "open_filter.h"

/* Writes the default name of a filter whose first interface is this one: the interface's name.
 * Each character that a filter's name cannot have becomes '_', with a note.
 */
void name_default(const char *ifname, char name[NAME_MAX_LEN + 1]);

/* Makes sure that no filter has this name: removes pins that a killed load has left under it.
 * Returns 0; or -errno (logged) if a filter with this name is in use. The caller holds the lock of
 * lock_take().
 */
int name_claim(const char *name);

/* Checks, as far as that changes nothing, whether name_claim() would succeed. Returns 0, with a
 * note if there are pins and only name_claim() can find out whether they are in use; or -errno
 * (logged) if a filter of this name runs on an interface here, or if that is unknown.
 */
int name_look(const char *name);

#endif
