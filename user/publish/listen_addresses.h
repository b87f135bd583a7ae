/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The addresses of --listen: [ADDRESS:]PORT,... A port without an address is of all addresses. */
#ifndef XDP_DEDUP_PUBLISH_LISTEN_ADDRESSES_H
#define XDP_DEDUP_PUBLISH_LISTEN_ADDRESSES_H

#define LISTEN_ADDRESSES_MAX 64

/* Returns NULL if a socket can be opened for each address of the text; else what the text must be.
 * Two sockets cannot have one port of one address.
 */
const char *listen_addresses_wrong(const char *text);

#endif
