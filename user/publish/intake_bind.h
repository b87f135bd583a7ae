/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* UDP sockets for events, with what comes beside each datagram: its destination and its time. */
#ifndef XDP_DEDUP_PUBLISH_INTAKE_BIND_H
#define XDP_DEDUP_PUBLISH_INTAKE_BIND_H

#include <stdint.h>

#include "socket_address.h"

/* Opens a socket at an address; or at all addresses, of IPv6 and IPv4 where the host has both.
 * Returns the socket, or -errno.
 */
int intake_bind(const struct socket_address *a);
int intake_bind_any(uint16_t port);

#endif
