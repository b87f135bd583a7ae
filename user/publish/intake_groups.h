/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Multicast groups that the host joins on a filter's interfaces. Separate sockets join them: the
 * kernel passes a group's datagrams to all sockets with the port, but one socket can join only
 * some 20 groups, and only groups of its own family.
 */
#ifndef XDP_DEDUP_PUBLISH_INTAKE_GROUPS_H
#define XDP_DEDUP_PUBLISH_INTAKE_GROUPS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#define GROUPS_MAX 512 /* memberships */
#define GROUPS_EACH 16 /* groups of one socket: net.ipv4.igmp_max_memberships is 20 */

struct intake_membership {
	struct in6_addr group; /* IPv4 as ::ffff:a.b.c.d */
	uint32_t ifindex;
};

struct intake_groups {
	struct intake_membership list[GROUPS_MAX];
	int cnt;
	int fds[2 * (GROUPS_MAX / GROUPS_EACH + 1)];
	int fds_cnt;
	int err; /* of the first group that cannot be joined, or of a change; 0: all are joined */
};

/* Adds a membership to a list, unless it is in it. Returns false if there is no room. */
bool intake_groups_add(struct intake_groups *g, const struct in6_addr *group, uint32_t ifindex);

/* Joins the groups in to->list, then leaves those of *now, and replaces *now by *to. Does nothing
 * if the lists are equal and all groups were joined. If a socket cannot be opened, the groups of
 * *now stay joined, now->err is the reason, and the next call tries again.
 */
void intake_groups_change(struct intake_groups *now, struct intake_groups *to);

void intake_groups_leave(struct intake_groups *g);

#endif
