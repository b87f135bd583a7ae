// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "intake_bind.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <unistd.h>

#define BUFFER_BYTES (8 << 20) /* a socket's buffer, for datagrams between two reads */

static void set(int fd, int level, int option, int value)
{
	(void)!setsockopt(fd, level, option, &value, sizeof(value));
}

/* Requests each datagram's destination and time as ancillary data. Also requests datagrams of
 * groups that other sockets have joined: an IPv6 socket needs IP_MULTICAST_ALL for those of IPv4.
 */
static void set_options(int fd, sa_family_t family)
{
	int bytes = BUFFER_BYTES;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		set(fd, SOL_SOCKET, SO_RCVBUF, bytes);
	set(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
	set(fd, IPPROTO_IP, IP_PKTINFO, 1);
	set(fd, IPPROTO_IP, IP_MULTICAST_ALL, 1);
	if (family == AF_INET6)
		set(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
}

int intake_bind(const void *address, socklen_t len)
{
	sa_family_t family = ((const struct sockaddr *)address)->sa_family;
	int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), err;

	if (fd < 0)
		return -errno;
	if (family == AF_INET6)
		set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
	set_options(fd, family);
	if (!bind(fd, address, len))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int intake_bind_any(uint16_t port)
{
	const struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	const struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = intake_bind(&six, sizeof(six));

	return fd == -EAFNOSUPPORT || fd == -EADDRNOTAVAIL ? intake_bind(&four, sizeof(four)) : fd;
}
