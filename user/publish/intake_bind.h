/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* UDP sockets for events, which report each datagram's destination and time. */
#ifndef XDP_DEDUP_PUBLISH_INTAKE_BIND_H
#define XDP_DEDUP_PUBLISH_INTAKE_BIND_H

#include <stdint.h>
#include <sys/socket.h>

/* Opens a socket bound to an address (struct sockaddr_in or sockaddr_in6); or to all addresses, of
 * IPv6 and IPv4 if the host has both. Returns the socket, or -errno.
 */
int intake_bind(const void *address, socklen_t len);
int intake_bind_any(uint16_t port);

#endif
