/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Filters with streams, first step: what a frame is, and where its headers and their ends are. */
#pragma once

#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "destination.bpf.h"
#include "frame.bpf.h"
#include "maps.bpf.h"
#include "parse.bpf.h"
#include "tunnel.bpf.h"

/* What parse_frame() returns for a packet in a tunnel, in a filter with several streams:
 * see_inside() finds its stream.
 */
#define INSIDE (-9)

/* Takes in the IP packet at pkt->pos, whatever it carries. PARSED, or the reason why it is none. */
static __always_inline int parse_network(const struct packet *pkt, struct frame *f)
{
	struct iphdr *ip4 = pkt->pos;
	struct ipv6hdr *ip6 = pkt->pos;
	__u32 len;

	if (f->proto == bpf_htons(ETH_P_IP)) {
		if ((void *)(ip4 + 1) > pkt->end)
			return DEDUP_REASON_truncated;
		len = bpf_ntohs(ip4->tot_len);
		if (ip4->version != 4 || ip4->ihl < 5 || len < ip4->ihl * 4)
			return DEDUP_REASON_bad_ip;
	} else {
		if ((void *)(ip6 + 1) > pkt->end)
			return DEDUP_REASON_truncated;
		len = bpf_ntohs(ip6->payload_len);
		/* The length of a jumbogram is elsewhere (RFC 2675), that of a packet to be
		 * segmented is not there at all. All of them would have one digest.
		 */
		if (ip6->version != 6 || (!len && ip6->nexthdr != IPPROTO_NONE))
			return DEDUP_REASON_bad_ip;
		len += sizeof(*ip6);
	}
	len += f->base[DEDUP_NETWORK];
	if (len > f->limit[DEDUP_FRAME])
		return DEDUP_REASON_truncated;
	f->len = f->limit[DEDUP_NETWORK] = len;
	return PARSED;
}

/* Puts *pkt at the packet behind the frame's link header. */
static __always_inline void at_network(struct xdp_md *ctx, const struct frame *f, struct packet *pkt)
{
	__u64 at = f->base[DEDUP_NETWORK];

	DEDUP_BOUND(at, FRAME_OFFSET_MASK);
	pkt->pos = (void *)(long)ctx->data + at;
	pkt->end = (void *)(long)ctx->data_end;
}

/* Parses the packet at *pkt, behind the link header, down to the payload of a datagram to one of
 * our ports, and sets f->udp.
 */
static __always_inline void parse_to_payload(struct xdp_md *ctx, struct packet *pkt, struct frame *f)
{
	if (f->proto == bpf_htons(ETH_P_IP))
		f->udp = parse_ipv4(pkt);
	else if (f->proto == bpf_htons(ETH_P_IPV6))
		f->udp = parse_ipv6(ctx, pkt);
	if (f->udp == PARSED)
		f->udp = parse_udp(ctx, pkt);
}

/* Takes in the payload at *pkt, at this frame offset. */
static __always_inline void enter_payload(const struct packet *pkt, struct frame *f, __u32 at)
{
	f->port = bpf_ntohs(((struct udphdr *)pkt->pos - 1)->dest);
	f->len = f->limit[DEDUP_NETWORK] = pkt->len;
	f->base[DEDUP_PAYLOAD] = at;
	f->limit[DEDUP_PAYLOAD] = f->base[DEDUP_PAYLOAD] + pkt->payload_len;
}

static __always_inline bool is_ip(const struct frame *f)
{
	return f->proto == bpf_htons(ETH_P_IP) || f->proto == bpf_htons(ETH_P_IPV6);
}

/* What parse_frame() returns for a packet in a tunnel. A filter with one stream opens no other
 * tunnels than that stream.
 */
static __always_inline int reason_inside(const struct frame *f)
{
	const struct dedup_config *cfg = configuration();

	if (cfg->policy.streams_cnt > 1)
		return INSIDE;
	if (cfg->policy.streams[0].layer == DEDUP_ETHERNET && !is_of_ethernet(f))
		return DEDUP_REASON_ignored;
	return PARSED;
}

/* Takes in the packet at *pkt, in a filter that opens tunnels. Returns as parse_frame(). */
static __always_inline int take_in_packet(struct xdp_md *ctx, struct packet *pkt, struct frame *f)
{
	__u64 at;

	if (is_ip(f))
		f->ip = parse_network(pkt, f);
	if (config.policy.ports_cnt) {
		parse_to_payload(ctx, pkt, f);
		/* parse_udp() has compared with the outer frame's end. */
		if (pkt->len > f->limit[DEDUP_FRAME])
			f->udp = DEDUP_REASON_truncated;
		if (f->udp == PARSED) {
			at = pkt->pos - (void *)(long)ctx->data;
			barrier_var(at); /* else the compiler keeps a part of a pointer */
			enter_payload(pkt, f, at);
		}
	}
	return f->tunnels ? reason_inside(f) : PARSED;
}

/* The frame in cpu_frame(), after its link header, if it may be any tunnel. Returns as
 * parse_frame(). A global function, too.
 */
__noinline int parse_inside(struct xdp_md *ctx)
{
	struct frame *f = cpu_frame();
	struct packet pkt = { 0 };
	int reason;

	if (!config.tunnels.kinds || !f)
		return DEDUP_REASON_ignored;
	reason = open_tunnels(ctx, f);
	if (reason != PARSED)
		return reason;
	at_network(ctx, f, &pkt);
	return take_in_packet(ctx, &pkt, f);
}

/* The frame whose packet is at *pkt, in a filter that opens tunnels. Returns as parse_frame(). */
static __always_inline int parse_opened(struct xdp_md *ctx, struct packet *pkt, struct frame *f)
{
	if (!may_be_tunnel(pkt->pos, pkt->end, f->proto))
		leave_tunnel(f);
	else if (!open_usual_tunnel((void *)(long)ctx->data, pkt, f))
		return parse_inside(ctx);
	return take_in_packet(ctx, pkt, f);
}

/* Finds out what the frame is. PARSED; INSIDE; or the reason why it is none of any stream. A global
 * function: verified once, and not again what follows it for each path through it.
 */
__noinline int parse_frame(struct xdp_md *ctx)
{
	struct frame *f = cpu_frame();
	struct packet pkt = { 0 };
	__u32 parts;
	void *data;
	int reason;

	if (!f)
		return DEDUP_REASON_ignored;
	f->host = 0;
	if (!config.policy.forwarded)
		f->host = is_for_host(ctx);
	reason = open_packet(ctx, &pkt);
	if (reason != PARSED)
		return reason;
	data = (void *)(long)ctx->data;
	if (config.asked.vlans_cnt && !is_of_vlan(&pkt))
		return DEDUP_REASON_ignored;
	reason = parse_tags(&pkt, &f->proto);
	if (reason != PARSED)
		return reason;
	f->len = config.policy.frames && config.frags ? bpf_xdp_get_buff_len(ctx) : pkt.end - data;
	f->limit[DEDUP_FRAME] = f->limit[DEDUP_TAG] = f->limit[DEDUP_END] = f->len;
	f->base[DEDUP_END] = f->len;
	f->base[DEDUP_TAG] = f->base[DEDUP_NETWORK] = pkt.pos - data;
	f->udp = f->ip = DEDUP_REASON_ignored;
	parts = config.policy.frames;
	if (unlikely(parts == DEDUP_FRAMES_INSIDE))
		return parse_opened(ctx, &pkt, f);
	if (parts && is_ip(f))
		f->ip = parse_network(&pkt, f);
	if (!config.policy.ports_cnt)
		return PARSED;
	parse_to_payload(ctx, &pkt, f);
	if (f->udp == PARSED)
		enter_payload(&pkt, f, frame_offset(ctx, &pkt));
	return PARSED;
}
