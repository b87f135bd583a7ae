// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <netinet/in.h>

#include "fd.h"
#include "scrapes.h"

#ifndef IPV6_FREEBIND
#define IPV6_FREEBIND 78
#endif

#define WAITING_MAX 4096 /* connections, until the program takes them: so many may come at once */

/* Binds, also to an address that no interface has yet, as while a host boots. */
static int bind_to(int fd, const struct socket_address *a, bool *is_absent)
{
	const struct sockaddr *addr = (const struct sockaddr *)&a->addr;
	bool is_v4 = a->addr.ss_family == AF_INET;
	int one = 1;

	*is_absent = bind(fd, addr, a->len) != 0;
	if (!*is_absent)
		return 0;
	if (errno != EADDRNOTAVAIL)
		return -errno;
	if (setsockopt(fd, is_v4 ? IPPROTO_IP : IPPROTO_IPV6, is_v4 ? IP_FREEBIND : IPV6_FREEBIND,
		       &one, sizeof(one)) ||
	    bind(fd, addr, a->len))
		return -errno;
	return 0;
}

int scrapes_listen(const struct socket_address *a, bool *is_absent)
{
	int fd = socket(a->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1;
	int err = fd < 0 ? -errno : 0;

	/* So that a restart need not wait until connections of before are forgotten. */
	if (!err && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)))
		err = -errno;
	if (!err)
		err = bind_to(fd, a, is_absent);
	if (!err && listen(fd, WAITING_MAX))
		err = -errno;
	if (!err)
		return fd;
	fd_close(fd);
	return err;
}
