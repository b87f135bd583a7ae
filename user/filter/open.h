/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opens a loaded filter by its name, for the tool and the library. Logs nothing. */
#pragma once

#include <stdbool.h>

#include "identity.h"
#include "pins.h"

/* Opens the filter of this name. All maps belong to one filter, even if it is unloaded meanwhile
 * and another one is loaded with its name. Returns 0, and the caller closes *out with
 * filter_close(). Errors:
 * - -ENOENT: there is no such filter.
 * - -ENODEV: there is no bpffs at BPFFS (another mount may hide it, as under ip netns exec).
 * - -EPROTO: the filter is incomplete, or of a format that cannot be read here (format.h).
 * - -EACCES or -EPERM: this process may not open it; -EPERM also if others than root may make pins
 *   in its directory.
 * - another -errno if that cannot be found out.
 */
int filter_open(const char *name, struct filter *out);
void filter_close(struct filter *f);

/* Opens the filter in +NAME. Returns what filter_open() does. */
int filter_open_staged(const char *name, struct filter *out);

/* Opens the filter in NAME or +NAME, and does not map its blocks: out->blocks is NULL. To map
 * them takes time, as the kernel does it page by page.
 */
int filter_open_without_blocks(const char *directory, struct filter *out);

/* Opens the predecessor of an open filter, if it has one, as f->predecessor, with only its
 * configuration, state and memory. f->predecessor->stream is the predecessor's stream that
 * corresponds to f->stream, or -1. filter_close() closes it with *f. Returns 0, also if there is no
 * predecessor; or -errno as filter_open() does.
 */
int filter_open_predecessor(struct filter *f);

/* Opens the filter in +NAME, which is part of a change that has not ended, as f->staged. Its
 * program may run on interfaces of *f. If it is older than *f, its counts are among the counters of
 * *f (totals.h). filter_close() closes it with *f. Returns 0, also if there is none, or if it is
 * incomplete; or -errno as filter_open() does.
 */
int filter_open_change(struct filter *f);

/* Returns whether *f is a later program of its filter than *than. Both have one name. */
static inline bool filter_is_later(const struct filter *f, const struct filter *than)
{
	return (int32_t)(f->config->serial - than->config->serial) > 0;
}

/* Returns 1 if changes of a running filter have made one of two open filters from the other, so
 * that they share their ids; else 0; -errno if that is unknown.
 */
int filter_is_kin(const struct filter *a, const struct filter *b);

/* Returns 0 if the open filter is still the one that is loaded with its name; -ENOENT if not;
 * another -errno if that is unknown.
 */
int filter_is_loaded(const struct filter *f);

/* Opens a map of an open filter. Returns the descriptor, which the caller closes; -ENOENT if the
 * filter has been unloaded; another -errno as filter_open() does.
 */
int filter_open_map(const struct filter *f, enum pin pin);

/* Separates the filter's program from its predecessor: removes the predecessor's maps from the maps
 * of maps, removes their pins, and marks that for processes that have the predecessor open. Returns
 * 0, also if there is no predecessor; or -errno.
 */
int filter_drop_predecessor(const struct filter *f);

/* Returns 1 if the programs of two open filters share one predecessor, or both have none; else 0;
 * or -errno.
 */
int filter_same_predecessor(const struct filter *a, const struct filter *b);
