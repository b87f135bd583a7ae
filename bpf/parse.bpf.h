/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parser's steps from the IP header to the UDP payload; those before are in link.bpf.h. Each
 * moves pkt->pos from one header to the next and returns PARSED, or returns the enum dedup_reason
 * why the packet is not looked at further. Nothing is taken for granted: packets may be malformed.
 */
#pragma once

#include <linux/bpf.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "counters.h"
#include "gsp.h"
#include "link.bpf.h"
#include "maps.bpf.h"
#include "walk.h"

#define IPV4_FRAGMENT 0x3fff /* in frag_off: more fragments follow, or an offset */

/* For a frame offset that is an argument of a global function, about which the verifier knows
 * nothing: masked, it is bounded. The headers before an id are shorter in all: of Ethernet,
 * two VLAN tags, IPv6, 6 extension headers of at most 2048 bytes each, UDP and GSP/1. Those of
 * tunnels may be longer; a field behind the bound is not read.
 */
#define FRAME_OFFSET_MASK 0x3fff

/* For an offset behind extension headers, or of an id in an IHAVE. It is below the bound: in front
 * of it are at most FRAME_OFFSET_MASK bytes, IPv6 and its extension headers (one is passed before
 * there are too many), UDP, GSP/1, and the ids.
 */
#define FURTHER_OFFSET_MASK (2 * FRAME_OFFSET_MASK + 1)
_Static_assert(FRAME_OFFSET_MASK + 40 + (DEDUP_IPV6_EXTENSIONS_MAX + 1) * 2048 + 8 + 8 +
			       GSP_IDS_MAX * GSP_ID_BYTES <
		       FURTHER_OFFSET_MASK,
	       "a mask does not move an offset");

/* IPv4 with its options. */
static __always_inline int parse_ipv4(struct packet *pkt)
{
	struct iphdr *ip = pkt->pos;
	__u32 option_words, header_len, total_len;

	if (unlikely((void *)(ip + 1) > pkt->end))
		return stop(DEDUP_REASON_truncated);
	if (unlikely(ip->protocol != IPPROTO_UDP))
		return stop(DEDUP_REASON_ignored);
	/* The first byte is the version, 4, and the header's length, 5 to 15 words: 0x45 to 0x4f.
	 * Unsigned, one comparison tests both.
	 */
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

/* IPv6 with its extension headers. Any packet with a fragment header counts as a fragment, also one
 * that is whole (an atomic fragment): reassembly is the stack's.
 */
static __always_inline int parse_ipv6(struct xdp_md *ctx, struct packet *pkt)
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

	for (int i = 0; i <= DEDUP_IPV6_EXTENSIONS_MAX; i++) {
		struct ipv6_opt_hdr *ext = pkt->pos;
		__u64 behind;
		__u32 ext_len;

		if (likely(next == IPPROTO_UDP))
			return PARSED;
		if (unlikely(DEDUP_NO_EXTENSION(next) && next != IPPROTO_FRAGMENT))
			return stop(DEDUP_REASON_ignored);
		if (unlikely((void *)(ext + 1) > pkt->end))
			return stop(DEDUP_REASON_truncated);
		if (unlikely(next == IPPROTO_FRAGMENT))
			return stop(DEDUP_REASON_fragment);
		ext_len = dedup_extension_bytes(next, ext->hdrlen);
		if (unlikely(ext_len > pkt->payload_len))
			return stop(DEDUP_REASON_bad_ip);
		next = ext->nexthdr;
		pkt->payload_len -= ext_len;
		/* Masked, the offset has the same bounds after each header: the verifier walks what
		 * follows once, not again for each number of headers.
		 */
		behind = pkt->pos + ext_len - (void *)(long)ctx->data;
		DEDUP_BOUND(behind, FURTHER_OFFSET_MASK);
		pkt->pos = (void *)(long)ctx->data + behind;
	}
	return stop(DEDUP_REASON_bad_ip);
}

/* Host order. */
static __always_inline bool is_in(const volatile struct dedup_ports *range, __u16 port)
{
	return port >= range->lo && port <= range->hi;
}

/* Is this port, in host order, in one of the filter's ranges? Most filters have one. */
static __always_inline bool is_gossip_port(__u16 port)
{
	if (likely(is_in(&config.policy.ports[0], port)))
		return true;
	for (__u32 i = 1; i < DEDUP_PORTS_MAX && i < config.policy.ports_cnt; i++)
		if (is_in(&config.policy.ports[i], port))
			return true;
	return false;
}

/* UDP to one of the filter's ports. The frame has all bytes that the IP header claims, but perhaps
 * not all in its first buffer.
 */
static __always_inline int parse_udp(struct xdp_md *ctx, struct packet *pkt)
{
	struct udphdr *udp = pkt->pos;
	void *frame = (void *)(long)ctx->data;
	__u32 len;

	barrier_var(udp); /* else the compiler keeps pointers to what follows in two more registers */
	if (unlikely((void *)(udp + 1) > pkt->end))
		return stop(DEDUP_REASON_truncated);
	if (unlikely(!is_gossip_port(bpf_ntohs(udp->dest))))
		return stop(DEDUP_REASON_ignored);
	/* The stack drops a packet that has fewer bytes than its IP header claims: its id must not be
	 * learned. One whose bytes are not all in the first buffer has too few, or several buffers.
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
