/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Filters with streams: what is known of a frame, and how its fields are read. */
#pragma once

#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

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
	__u32 only_test;       /* of a filter that delivers: judge_frame_quickly() learns nothing */
	__u32 tunnels;	       /* that were opened: DEDUP_TUNNEL_BITs */
	__u32 carried;	       /* 1: one of them by IP */
	struct dedup_id id;
};

DEDUP_SCRATCH(frames, struct frame, cpu_frame)

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
