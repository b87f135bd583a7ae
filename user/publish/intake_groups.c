// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "intake_groups.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Returns a socket that has joined the group; or -errno. */
static int join(const struct in6_addr *group, uint32_t ifindex)
{
	struct group_req r = { .gr_interface = ifindex };
	struct sockaddr_in *four = (struct sockaddr_in *)&r.gr_group;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&r.gr_group;
	bool is_four = IN6_IS_ADDR_V4MAPPED(group);
	int fd = socket(is_four ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return -errno;
	if (is_four) {
		four->sin_family = AF_INET;
		memcpy(&four->sin_addr, group->s6_addr + 12, 4);
	} else {
		six->sin6_family = AF_INET6;
		six->sin6_addr = *group;
	}
	if (!setsockopt(fd, is_four ? IPPROTO_IP : IPPROTO_IPV6, MCAST_JOIN_GROUP, &r, sizeof(r)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int intake_groups_want(struct intake_groups *g, const struct in6_addr *group, uint32_t ifindex)
{
	int fd;

	for (int i = 0; i < g->cnt; i++)
		if (g->list[i].ifindex == ifindex && IN6_ARE_ADDR_EQUAL(&g->list[i].group, group)) {
			g->list[i].is_wanted = true;
			return 0;
		}
	if (g->cnt == GROUPS_MAX)
		return -E2BIG;
	fd = join(group, ifindex);
	if (fd < 0)
		return fd;
	g->list[g->cnt++] = (struct intake_membership){ *group, ifindex, fd, .is_wanted = true };
	return 0;
}

void intake_groups_sweep(struct intake_groups *g)
{
	int kept = 0;

	for (int i = 0; i < g->cnt; i++) {
		if (g->list[i].is_wanted)
			g->list[kept++] = g->list[i];
		else
			close(g->list[i].fd);
	}
	g->cnt = kept;
	for (int i = 0; i < kept; i++)
		g->list[i].is_wanted = false;
}
