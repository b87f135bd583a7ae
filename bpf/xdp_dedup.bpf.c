// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A packet's way, from top to bottom: parse, look the ids up, count, verdict. */
#include <stdbool.h>
#include <stddef.h>

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <xdp/xdp_helpers.h>

#include "gsp.bpf.h"
#include "hand.bpf.h"
#include "lookup.bpf.h"
#include "maps.bpf.h"
#include "wanted.bpf.h"

/* In a dispatcher: at libxdp's default place, and what passes goes on to the next. */
struct {
	__uint(priority, 50);
	__uint(XDP_PASS, 1);
} XDP_RUN_CONFIG(xdp_dedup);

/* Counts the packet under its reason, and returns its verdict. */
static __always_inline int conclude(const struct packet *pkt, struct dedup_counters *cpu, __u64 reason)
{
	if (!cpu || reason >= DEDUP_REASONS_CNT)
		return XDP_PASS;
	((__u64 *)cpu)[reason]++;
	if (reason != DEDUP_REASON_duplicate &&
	    (reason != DEDUP_REASON_ihave_duplicate || config.ihave_pass))
		return XDP_PASS;

	cpu->duplicate_bytes += pkt->len;
	return config.count_only ? XDP_PASS : XDP_DROP;
}

/* PARSED, or the reason why an EVENT's id is not looked up. Without `closely` a single comparison asks
 * for a stopped clock and for anything rare; DEDUP_REASON_stale then means either, and
 * see_event_closely() tells which.
 */
static __always_inline int check_event(const struct packet *pkt, bool closely)
{
	if (unlikely(pkt->pos + GSP_ID_BYTES > pkt->end))
		return stop(DEDUP_REASON_truncated);
	if (unlikely(closely ? clock_stopped() : is_out_of_the_ordinary()))
		return stop(DEDUP_REASON_stale);
	if (unlikely(dedup_is_no_id(pkt->pos, GSP_ID_WORDS)))
		return stop(DEDUP_REASON_no_id);
	return PARSED;
}

/* known: 1 known, 0 fresh and learned, negative: fresh, but not learned. */
static __always_inline int reason_of(int known)
{
	return known == 1   ? DEDUP_REASON_duplicate
	       : known == 0 ? DEDUP_REASON_new
			    : DEDUP_REASON_unlearned;
}

/* An EVENT carries one id. If it is fresh it is learned; if it is known, the packet is a duplicate,
 * but passes if the id is wanted, which is asked with `closely` only. Returns the verdict.
 */
static __always_inline int see_event(const struct packet *pkt, bool closely)
{
	const struct dedup_config *cfg = configuration();
	struct dedup_counters *cpu;
	struct block_lookup s;
	int known;

	if (unlikely(cfg->layout != DEDUP_BLOCKED)) {
		known = array_look(pkt->pos, GSP_ID_WORDS, !config.learn_app);
		if (closely && known == 1 && take_wanted(pkt->pos, GSP_ID_WORDS))
			return conclude(pkt, cpu_counters(), DEDUP_REASON_wanted);
		return conclude(pkt, cpu_counters(), reason_of(known));
	}
	known = blocked_find(cfg, pkt->pos, GSP_ID_WORDS, &s);
	if (unlikely(known))
		return conclude(pkt, cpu_counters(), DEDUP_REASON_unlearned);
	/* Most packets. The reason is a constant here, so that its counter has a fixed offset. */
	if (likely(dedup_block_holds(s.block, &s.probe, s.words))) {
		if (closely && take_wanted(pkt->pos, GSP_ID_WORDS))
			return conclude(pkt, cpu_counters(), DEDUP_REASON_wanted);
		return conclude(pkt, cpu_counters(), DEDUP_REASON_duplicate);
	}
	/* conclude() above has its own lookup of the counters: with one lookup before the branch,
	 * the compiler would save across it, for duplicates too, what only learning needs.
	 */
	DEDUP_KEEP_BRANCH();
	cpu = cpu_counters();
	if (!config.learn_app && cpu)
		known = blocked_learn(&s, cpu);
	return conclude(pkt, cpu, reason_of(known));
}

/* An EVENT while the clock has stopped or something rare is under way. id_at and count are as
 * below, len is struct packet's. Returns the verdict.
 */
__noinline int see_event_closely(struct xdp_md *ctx, __u32 id_at, __u32 len)
{
	struct packet pkt = {
		.pos = (void *)(long)ctx->data + (id_at & FRAME_OFFSET_MASK),
		.end = (void *)(long)ctx->data_end,
		.len = len,
	};
	int reason = check_event(&pkt, true);

	if (reason != PARSED)
		return conclude(&pkt, cpu_counters(), reason);
	return see_event(&pkt, true);
}

/* An IHAVE is a duplicate if every one of its ids is known and none is wanted. It teaches nothing:
 * to have heard of an event is not to have it. Returns an enum dedup_reason. ids_at is the frame
 * offset of the ids. A global function: verified once, not once for every way that leads here.
 */
__noinline int see_ihave(struct xdp_md *ctx, __u32 ids_at, __u32 count)
{
	void *end = (void *)(long)ctx->data_end;
	void *id = (void *)(long)ctx->data + (ids_at & FRAME_OFFSET_MASK);

	if (clock_stopped())
		return DEDUP_REASON_stale;
	/* i has 64 bits: the verifier forgets the bounds of less when it is spilled. */
	for (__u64 i = 0; i < GSP_IDS_MAX && i < count; i++, id += GSP_ID_BYTES) {
		if (id + GSP_ID_BYTES > end)
			return DEDUP_REASON_truncated;
		if (dedup_is_no_id(id, GSP_ID_WORDS))
			return DEDUP_REASON_no_id;
		if (filter_test(id, GSP_ID_WORDS) <= 0 || (is_rare() && is_wanted(id, GSP_ID_WORDS)))
			return DEDUP_REASON_ihave_new;
	}
	return DEDUP_REASON_ihave_duplicate;
}

SEC("xdp.frags")
int xdp_dedup(struct xdp_md *ctx)
{
	struct packet pkt = { 0 };
	int reason = parse_packet(ctx, &pkt);

	if (likely(reason == PARSED)) {
		if (likely(pkt.gsp->type == GSP_EVENT)) {
			reason = check_event(&pkt, false);
			if (likely(reason == PARSED))
				return see_event(&pkt, false);
			if (reason == DEDUP_REASON_stale)
				return see_event_closely(ctx, pkt.pos - (void *)(long)ctx->data,
							 pkt.len);
		} else if (pkt.gsp->type == GSP_IHAVE) {
			reason = see_ihave(ctx, pkt.pos - (void *)(long)ctx->data, pkt.gsp->count);
		} else {
			reason = DEDUP_REASON_exempt;
		}
	}
	return conclude(&pkt, cpu_counters(), reason);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
