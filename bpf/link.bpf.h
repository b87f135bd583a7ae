/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A packet on its way through the parser, and its first steps: Ethernet and VLAN tags. */
#ifndef XDP_DEDUP_LINK_BPF_H
#define XDP_DEDUP_LINK_BPF_H

#include <linux/bpf.h>
#include <linux/if_ether.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "compiler.h"
#include "counters.h"

#define PARSED (-1) /* no reason to stop: the next step may go on */

#define VLAN_TAGS_MAX 2

struct gsp_header;

struct packet {
	void *pos;	   /* the next header */
	void *end;	   /* of the packet's first buffer */
	__u32 len;	   /* of the frame, as its IP header claims: no padding */
	__u32 payload_len; /* claimed by the header before pos; host order */
	struct gsp_header *gsp;
};

struct vlan_tag {
	__be16 tci;
	__be16 proto;
};

/* Returns the reason, on a branch of its own: else the compiler loads the reason into a register
 * first, on every packet's way, and then asks whether it applies.
 */
static __always_inline int stop(int reason)
{
	DEDUP_KEEP_BRANCH();
	return reason;
}

/* Behind the Ethernet header, which is all there if this returns PARSED. */
static __always_inline int open_packet(struct xdp_md *ctx, struct packet *pkt)
{
	pkt->pos = (void *)(long)ctx->data + sizeof(struct ethhdr);
	pkt->end = (void *)(long)ctx->data_end;
	return unlikely(pkt->pos > pkt->end) ? stop(DEDUP_REASON_truncated) : PARSED;
}

/* The Ethernet header of a packet that was just opened. */
static __always_inline const struct ethhdr *ethernet(const struct packet *pkt)
{
	return pkt->pos - sizeof(struct ethhdr);
}

/* Up to two VLAN tags (802.1Q, 802.1ad), of a packet that was just opened. *proto is what they
 * are followed by, in network order.
 */
static __always_inline int parse_tags(struct packet *pkt, __be16 *proto)
{
	/* As two bytes at once, which a packed struct does not say. */
	*proto = *(__be16 *)(pkt->pos - sizeof(*proto));

#pragma unroll
	for (int i = 0; i < VLAN_TAGS_MAX; i++) {
		struct vlan_tag *tag = pkt->pos;

		if (likely(*proto != bpf_htons(ETH_P_8021Q) && *proto != bpf_htons(ETH_P_8021AD)))
			break;
		if ((void *)(tag + 1) > pkt->end)
			return stop(DEDUP_REASON_truncated);
		*proto = tag->proto;
		pkt->pos = tag + 1;
	}
	return PARSED;
}

#endif
