/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Filters with streams that open tunnels (include/tunnel.h): what was a frame becomes the inner
 * one. include/decapsulate.h has the formats.
 */
#pragma once

#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "decapsulate.h"
#include "destination.bpf.h"
#include "digest.bpf.h"
#include "frame.bpf.h"
#include "maps.bpf.h"

/* So far behind its limit is a base that a frame does not have: no field can lie before it. */
#define NO_BASE 64

/* The limit of `outer` in a frame that is in no tunnel, which no other frame has, and a base far
 * behind it. They fit a frame of any length, so that most frames find them set.
 */
#define NO_OUTER 8
#define NO_OUTER_BASE (1U << 31)

/* The packet that the frame is so far. */
static __always_inline struct dedup_walk walk_of(struct xdp_md *ctx, const struct frame *f)
{
	struct dedup_walk w = { 0 };
	__u64 at = f->base[DEDUP_NETWORK];

	DEDUP_BOUND(at, FRAME_OFFSET_MASK);
	w.data = (void *)(long)ctx->data;
	w.end = (void *)(long)ctx->data_end;
	w.pos = w.data + at;
	w.left = f->limit[DEDUP_FRAME] - f->base[DEDUP_NETWORK];
	w.proto = bpf_ntohs(f->proto);
	return w;
}

/* May the tunnel at w->pos be opened, as far as --outer-to tells? It asks the outermost header. */
static __always_inline bool is_tunnel_to(const struct dedup_walk *w, const struct frame *f)
{
	struct packet pkt = { .pos = (void *)w->pos, .end = (void *)w->end };

	return !config.policy.outer_to_cnt || f->carried ||
	       is_to_named(&pkt, f->proto, config.policy.outer_to_first,
			   config.policy.outer_to4_cnt, config.policy.outer_to_cnt);
}

/* Stores where the frame begins, for digest(). Only a digest of a whole frame reads it, so a filter
 * whose only stream has no such digest does without.
 */
static __always_inline void set_front(__u32 front)
{
	const struct dedup_policy *policy = &configuration()->policy;
	struct digest_input *in;

	if (policy->streams_cnt == 1 && policy->streams[0].digest != DEDUP_DIGEST_FRAME)
		return;
	in = cpu_digest_input();
	if (in)
		in->front = front;
}

/* The frame is what the walk has come to. */
static __always_inline void enter(struct frame *f, const struct dedup_walk *w)
{
	__u32 at = dedup_offset(w), limit = at + w->left;

	f->base[DEDUP_OUTER] = w->outer;
	f->base[DEDUP_FRAME] = w->ethernet;
	f->base[DEDUP_TAG] = f->base[DEDUP_NETWORK] = f->limit[DEDUP_OUTER] = at;
	f->base[DEDUP_END] = limit;
	f->limit[DEDUP_FRAME] = f->limit[DEDUP_TAG] = f->limit[DEDUP_END] = f->len = limit;
	f->proto = bpf_htons(w->proto);
	if (w->ethernet == DEDUP_NO_ETHERNET)
		f->base[DEDUP_FRAME] = f->base[DEDUP_TAG] = limit + NO_BASE;
	else
		f->limit[DEDUP_OUTER] = w->ethernet;
	set_front(f->base[DEDUP_FRAME]);
}

/* Has the inner packet an Ethernet header? */
static __always_inline bool is_of_ethernet(const struct frame *f)
{
	return f->base[DEDUP_FRAME] <= f->limit[DEDUP_FRAME];
}

/* Opens one tunnel. Returns what dedup_open_tunnel() does. A global function: verified once, not
 * for each level.
 */
__noinline int open_tunnel(struct xdp_md *ctx)
{
	struct frame *f = cpu_frame();
	bool carried;
	struct dedup_walk w;
	int result;

	if (!config.tunnels.kinds || !f)
		return DEDUP_CLOSED;
	w = walk_of(ctx, f);
	carried = w.proto == ETH_P_IP || w.proto == ETH_P_IPV6;
	if (!is_tunnel_to(&w, f))
		return DEDUP_CLOSED;
	result = dedup_open_tunnel(&w, &configuration()->tunnels);
	if (result != DEDUP_OPENED)
		return result;
	f->tunnels |= 1U << (w.kind & 31);
	if (w.tags > DEDUP_TAGS)
		f->tunnels |= DEDUP_TUNNEL_BIT(vlan);
	f->carried |= carried;
	enter(f, &w);
	return result;
}

/* Steps over the VLAN tags that follow the first ones. PARSED; or a reason. */
__noinline int skip_more_tags(struct xdp_md *ctx)
{
	struct frame *f = cpu_frame();
	struct dedup_walk w;

	if (!(config.tunnels.kinds & DEDUP_TUNNEL_BIT(vlan)) || !f)
		return PARSED;
	w = walk_of(ctx, f);
	w.tags = DEDUP_TAGS;
	if (!dedup_skip_tags(&w, DEDUP_TAGS_MAX))
		return DEDUP_REASON_truncated;
	f->tunnels |= DEDUP_TUNNEL_BIT(vlan);
	f->base[DEDUP_TAG] = f->base[DEDUP_NETWORK] = dedup_offset(&w);
	f->proto = bpf_htons(w.proto);
	return PARSED;
}

/* The frame is in no tunnel. If the one before was in one, this puts the places back. */
static __always_inline void leave_tunnel(struct frame *f)
{
	if (likely(!f->tunnels && f->limit[DEDUP_OUTER] == NO_OUTER))
		return;
	f->tunnels = f->carried = 0;
	f->limit[DEDUP_OUTER] = NO_OUTER;
	f->base[DEDUP_OUTER] = NO_OUTER_BASE;
	f->base[DEDUP_FRAME] = 0;
	set_front(0);
}

/* Is it a port of a tunnel? */
static __always_inline bool is_tunnel_port(__be16 port)
{
	const struct dedup_tunnels *t = &configuration()->tunnels;
	__u32 cnt = t->ports_cnt;
	__u16 host = bpf_ntohs(port);

	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_TUNNEL_PORTS_MAX; i++) {
		if (i < cnt && t->ports[i].port == host)
			return true;
	}
	return false;
}

/* May an IP packet of this protocol, which is not UDP, be a tunnel? Extension headers hide that. */
static __always_inline bool may_carry(__u8 protocol)
{
	if (likely(protocol == IPPROTO_TCP))
		return false;
	return protocol == IPPROTO_GRE || protocol == IPPROTO_IPIP || protocol == IPPROTO_IPV6 ||
	       protocol == IPPROTO_MPLS || protocol == IPPROTO_HOPOPTS ||
	       protocol == IPPROTO_ROUTING || protocol == IPPROTO_DSTOPTS || protocol == IPPROTO_AH;
}

/* May a frame of this EtherType, which is not IP, be one? */
static __always_inline bool may_link_carry(__u16 proto)
{
	return proto == ETH_P_MPLS_UC || proto == ETH_P_MPLS_MC || proto == ETH_P_PPP_SES ||
	       dedup_is_tag(proto);
}

/* May the packet be a tunnel? For most that are none this says no, after few instructions. */
static __always_inline bool may_be_tunnel(void *pos, void *end, __be16 proto)
{
	struct ipv6hdr *ip6 = pos;
	struct iphdr *ip4 = pos;
	struct udphdr *udp;
	__u8 protocol;

	if (proto == bpf_htons(ETH_P_IP)) {
		udp = pos + sizeof(*ip4);
		if ((void *)udp > end)
			return false;
		if (*(__u8 *)pos != 0x45)
			return true;
		protocol = ip4->protocol;
	} else if (proto == bpf_htons(ETH_P_IPV6)) {
		udp = pos + sizeof(*ip6);
		if ((void *)udp > end)
			return false;
		protocol = ip6->nexthdr;
	} else {
		return may_link_carry(bpf_ntohs(proto));
	}
	if (protocol == IPPROTO_UDP)
		return (void *)(udp + 1) <= end && is_tunnel_port(udp->dest);
	return may_carry(protocol);
}

/* Opens the tunnel at *pkt if it is a usual one, with no other in it: without a call, which costs
 * as much as 50 instructions where returns are guarded. False: parse_inside() finds out what it is.
 */
static __always_inline bool open_usual_tunnel(const void *data, struct packet *pkt, struct frame *f)
{
	struct dedup_walk w = {
		.data = data,
		.end = pkt->end,
		.pos = pkt->pos,
		.left = f->len - f->base[DEDUP_NETWORK],
		.proto = bpf_ntohs(f->proto),
	};

	barrier_var(w.data); /* else the compiler keeps a part of a pointer */
	if (config.policy.outer_to_cnt ||
	    dedup_open_usual(&w, &configuration()->tunnels) != DEDUP_OPENED)
		return false;
	dedup_join_paths(&w);
	if (may_be_tunnel((void *)w.pos, (void *)w.end, bpf_htons(w.proto)))
		return false;
	f->tunnels = 1U << (w.kind & 31);
	enter(f, &w);
	pkt->pos = (void *)w.pos;
	return true;
}

/* Opens the tunnels of the frame in cpu_frame(). PARSED: there are none, or it is the inner frame
 * now; or a reason.
 */
static __always_inline int open_tunnels(struct xdp_md *ctx, struct frame *f)
{
	struct dedup_walk w;
	int result;

	leave_tunnel(f);
	if (config.tunnels.kinds & DEDUP_TUNNEL_BIT(vlan) && dedup_is_tag(bpf_ntohs(f->proto))) {
		result = skip_more_tags(ctx);
		if (result != PARSED)
			return result;
	}
	for (int i = 0; i < DEDUP_TUNNEL_LEVELS; i++) {
		w = walk_of(ctx, f);
		if (!may_be_tunnel((void *)w.pos, (void *)w.end, f->proto))
			break;
		result = open_tunnel(ctx);
		if (result == DEDUP_CLOSED)
			break;
		if (result != DEDUP_OPENED)
			return result;
	}
	return PARSED;
}
