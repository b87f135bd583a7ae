/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Filters with streams, first step: what a frame is, and where its headers and their ends are. */
#ifndef XDP_DEDUP_FRAME_BPF_H
#define XDP_DEDUP_FRAME_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "destination.bpf.h"
#include "maps.bpf.h"
#include "parse.bpf.h"

#define BASE_SLOTS 8 /* enum dedup_base, up to a power of 2 */

/* What a frame is. Places are bytes from its front. */
struct frame {
	__u32 base[BASE_SLOTS];	 /* by enum dedup_base */
	__u32 limit[BASE_SLOTS]; /* behind the last byte that counts from this base */
	__u32 len;		 /* of the frame, without padding where its IP header tells */
	__u32 host;		 /* 1: its MAC says that it is for this host */
	__s32 ip;		 /* PARSED; ignored: no IP packet; or what is wrong with it */
	__s32 udp;    /* PARSED; ignored: no datagram to one of our ports; or what is wrong */
	__u16 port;   /* if PARSED: the destination port, in host order */
	__be16 proto; /* EtherType behind the VLAN tags */
	__u32 stream; /* that it belongs to, if anything is to be looked up */
	__u32 ids_at, ids_cnt; /* of an IHAVE: where its ids are, and how many */
	__u32 messages;	       /* of a numbered stream: how many the packet has */
	struct dedup_id id;
};

DEDUP_SCRATCH(frames, struct frame, cpu_frame)

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
		/* A jumbogram's length is elsewhere (RFC 2675). */
		if (ip6->version != 6 || (!len && ip6->nexthdr == IPPROTO_HOPOPTS))
			return DEDUP_REASON_bad_ip;
		len += sizeof(*ip6);
	}
	len += f->base[DEDUP_NETWORK];
	if (len > f->limit[DEDUP_FRAME])
		return DEDUP_REASON_truncated;
	f->len = f->limit[DEDUP_NETWORK] = len;
	return PARSED;
}

/* Finds out what the frame is. PARSED, or the reason why it is none of any stream. A global
 * function: verified once, and not again what follows it for each path through it.
 */
__noinline int parse_frame(struct xdp_md *ctx)
{
	bool host = !config.policy.forwarded && is_for_host(ctx);
	void *data = (void *)(long)ctx->data;
	struct frame *f = cpu_frame();
	struct packet pkt = { 0 };
	int reason;

	if (!f)
		return DEDUP_REASON_ignored;
	f->host = host;
	reason = open_packet(ctx, &pkt);
	if (reason != PARSED)
		return reason;
	if (config.policy.vlans_cnt && !is_of_vlan(&pkt))
		return DEDUP_REASON_ignored;
	reason = parse_tags(&pkt, &f->proto);
	if (reason != PARSED)
		return reason;
	f->len = config.policy.frames && config.frags ? bpf_xdp_get_buff_len(ctx) : pkt.end - data;
	f->limit[DEDUP_FRAME] = f->limit[DEDUP_TAG] = f->limit[DEDUP_END] = f->len;
	f->base[DEDUP_END] = f->len;
	f->base[DEDUP_TAG] = f->base[DEDUP_NETWORK] = pkt.pos - data;
	f->udp = f->ip = DEDUP_REASON_ignored;
	if (config.policy.frames &&
	    (f->proto == bpf_htons(ETH_P_IP) || f->proto == bpf_htons(ETH_P_IPV6)))
		f->ip = parse_network(&pkt, f);
	if (!config.policy.ports_cnt)
		return PARSED;
	if (f->proto == bpf_htons(ETH_P_IP))
		f->udp = parse_ipv4(&pkt);
	else if (f->proto == bpf_htons(ETH_P_IPV6))
		f->udp = parse_ipv6(&pkt);
	if (f->udp == PARSED)
		f->udp = parse_udp(ctx, &pkt);
	if (f->udp != PARSED)
		return PARSED;
	f->port = bpf_ntohs(((struct udphdr *)pkt.pos - 1)->dest);
	f->len = f->limit[DEDUP_NETWORK] = pkt.len;
	f->base[DEDUP_PAYLOAD] = pkt.pos - data;
	f->limit[DEDUP_PAYLOAD] = f->base[DEDUP_PAYLOAD] + pkt.payload_len;
	return PARSED;
}

/* Reads the word of a load. False if the frame is too short for it. */
static __always_inline bool load_word(struct xdp_md *ctx, const struct frame *f,
				      const struct dedup_load *load, __u64 *word)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u64 base = load->base, start, at, bytes;

	DEDUP_BOUND(base, BASE_SLOTS - 1);
	start = (__u32)(f->base[base] + load->at);
	if (unlikely(start > (__u32)(f->limit[base] - sizeof(bytes))))
		return false;
	at = start;
	DEDUP_BOUND(at, FRAME_OFFSET_MASK);
	if (likely(at == start && data + at + sizeof(bytes) <= end))
		bytes = *(__u64 *)(data + at);
	else if (!config.frags || bpf_xdp_load_bytes(ctx, start, &bytes, sizeof(bytes)))
		return false;
	*word = dedup_load_word(load, bytes);
	return true;
}

#endif
