/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Multicast groups that the host joins on a filter's interfaces. Each has a socket: the kernel
 * passes a group's datagrams to all sockets with the port, but one socket can join only some 20
 * groups, and only groups of its own family.
 */
#ifndef XDP_DEDUP_PUBLISH_INTAKE_GROUPS_H
#define XDP_DEDUP_PUBLISH_INTAKE_GROUPS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#define GROUPS_MAX 512 /* memberships */

struct intake_membership {
	struct in6_addr group; /* IPv4 as ::ffff:a.b.c.d */
	uint32_t ifindex;
	int fd;
	bool is_wanted; /* since the last intake_groups_sweep() */
};

struct intake_groups {
	struct intake_membership list[GROUPS_MAX];
	int cnt;
};

/* Joins the group, unless it is joined. Returns 0; or -errno, -E2BIG if there is no room. */
int intake_groups_want(struct intake_groups *g, const struct in6_addr *group, uint32_t ifindex);

/* Leaves the groups that were not wanted since the last call. */
void intake_groups_sweep(struct intake_groups *g);

#endif
