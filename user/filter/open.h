/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opens a loaded filter by its name, for the tool and the library. Logs nothing; a failure returns
 * -errno.
 */
#ifndef XDP_DEDUP_OPEN_H
#define XDP_DEDUP_OPEN_H

#include <stdbool.h>

#include "identity.h"
#include "pins.h"

/* Opens the filter of this name. All maps belong to one filter, even if it is unloaded meanwhile
 * and another one is loaded under its name. Returns 0, and the caller closes *out with
 * filter_close(). Errors:
 * - -ENOENT: there is no such filter.
 * - -ENODEV: there is no bpffs at BPFFS (another mount may hide it, as under ip netns exec).
 * - -EPROTO: the filter is incomplete, or of a format that cannot be read here (format.h).
 * - -EACCES or -EPERM: this process may not open it; -EPERM also if others than root may make pins
 *   in its directory.
 * - another -errno: that is unknown.
 */
int filter_open(const char *name, struct filter *out);
void filter_close(struct filter *f);

/* Opens the filter in +NAME, or in the directory NAME or +NAME. Errors as of filter_open(). */
int filter_open_staged(const char *name, struct filter *out);
int filter_open_directory(const char *directory, struct filter *out);

/* Opens also the predecessor of an open filter, if it has one, as f->predecessor: its
 * configuration, state and memory alone. f->predecessor->stream is the predecessor's stream that
 * corresponds to f->stream, or -1. filter_close() closes it with *f. Returns 0, also if there is
 * none; -errno as filter_open() does.
 */
int filter_open_predecessor(struct filter *f);

/* Opens also the filter in +NAME, as f->staged: a change that has not ended. Its program may run
 * where that of *f is to run; if it is older than *f, its counts are among the counters of *f
 * (totals.h). filter_close() closes it with *f. Returns 0, also if there is none, or if it is
 * incomplete; -errno as filter_open() does.
 */
int filter_open_change(struct filter *f);

/* Of two open filters with one name: is *f later than *than? */
static inline bool filter_is_later(const struct filter *f, const struct filter *than)
{
	return (int32_t)(f->config->serial - than->config->serial) > 0;
}

/* Have two open filters one set of ids, as one became the other by changes while it ran? Returns 1
 * or 0; -errno if that is unknown.
 */
int filter_is_kin(const struct filter *a, const struct filter *b);

/* Is the open filter still the one that is loaded under its name? Returns 0 if so; -ENOENT if not;
 * another -errno if that is unknown.
 */
int filter_is_loaded(const struct filter *f);

#endif
