/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* UDP sockets for events, with what comes beside each datagram: its destination and its time. */
#ifndef XDP_DEDUP_PUBLISH_INTAKE_BIND_H
#define XDP_DEDUP_PUBLISH_INTAKE_BIND_H

#include <stdint.h>
#include <sys/socket.h>

/* Opens a socket at an address (struct sockaddr_in or sockaddr_in6); or at all addresses, of IPv6
 * and IPv4 where the host has both. Returns the socket, or -errno.
 */
int intake_bind(const void *address, socklen_t len);
int intake_bind_any(uint16_t port);

#endif
