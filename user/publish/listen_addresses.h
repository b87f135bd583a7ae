/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The addresses of --listen: [ADDRESS:]PORT,... A port alone means that port of all addresses. */
#ifndef XDP_DEDUP_PUBLISH_LISTEN_ADDRESSES_H
#define XDP_DEDUP_PUBLISH_LISTEN_ADDRESSES_H

#define LISTEN_ADDRESSES_MAX 64

/* Checks the text. Returns NULL if it is valid, else what the user should give. Two sockets cannot
 * have one port of one address.
 */
const char *listen_addresses_wrong(const char *text);

#endif
