/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tunnels that a filter opens. A packet that carries another one is the outer one, the other
 * one is the inner one. decapsulate.h opens them.
 */
#pragma once

#include <linux/types.h>

/* The kinds, by the names that users give them, and their usual UDP ports. */
#define DEDUP_TUNNELS(X)     \
	X(vlan, 0, 0)        \
	X(mpls, 0, 0)        \
	X(pppoe, 0, 0)       \
	X(ipip, 0, 0)        \
	X(gre, 0, 0)         \
	X(erspan, 0, 0)      \
	X(vxlan, 4789, 4790) \
	X(geneve, 6081, 0)   \
	X(gtp, 2152, 0)      \
	X(tzsp, 37008, 0)    \
	X(erm, 7932, 0)

enum __attribute__((packed)) dedup_tunnel {
#define X(name, port, other) DEDUP_TUNNEL_##name,
	DEDUP_TUNNELS(X)
#undef X
		DEDUP_TUNNELS_CNT,
	DEDUP_TUNNEL_NONE = 0xffff, /* packs the enum to two bytes: bpftool shows names */
};
#define DEDUP_TUNNELS_ALL ((1U << DEDUP_TUNNELS_CNT) - 1)
#define DEDUP_TUNNEL_BIT(name) (1U << DEDUP_TUNNEL_##name)

#define DEDUP_TUNNEL_PORTS_MAX 8 /* UDP ports, of all kinds */

struct dedup_tunnel_port {
	__u16 port; /* in host order */
	enum dedup_tunnel kind;
};
_Static_assert(sizeof(struct dedup_tunnel_port) == 4, "an enum of two bytes");

/* Which tunnels a profile, a filter or a survey opens. */
struct dedup_tunnels {
	__u32 kinds; /* DEDUP_TUNNEL_BITs; 0: no tunnel is opened */
	__u32 ports_cnt;
	struct dedup_tunnel_port ports[DEDUP_TUNNEL_PORTS_MAX];
};
