/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The name of a filter that is to be made: the default, and whether it is free. */
#pragma once

#include "open_filter.h"

/* Writes the default name of a filter whose first interface is this one: the interface's name.
 * Each character that a filter's name cannot have becomes '_', with a note.
 */
void name_default(const char *ifname, char name[NAME_MAX_LEN + 1]);

/* Does a program of the filter run on an interface, in any network namespace? Returns 1 or 0; or
 * -errno (not logged).
 */
int name_is_in_use(const char *name);

/* Makes sure that no filter has this name: removes pins that a killed load has left under it.
 * Returns 0; or -errno (logged) if a filter with this name is in use. The caller holds the lock of
 * lock_take().
 */
int name_claim(const char *name);

/* Checks whether name_claim() would succeed, and changes nothing. Returns 0, with a note if there
 * are pins that nothing uses; or -errno (logged).
 */
int name_check(const char *name);
