/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The end of delivery to queues: the filter is unloaded, no longer delivers, or no longer runs on
 * the interface; and the packets that are unread then. For verbs. Logs notes on the result.
 */
#pragma once

#include "delivery.h"

/* Notifies the owners of open sockets that the filter is unloaded (DEDUP_ENDED). Waits up to a
 * second until they have closed their zero-copy sockets, and then until the kernel has removed
 * these from the driver's queues. Without CAP_NET_RAW it waits for the full second.
 */
void unread_end(const struct delivery *d);

/* Makes the next copies of unread packets pass, and notifies readers, in abandoned slots: those of
 * interfaces that are not in f's record, or all if f does not deliver. from: the open filter before
 * the change; f: the filter after it, in which the ids are wanted. No program of `from` still runs,
 * unless it is one of f. Does nothing if `from` does not deliver. Then waits
 * for these readers as unread_end() does. Logs a note for ids that cannot be wanted. Without
 * CAP_NET_RAW it is unknown which slots have a socket: then each slot stays.
 */
void unread_want(const struct filter *from, struct filter *f);
