/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* struct packet, which goes through the parser's steps, and the first of these: Ethernet, VLAN
 * tags.
 */
#pragma once

#include <linux/bpf.h>
#include <linux/if_ether.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "compiler.h"
#include "counters.h"
#include "walk.h"

/* What a step returns if the next one can go on. Else it returns an enum dedup_reason, 0 or more. */
#define PARSED (-1)

#define VLAN_ID_MASK 0xfff /* of a tag, in host order: the rest is its priority */

struct packet {
	void *pos;	   /* the next header */
	void *end;	   /* end of the packet's first buffer */
	__u32 len;	   /* bytes of the frame, as its IP header claims: without padding */
	__u32 payload_len; /* bytes behind the last header parsed, as that claims */
};

struct vlan_tag {
	__be16 tci;
	__be16 proto; /* of what follows the tag */
};

/* Returns the reason: for `return stop(...)` under a condition. A plain `return reason` is compiled
 * to a load of the constant for all packets, and a test of the condition after it.
 */
static __always_inline int stop(int reason)
{
	DEDUP_KEEP_BRANCH();
	return reason;
}

/* The first step: to behind the Ethernet header, which is complete if this returns PARSED. */
static __always_inline int open_packet(struct xdp_md *ctx, struct packet *pkt)
{
	pkt->pos = (void *)(long)ctx->data + sizeof(struct ethhdr);
	pkt->end = (void *)(long)ctx->data_end;
	return unlikely(pkt->pos > pkt->end) ? stop(DEDUP_REASON_truncated) : PARSED;
}

/* The Ethernet header, as long as no step after open_packet() has moved pkt->pos. */
static __always_inline const struct ethhdr *ethernet(const struct packet *pkt)
{
	return pkt->pos - sizeof(struct ethhdr);
}

/* The frame offset of pkt->pos. */
static __always_inline __u32 frame_offset(struct xdp_md *ctx, const struct packet *pkt)
{
	return pkt->pos - (void *)(long)ctx->data;
}

/* Steps over up to two VLAN tags (802.1Q, 802.1ad), right after open_packet(). *proto is then the
 * EtherType of what follows, in network order.
 */
static __always_inline int parse_tags(struct packet *pkt, __be16 *proto)
{
	/* h_proto by one load: as a field of struct ethhdr, which is packed, it is read by bytes. */
	*proto = *(__be16 *)(pkt->pos - sizeof(*proto));

	DEDUP_UNROLL
	for (int i = 0; i < DEDUP_TAGS; i++) {
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
