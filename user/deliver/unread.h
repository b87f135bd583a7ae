/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What readers of AF_XDP sockets have not read where nobody will open their queues again: the
 * filter delivers no more, or has left the interface. For verbs; notes what it has done.
 */
#ifndef XDP_DEDUP_UNREAD_H
#define XDP_DEDUP_UNREAD_H

#include "open_filter.h"

/* Tells readers that run, and has the next copies of such packets pass (delivery_want_unread()), of
 * what the open filter `from` delivered; f: what it is now, in which the ids are wanted. No program
 * of `from` runs any more that f does not have. Where nothing is delivered it does nothing; what
 * cannot be wanted is noted.
 */
void unread_want(const struct filter *from, struct filter *f);

#endif
