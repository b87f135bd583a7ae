// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The packet program: parse, look the ids up, learn, count, verdict. Its entry, xdp_dedup(), is the
 * last function.
 */
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

/* For libxdp's dispatcher, which runs several XDP programs on an interface: the default priority,
 * and packets that pass go on to the next program.
 */
struct {
	__uint(priority, 50);
	__uint(XDP_PASS, 1);
} XDP_RUN_CONFIG(xdp_dedup);

/* Counts the packet under this enum dedup_reason, and returns its XDP verdict. `cpu` may be NULL;
 * both tests are for the verifier.
 */
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

/* What check_event() returns if see_event_closely() is to judge the packet. */
#define LOOK_CLOSELY (PARSED - 1)

/* PARSED if an EVENT's id is to be looked up, else the reason why not. Without `closely`, one
 * comparison finds out whether the window's clock has stopped or any id may be wanted; if so, this
 * returns LOOK_CLOSELY. With it, only the clock is asked.
 */
static __always_inline int check_event(const struct packet *pkt, bool closely)
{
	if (unlikely(pkt->pos + GSP_ID_BYTES > pkt->end))
		return stop(DEDUP_REASON_truncated);
	if (closely ? unlikely(clock_stopped()) : unlikely(clock_stopped_or_closely()))
		return stop(closely ? DEDUP_REASON_stale : LOOK_CLOSELY);
	if (unlikely(dedup_is_no_id(pkt->pos, GSP_ID_WORDS)))
		return stop(DEDUP_REASON_no_id);
	return PARSED;
}

/* known: 1 the id was known; 0 it was fresh, and is learned (config.learn_app: by the application);
 * negative: it was fresh, and could not be learned.
 */
static __always_inline int reason_of(int known)
{
	return known == 1   ? DEDUP_REASON_duplicate
	       : known == 0 ? DEDUP_REASON_new
			    : DEDUP_REASON_unlearned;
}

/* An EVENT carries one id. If it is fresh it is learned; if it is known, the packet is a duplicate.
 * With `closely`, a packet of a known id that is wanted passes. Returns the XDP verdict.
 */
static __always_inline int see_event(const struct packet *pkt, bool closely)
{
	const struct dedup_config *cfg = configuration();
	struct dedup_counters *cpu;
	struct block_lookup lookup;
	int known;

	if (unlikely(cfg->layout != DEDUP_BLOCKED)) {
		known = array_look(pkt->pos, GSP_ID_WORDS, !config.learn_app);
		if (closely && known == 1 && take_wanted(pkt->pos, GSP_ID_WORDS))
			return conclude(pkt, cpu_counters(), DEDUP_REASON_wanted);
		return conclude(pkt, cpu_counters(), reason_of(known));
	}
	known = blocked_find(cfg, pkt->pos, GSP_ID_WORDS, &lookup);
	if (unlikely(known))
		return conclude(pkt, cpu_counters(), DEDUP_REASON_unlearned);
	/* A duplicate: most packets. The constant reason gives its counter a fixed offset. */
	if (likely(dedup_block_holds(lookup.block, &lookup.probe, lookup.words))) {
		if (closely && take_wanted(pkt->pos, GSP_ID_WORDS))
			return conclude(pkt, cpu_counters(), DEDUP_REASON_wanted);
		return conclude(pkt, cpu_counters(), DEDUP_REASON_duplicate);
	}
	/* The counters are looked up on either branch. With one lookup before the branch, the
	 * compiler would save across that call, for duplicates too, what only learning needs.
	 */
	DEDUP_KEEP_BRANCH();
	cpu = cpu_counters();
	/* Until here known is 0. */
	if (!config.learn_app && cpu)
		known = blocked_learn(&lookup, cpu);
	return conclude(pkt, cpu, reason_of(known));
}

/* An EVENT while the window's clock has stopped, or while ids are wanted. id_at is the frame offset
 * of its id, len as in struct packet. Returns the XDP verdict. A global function: verified once,
 * and a pointer into the packet cannot be an argument of such a one; ctx and an offset can.
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

/* An IHAVE is a duplicate if all its ids are known and none is wanted. Its ids are not learned: its
 * sender has these events, this host may not have them. ids_at is the frame offset of the `count`
 * ids. Returns an enum dedup_reason. A global function, like the one above.
 */
__noinline int see_ihave(struct xdp_md *ctx, __u32 ids_at, __u32 count)
{
	void *end = (void *)(long)ctx->data_end;
	void *id = (void *)(long)ctx->data + (ids_at & FRAME_OFFSET_MASK);

	if (clock_stopped())
		return DEDUP_REASON_stale;
	/* i has 64 bits: the verifier forgets the bounds of a smaller variable that is spilled. */
	for (__u64 i = 0; i < GSP_IDS_MAX && i < count; i++, id += GSP_ID_BYTES) {
		if (id + GSP_ID_BYTES > end)
			return DEDUP_REASON_truncated;
		if (dedup_is_no_id(id, GSP_ID_WORDS))
			return DEDUP_REASON_no_id;
		if (filter_test(id, GSP_ID_WORDS) <= 0 ||
		    (must_look_closely() && is_wanted(id, GSP_ID_WORDS)))
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
		if (likely(gsp(&pkt)->type == GSP_EVENT)) {
			reason = check_event(&pkt, false);
			if (likely(reason == PARSED))
				return see_event(&pkt, false);
			if (reason == LOOK_CLOSELY)
				return see_event_closely(ctx, pkt.pos - (void *)(long)ctx->data,
							 pkt.len);
		} else if (gsp(&pkt)->type == GSP_IHAVE) {
			reason = see_ihave(ctx, pkt.pos - (void *)(long)ctx->data, gsp(&pkt)->count);
		} else {
			reason = DEDUP_REASON_exempt;
		}
	}
	return conclude(&pkt, cpu_counters(), reason);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
