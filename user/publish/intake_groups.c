// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "intake_groups.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "fd.h"

bool intake_groups_add(struct intake_groups *g, const struct in6_addr *group, uint32_t ifindex)
{
	const struct intake_membership m = { *group, ifindex };

	for (int i = 0; i < g->cnt; i++)
		if (!memcmp(&g->list[i], &m, sizeof(m)))
			return true;
	if (g->cnt == GROUPS_MAX)
		return false;
	g->list[g->cnt++] = m;
	return true;
}

/* Returns 0, or -errno. */
static int join(int fd, const struct intake_membership *m)
{
	struct group_req r = { .gr_interface = m->ifindex };
	struct sockaddr_in *four = (struct sockaddr_in *)&r.gr_group;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&r.gr_group;
	bool is_four = IN6_IS_ADDR_V4MAPPED(&m->group);

	if (is_four) {
		four->sin_family = AF_INET;
		memcpy(&four->sin_addr, m->group.s6_addr + 12, 4);
	} else {
		six->sin6_family = AF_INET6;
		six->sin6_addr = m->group;
	}
	return setsockopt(fd, is_four ? IPPROTO_IP : IPPROTO_IPV6, MCAST_JOIN_GROUP, &r, sizeof(r))
		       ? -errno
		       : 0;
}

/* Joins the groups of one family, GROUPS_EACH with each socket. Returns 0, or -errno if a socket
 * cannot be opened. Sets g->err to the error of the first group that cannot be joined.
 */
static int join_family(struct intake_groups *g, sa_family_t family)
{
	int fd = -1, joined = 0;

	for (int i = 0; i < g->cnt; i++) {
		bool is_four = IN6_IS_ADDR_V4MAPPED(&g->list[i].group);
		int err;

		if (is_four != (family == AF_INET))
			continue;
		if (joined++ % GROUPS_EACH == 0) {
			fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
			if (fd < 0)
				return -errno;
			g->fds[g->fds_cnt++] = fd;
		}
		err = join(fd, &g->list[i]);
		if (!g->err)
			g->err = err;
	}
	return 0;
}

void intake_groups_change(struct intake_groups *now, struct intake_groups *to)
{
	int err;

	if (!now->err && now->cnt == to->cnt &&
	    !memcmp(now->list, to->list, to->cnt * sizeof(*to->list)))
		return;
	err = join_family(to, AF_INET) ?: join_family(to, AF_INET6);
	if (err) {
		intake_groups_leave(to);
		now->err = err;
		return;
	}
	intake_groups_leave(now);
	*now = *to;
}

void intake_groups_leave(struct intake_groups *g)
{
	for (int i = 0; i < g->fds_cnt; i++)
		fd_close(g->fds[i]);
	memset(g, 0, sizeof(*g));
}
