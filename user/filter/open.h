/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opens a filter that is loaded, by its name, for the tool and the library alike. Prints nothing;
 * what fails returns a negative errno.
 */
#ifndef XDP_DEDUP_OPEN_H
#define XDP_DEDUP_OPEN_H

#include <stdbool.h>

#include "identity.h"
#include "pins.h"

/* Opens the filter of this name. All maps are of the same filter, also if it is unloaded and
 * another one of its name loaded meanwhile. 0, and the caller closes *out with filter_close().
 * -ENOENT: there is no such filter; -ENODEV: there is no bpffs at BPFFS (another mount may hide it,
 * as under ip netns exec); -EPROTO: the filter is of a format that cannot be read here (format.h),
 * or incomplete; -EACCES or -EPERM: this process may not open it; -EPERM also if others than root
 * may make pins there; another -errno: it cannot be told.
 */
int filter_open(const char *name, struct filter *out);
void filter_close(struct filter *f);

/* Opens what is in +NAME. Errors as of filter_open(). */
int filter_open_beside(const char *name, struct filter *out);

/* Opens, too, the predecessor of an open filter, if it has one, as f->before: its configuration,
 * state and memory alone. f->before->stream is the same stream as f->stream, or -1 if the
 * predecessor had none such. It is closed with *f. 0, also if there is none; -errno as of
 * filter_open().
 */
int filter_open_before(struct filter *f);

/* Opens, too, what is in +NAME beside an open filter, as f->beside: a change that has not ended.
 * Its program may run where that of *f is to; and if it is older than *f, what it counts is among
 * the counters of *f (totals.h). It is closed with *f. 0, also if there is none, or it is
 * incomplete; -errno as of filter_open().
 */
int filter_open_change(struct filter *f);

/* Is one of two open filters, whose names are the same, a later one than the other? */
static inline bool filter_is_later(const struct filter *f, const struct filter *than)
{
	return (int32_t)(f->config->serial - than->config->serial) > 0;
}

/* Is one of two open filters what became of the other by changes while it ran, so that their ids
 * are the same ones? 1 or 0; -errno if that cannot be told.
 */
int filter_is_kin(const struct filter *a, const struct filter *b);

/* Is the open filter still the one that is loaded under its name? 0; -ENOENT if not; another -errno
 * if that cannot be told.
 */
int filter_is_loaded(const struct filter *f);

#endif
