/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From behind the link header to the UDP payload. Each step takes the packet from one header to
 * the next, or says with an enum dedup_reason why the packet is none of ours; nothing has to be a
 * valid packet. The steps before are link.bpf.h's.
 */
#ifndef XDP_DEDUP_PARSE_BPF_H
#define XDP_DEDUP_PARSE_BPF_H

#include <linux/bpf.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "counters.h"
#include "link.bpf.h"
#include "maps.bpf.h"

#define IPV6_EXT_MAX 6	     /* RFC 8200 orders at most this many before the payload */
#define IPV4_FRAGMENT 0x3fff /* more fragments follow, or an offset */

/* No header lies further into the frame: Ethernet, IPv6 and its extension headers. */
#define FRAME_OFFSET_MASK 0x3fff

static __always_inline int parse_ipv4(struct packet *pkt)
{
	struct iphdr *ip = pkt->pos;
	__u32 option_words, header_len, total_len;

	if (unlikely((void *)(ip + 1) > pkt->end))
		return stop(DEDUP_REASON_truncated);
	if (unlikely(ip->protocol != IPPROTO_UDP))
		return stop(DEDUP_REASON_ignored);
	/* Version 4 and a header of 5 to 15 words, in one comparison. */
	option_words = *(__u8 *)ip - 0x45;
	if (unlikely(option_words > 10))
		return stop(DEDUP_REASON_bad_ip);
	header_len = sizeof(*ip) + 4 * option_words;
	total_len = bpf_ntohs(ip->tot_len);
	if (unlikely(total_len < header_len))
		return stop(DEDUP_REASON_bad_ip);
	if (unlikely(ip->frag_off & bpf_htons(IPV4_FRAGMENT)))
		return stop(DEDUP_REASON_fragment);
	pkt->payload_len = total_len - header_len;
	pkt->pos += header_len;
	return PARSED;
}

/* IPv6 and its extension headers. A fragment header means a fragment, also where it
 * claims to be the only one: the stack puts that together, not we.
 */
static __always_inline int parse_ipv6(struct packet *pkt)
{
	struct ipv6hdr *ip = pkt->pos;
	__u8 next;

	if (unlikely((void *)(ip + 1) > pkt->end))
		return stop(DEDUP_REASON_truncated);
	next = ip->nexthdr;
	if (ip->version != 6)
		return next == IPPROTO_UDP ? stop(DEDUP_REASON_bad_ip) : stop(DEDUP_REASON_ignored);
	pkt->payload_len = bpf_ntohs(ip->payload_len);
	pkt->pos = ip + 1;

	for (int i = 0; i <= IPV6_EXT_MAX; i++) {
		struct ipv6_opt_hdr *ext = pkt->pos;
		__u32 ext_len;

		if (likely(next == IPPROTO_UDP))
			return PARSED;
		if (unlikely(next != IPPROTO_HOPOPTS && next != IPPROTO_ROUTING &&
			     next != IPPROTO_DSTOPTS && next != IPPROTO_AH &&
			     next != IPPROTO_FRAGMENT))
			return stop(DEDUP_REASON_ignored);
		if (unlikely((void *)(ext + 1) > pkt->end))
			return stop(DEDUP_REASON_truncated);
		if (unlikely(next == IPPROTO_FRAGMENT))
			return stop(DEDUP_REASON_fragment);
		/* AH counts in 4 bytes less 8 (RFC 4302), the others in 8 bytes less 8. */
		ext_len = next == IPPROTO_AH ? (ext->hdrlen + 2) * 4 : (ext->hdrlen + 1) * 8;
		if (unlikely(ext_len > pkt->payload_len))
			return stop(DEDUP_REASON_bad_ip);
		next = ext->nexthdr;
		pkt->payload_len -= ext_len;
		pkt->pos += ext_len;
	}
	return stop(DEDUP_REASON_bad_ip);
}

static __always_inline bool is_in(const volatile struct dedup_ports *range, __u16 port)
{
	return port >= range->lo && port <= range->hi;
}

/* Most filters have one range. */
static __always_inline bool is_gossip_port(__u16 port)
{
	if (likely(is_in(&config.ports[0], port)))
		return true;
	for (__u32 i = 1; i < DEDUP_PORTS_MAX && i < config.ports_cnt; i++)
		if (is_in(&config.ports[i], port))
			return true;
	return false;
}

/* UDP to one of our ports, its payload all there. */
static __always_inline int parse_udp(struct xdp_md *ctx, struct packet *pkt)
{
	struct udphdr *udp = pkt->pos;
	void *frame = (void *)(long)ctx->data;
	__u32 len;

	barrier_var(udp); /* else the compiler keeps two more pointers for what lies behind it */
	if (unlikely((void *)(udp + 1) > pkt->end))
		return stop(DEDUP_REASON_truncated);
	if (unlikely(!is_gossip_port(bpf_ntohs(udp->dest))))
		return stop(DEDUP_REASON_ignored);
	/* What the IP header claims must be there, or the stack drops the packet. Where
	 * it goes past the first buffer, it is cut short or has several.
	 */
	pkt->len = (__u32)(pkt->pos - frame) + pkt->payload_len;
	if (unlikely(pkt->len > (__u32)(pkt->end - frame)) &&
	    (!config.frags || pkt->len > bpf_xdp_get_buff_len(ctx)))
		return stop(DEDUP_REASON_truncated);
	len = bpf_ntohs(udp->len);
	if (unlikely(len < sizeof(*udp) || len > pkt->payload_len))
		return stop(DEDUP_REASON_bad_udp);
	pkt->payload_len = len - sizeof(*udp);
	pkt->pos = udp + 1;
	return PARSED;
}

#endif
