// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "iface.h"

#include <sys/socket.h>

#include "fd.h"

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

uint64_t iface_local_netns(void)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len))
		cookie = 0;
	fd_close(fd);
	return cookie;
}

bool iface_is_local(const struct dedup_iface *iface)
{
	return iface->ifindex && iface->netns && iface->netns == iface_local_netns();
}
