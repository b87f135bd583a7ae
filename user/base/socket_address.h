/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a program listens: [ADDRESS:]PORT. Logs nothing. */
#pragma once

#include <sys/socket.h>

struct socket_address {
	struct sockaddr_storage addr;
	socklen_t len;
};

/* Reads [ADDRESS:]PORT: a numeric address, IPv6 in brackets; 127.0.0.1 by default. Returns 0, or
 * -EINVAL.
 */
int socket_address_read(const char *text, struct socket_address *out);
