/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets that readers of AF_XDP sockets have not read when nobody will open their queues again:
 * the filter delivers no more, or has left the interface. For verbs. Logs notes on what it has
 * done.
 */
#ifndef XDP_DEDUP_UNREAD_H
#define XDP_DEDUP_UNREAD_H

#include "open_filter.h"

/* Has the next copies of unread packets pass (delivery_want_unread()), and tells readers that run
 * that their queues have ended. from: the open filter as it delivered; f: the filter as it is now,
 * in which the ids are wanted. Every program of `from` that still runs is one of f. Does nothing
 * if `from` does not deliver. Waits up to a second for readers of zero-copy sockets to leave. Logs
 * a note for ids that cannot be wanted.
 */
void unread_want(const struct filter *from, struct filter *f);

#endif
