// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A packet's way, from top to bottom: parse, look the ids up, count, verdict. */
#include <stdbool.h>
#include <stddef.h>

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <xdp/xdp_helpers.h>

#include "filter.bpf.h"
#include "gsp.h"
#include "hand.bpf.h"
#include "maps.bpf.h"
#include "parse.bpf.h"

/* In a dispatcher: at libxdp's default place, and what passes goes on to the next. */
struct {
	__uint(priority, 50);
	__uint(XDP_PASS, 1);
} XDP_RUN_CONFIG(xdp_dedup);

/* An EVENT carries one id: fresh it is learned, known the packet is a duplicate. */
static __always_inline int see_event(const struct packet *pkt)
{
	struct dedup_id *id = pkt->pos;

	if (unlikely(clock_stopped()))
		return stop(DEDUP_stale);
	if (unlikely((void *)(id + 1) > pkt->end))
		return stop(DEDUP_truncated);
	if (unlikely(dedup_is_no_id(id)))
		return stop(DEDUP_no_id);
	switch (filter_see(id)) {
	case 1:
		return DEDUP_duplicate;
	case 0:
		return stop(DEDUP_new);
	default:
		return stop(DEDUP_unlearned);
	}
}

/* An IHAVE is a duplicate if every one of its ids is known. It teaches nothing: to
 * have heard of an event is not to have it. Returns an enum dedup_reason. ids_at is
 * the frame offset of the ids. A global function: verified once, not once for every
 * way that leads here.
 */
__noinline int see_ihave(struct xdp_md *ctx, __u32 ids_at, __u32 count)
{
	void *end = (void *)(long)ctx->data_end;
	struct dedup_id *id = (void *)(long)ctx->data + (ids_at & FRAME_OFFSET_MASK);

	if (clock_stopped())
		return DEDUP_stale;
	/* 64 bits: what is spilled with fewer, the verifier forgets. */
	for (__u64 i = 0; i < GSP_IDS_MAX && i < count; i++, id++) {
		if ((void *)(id + 1) > end)
			return DEDUP_truncated;
		if (dedup_is_no_id(id))
			return DEDUP_no_id;
		if (filter_test(id) <= 0)
			return DEDUP_ihave_new;
	}
	return DEDUP_ihave_duplicate;
}

/* An enum dedup_reason. On DEDUP_duplicate and DEDUP_ihave_duplicate, pkt->len is there. */
static __always_inline int see_packet(struct xdp_md *ctx, struct packet *pkt)
{
	int reason = parse_packet(ctx, pkt);

	if (reason != PARSED)
		return reason;
	if (likely(pkt->gsp->type == GSP_EVENT))
		return see_event(pkt);
	if (pkt->gsp->type == GSP_IHAVE)
		return see_ihave(ctx, pkt->pos - (void *)(long)ctx->data, pkt->gsp->count);
	return stop(DEDUP_exempt);
}

SEC("xdp.frags")
int xdp_dedup(struct xdp_md *ctx)
{
	struct packet pkt = { 0 };
	__u64 reason = see_packet(ctx, &pkt);
	struct dedup_counters *cpu = cpu_counters();

	if (!cpu || reason >= DEDUP_REASONS_CNT)
		return XDP_PASS;
	((__u64 *)cpu)[reason]++;
	if (reason != DEDUP_duplicate && reason != DEDUP_ihave_duplicate)
		return XDP_PASS;

	cpu->duplicate_bytes += pkt.len;
	return config.count_only ? XDP_PASS : XDP_DROP;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
