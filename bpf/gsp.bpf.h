/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parser of GSP/1, and parse_packet(), which takes all steps from Ethernet to its ids. */
#pragma once

#include "destination.bpf.h"
#include "gsp.h"
#include "parse.bpf.h"

/* PARSED if the header's count is 1 to `max` and the UDP payload is long enough for so many ids,
 * else the reason. Whether they lie in the first buffer is tested where they are read.
 */
static __always_inline int check_ids(const struct packet *pkt, const struct gsp_header *header,
				     __u32 max)
{
	if (unlikely(header->count < 1 || header->count > max))
		return stop(DEDUP_REASON_bad_count);
	if (unlikely(pkt->payload_len < sizeof(*header) + header->count * GSP_ID_BYTES))
		return stop(DEDUP_REASON_bad_length);
	return PARSED;
}

/* The header of a packet for which parse_gsp() has just returned PARSED. */
static __always_inline const struct gsp_header *gsp(const struct packet *pkt)
{
	return (const struct gsp_header *)pkt->pos - 1;
}

/* The GSP/1 header. On PARSED pkt->pos is the first id. */
static __always_inline int parse_gsp(struct packet *pkt)
{
	struct gsp_header *header = pkt->pos;
	int reason;

	if (unlikely(pkt->payload_len < sizeof(*header)))
		return stop(DEDUP_REASON_bad_length);
	if (unlikely((void *)(header + 1) > pkt->end))
		return stop(DEDUP_REASON_truncated);
	if (unlikely(header->magic != bpf_htonl(GSP_MAGIC)))
		return stop(DEDUP_REASON_bad_magic);
	if (likely(header->type == GSP_EVENT))
		reason = check_ids(pkt, header, 1);
	else if (header->type == GSP_IHAVE || header->type == GSP_IWANT)
		reason = check_ids(pkt, header, GSP_IDS_MAX);
	else
		reason = stop(DEDUP_REASON_bad_type);
	if (reason != PARSED)
		return reason;
	pkt->pos = header + 1;
	return PARSED;
}

/* All steps. On PARSED gsp(pkt) is the header, and pkt->pos the first id. */
static __always_inline int parse_packet(struct xdp_md *ctx, struct packet *pkt)
{
	__be16 proto;
	int reason = open_packet(ctx, pkt);

	if (unlikely(reason != PARSED))
		return reason;
	reason = check_destination(ctx, pkt);
	if (unlikely(reason != PARSED))
		return reason;
	reason = parse_tags(pkt, &proto);
	if (reason != PARSED)
		return reason;
	if (proto == bpf_htons(ETH_P_IP))
		reason = parse_ipv4(pkt);
	else if (proto == bpf_htons(ETH_P_IPV6))
		reason = parse_ipv6(ctx, pkt);
	else
		reason = stop(DEDUP_REASON_ignored);
	if (reason != PARSED)
		return reason;
	reason = parse_udp(ctx, pkt);
	if (reason != PARSED)
		return reason;
	return parse_gsp(pkt);
}
