/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Unread packets in abandoned queues of AF_XDP sockets: the filter no longer delivers, or no longer
 * runs on the interface. For verbs. Logs notes on the result.
 */
#ifndef XDP_DEDUP_UNREAD_H
#define XDP_DEDUP_UNREAD_H

#include "open_filter.h"

/* Makes the next copies of unread packets pass (delivery_want_unread()), and notifies readers that
 * their queues have ended. from: the open filter before the change; f: the filter after it, in
 * which the ids are wanted. No program of `from` still runs, unless it is one of f. Does nothing if
 * `from` does not deliver. Waits up to a second for readers of zero-copy sockets to leave. Logs a
 * note for ids that cannot be wanted.
 */
void unread_want(const struct filter *from, struct filter *f);

#endif
