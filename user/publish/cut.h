/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ends connections that libnats does not end: it waits without a bound for a server that falls silent
 * in the TLS handshake, or before its first PONG, and gives out no descriptor until it is connected.
 */
#ifndef XDP_DEDUP_PUBLISH_CUT_H
#define XDP_DEDUP_PUBLISH_CUT_H

/* Shuts down all TCP connections of this process. Descriptors stay open. */
void cut_connections(void);

#endif
