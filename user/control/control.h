/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What can be done with filters. Each operation checks what is asked for, takes the lock (lock.h)
 * and releases it at its end; it reports what it has done (diag_done()) and logs failures. Returns
 * an enum exit_code: EXIT_MISUSED if what is asked for is not whole or does not fit together. A
 * failure leaves a filter as it was, or none.
 */
#ifndef XDP_DEDUP_CONTROL_H
#define XDP_DEDUP_CONTROL_H

#include "exit.h"
#include "wish.h"

/* Loads a new filter at w->where; its name is w->name, or by default that of its first interface.
 * With w->replace: puts this version's program, and what is given, in the place of the filter
 * w->name, or of the one that runs on the first interface; makes a new filter if there is none.
 */
int control_load(const struct wish *w);

/* Checks what control_load() does of the filter, but neither its ports nor its interfaces. Returns
 * 0; or -EINVAL (logged).
 */
int control_check_filter(const struct wish *w);

/* Puts another program over the memory of the filter w->name: with what is given, and on the
 * interfaces on which it runs, with w->add and without w->remove.
 */
int control_set(const struct wish *w);

/* Puts another memory in the place of the one of the filter w->name, of the size and kind given. */
int control_resize(const struct wish *w);

/* Writes what the filter w->name remembers to w->file. Takes no lock. From its beginning on SIGINT,
 * SIGTERM and SIGHUP do not end the process, but this operation, and SIGXFSZ is ignored.
 */
int control_save(const struct wish *w);

/* Makes a filter w->name that begins with what is in w->file, at w->where, or by default where it
 * ran when it was saved. If a filter of this name runs here, gives it what is in the file.
 */
int control_restore(const struct wish *w);

/* Detaches the filters on the interfaces at w->where, or the filter w->name, or all filters.
 * Removes the pins of those that then run nowhere.
 */
int control_unload(const struct wish *w);

/* Tells the filter w->name, by default all filters, which MACs are this host's now. */
int control_refresh(const struct wish *w);

#endif
