/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The operations on filters. Each one checks the wish, takes the lock (lock.h) and releases it at
 * its end; it reports what it has done (diag_done()) and logs failures. Returns an enum exit_code:
 * EXIT_MISUSED if the wish is incomplete, or its parts do not fit together. After a failure a
 * filter is as it was, or there is none; or the message says that the change is made, and what is
 * left to the next command.
 */
#pragma once

#include "exit.h"
#include "wish.h"

/* Loads a new filter at w->where. Its name is w->name, by default that of its first interface.
 * With w->replace: puts this version's program, and the given values, in the place of the filter
 * w->name, or of the filter on the first interface; makes a new filter if there is none.
 */
int control_load(const struct wish *w);

/* Attaches the filter w->name to those interfaces at w->where that it had, and that have come back
 * under their names. Waits for no lock, and ends no change of a killed process. Returns 0; -EAGAIN
 * (not logged): control_load() with w->replace and w->stays is to do it; or another -errno (logged).
 */
int control_attach_returned(const struct wish *w);

/* Checks what control_load() checks about the filter, except its ports and its interfaces. Returns
 * 0; or -EINVAL (logged).
 */
int control_check_filter(const struct wish *w);

/* Puts another program over the memory of the filter w->name: with the given values, on the
 * interfaces on which it runs, with w->add and without w->remove.
 */
int control_set(const struct wish *w);

/* Replaces the memory of the filter w->name by one of the given size and kind. */
int control_resize(const struct wish *w);

/* Writes a snapshot of the filter w->name to w->file. Takes no lock. From its beginning on,
 * SIGINT, SIGTERM and SIGHUP end this operation, but not the process; SIGXFSZ is ignored.
 */
int control_save(const struct wish *w);

/* Makes a filter w->name with the snapshot in w->file, at w->where, by default where the filter
 * ran when it was saved. If a filter of this name runs here, adds the snapshot's ids to it.
 */
int control_restore(const struct wish *w);

/* Detaches the filters on the interfaces at w->where, or the filter w->name, or all filters.
 * Removes the pins of those that then run nowhere.
 */
int control_unload(const struct wish *w);

/* Updates which MACs are this host's in the filter w->name, by default in all filters. */
int control_refresh(const struct wish *w);
