/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Judging GSP/1: EVENTs have one id, which is learned; IHAVEs have several, which are only tested;
 * IWANTs always pass.
 */
#pragma once

#include "gsp.bpf.h"
#include "sample.bpf.h"
#include "verdict.bpf.h"

/* What check_event() returns if slow_path_event() is to judge the packet. */
#define TAKE_SLOW_PATH (-3)

/* Returns PARSED if an EVENT's id is to be looked up, else the reason why not. Without `slow`, one
 * comparison finds out whether the window's clock has stopped or there may be a reason for the slow
 * path; if so, this returns TAKE_SLOW_PATH. With `slow`, only the clock is asked.
 */
static __always_inline int check_event(const struct packet *pkt, bool slow)
{
	if (unlikely(pkt->pos + GSP_ID_BYTES > pkt->end))
		return stop(DEDUP_REASON_truncated);
	if (slow ? unlikely(clock_stopped()) : unlikely(clock_stopped_or_slow_path()))
		return stop(slow ? DEDUP_REASON_stale : TAKE_SLOW_PATH);
	if (unlikely(dedup_is_no_id(pkt->pos, GSP_ID_WORDS)))
		return stop(DEDUP_REASON_no_id);
	return PARSED;
}

/* An id of a GSP/1 packet; its realm's key is 0. */
static __always_inline struct dedup_lookup_key gsp_id(const void *id)
{
	return (struct dedup_lookup_key){ .id = id, .words = GSP_ID_WORDS, .bytes = GSP_ID_BYTES };
}

/* Judges an EVENT while the window's clock has stopped, or while there may be a reason for the
 * slow path. id_at is the frame offset of its id, len as in struct packet. Returns the XDP
 * verdict. A global function: verified once. Its arguments cannot be pointers into the packet, but
 * ctx and an offset can.
 */
__noinline int slow_path_event(struct xdp_md *ctx, __u32 id_at, __u32 len)
{
	struct packet pkt = {
		.pos = (void *)(long)ctx->data + (id_at & FRAME_OFFSET_MASK),
		.end = (void *)(long)ctx->data_end,
		.len = len,
	};
	struct dedup_lookup_key s = gsp_id(pkt.pos);
	int reason = check_event(&pkt, true), verdict;
	struct room room;

	if (reason != PARSED)
		return conclude_any(&pkt, 0, reason);
	if (is_delivered(ctx, 0))
		reason = slow_path_judge_delivered(ctx, &room, &s, 0, false);
	else
		reason = slow_path_judge(&s, 0, false);
	take_sample(ctx, 0, reason, id_at, NULL);
	verdict = conclude_any(&pkt, 0, reason);
	if (!is_delivered(ctx, 0))
		return verdict;
	return end_delivery(ctx, &room, pkt.pos, GSP_ID_WORDS, 0, reason, verdict);
}

/* Is the id known, and not wanted? */
static __always_inline bool slow_path_knows(const struct dedup_lookup_key *s, __u32 n)
{
	return slow_path_lookup(s, n, false) == 1 &&
	       !is_wanted(s->id, GSP_ID_WORDS, s->realm_key, false);
}

/* Tests an id of an IHAVE of stream n, at this frame offset; `slow`: on the slow path. Returns
 * PARSED if it is known and not wanted, else an enum dedup_reason. A global function: verified
 * once, not again for each id.
 */
__noinline int test_id(struct xdp_md *ctx, __u32 id_at, __u32 n, bool slow)
{
	void *id = (void *)(long)ctx->data + (id_at & FURTHER_OFFSET_MASK);
	struct dedup_lookup_key s = gsp_id(id);

	if (id + GSP_ID_BYTES > (void *)(long)ctx->data_end)
		return DEDUP_REASON_truncated;
	if (!dedup_is_gsp(configuration()))
		set_realm(&s, n);
	if (dedup_is_no_id(id, GSP_ID_WORDS))
		return DEDUP_REASON_no_id;
	if (slow ? !slow_path_knows(&s, n) : filter_test(&s) <= 0)
		return DEDUP_REASON_ihave_new;
	return PARSED;
}

/* An IHAVE of stream n is a duplicate if all its ids are known and none is wanted. Its ids are not
 * learned: its sender has these events, this host may not have them. ids_at is the frame offset of
 * the `count` ids. Returns an enum dedup_reason; or TAKE_SLOW_PATH, with `slow` as in
 * check_event(). A global function, as the next one: verified once.
 */
__noinline int test_ids(struct xdp_md *ctx, __u32 ids_at, __u32 count, __u32 n, bool slow)
{
	int reason;

	if (slow ? clock_stopped() : clock_stopped_or_slow_path())
		return slow ? DEDUP_REASON_stale : TAKE_SLOW_PATH;
	for (__u64 i = 0; i < GSP_IDS_MAX && i < count; i++) {
		reason = test_id(ctx, ids_at + i * GSP_ID_BYTES, n, slow);
		if (reason != PARSED)
			return reason;
	}
	return DEDUP_REASON_ihave_duplicate;
}

/* Tests the ids on the slow path, and takes a sample. Returns an enum dedup_reason. */
__noinline int slow_path_ihave(struct xdp_md *ctx, __u32 ids_at, __u32 count, __u32 n)
{
	int reason = test_ids(ctx, ids_at, count, n, true);

	take_sample(ctx, n, reason, ids_at, NULL);
	return reason;
}

/* Judges an IHAVE. Returns its enum dedup_reason. */
static __always_inline int see_ihave(struct xdp_md *ctx, __u32 ids_at, __u32 count, __u32 n)
{
	int reason = test_ids(ctx, ids_at, count, n, false);

	return reason == TAKE_SLOW_PATH ? slow_path_ihave(ctx, ids_at, count, n) : reason;
}

/* The XDP verdict of a packet for which parse_gsp() has returned PARSED, in a filter without streams. */
static __always_inline int see_gsp(struct xdp_md *ctx, const struct packet *pkt, bool delivers)
{
	int reason;

	if (likely(gsp(pkt)->type == GSP_EVENT)) {
		reason = check_event(pkt, false);
		if (likely(reason == PARSED)) {
			struct dedup_lookup_key s = gsp_id(pkt->pos);

			return see_id(delivers ? ctx : NULL, pkt, &s, 0);
		}
		if (reason == TAKE_SLOW_PATH)
			return slow_path_event(ctx, frame_offset(ctx, pkt), pkt->len);
	} else if (gsp(pkt)->type == GSP_IHAVE) {
		reason = see_ihave(ctx, frame_offset(ctx, pkt), gsp(pkt)->count, 0);
	} else {
		reason = DEDUP_REASON_exempt;
	}
	return conclude(pkt, cpu_counters(0), reason);
}

/* A frame, in a filter without streams. Returns the XDP verdict. */
static __always_inline int see_gsp_frame(struct xdp_md *ctx, bool delivers)
{
	struct packet pkt = { 0 };
	int reason = parse_packet(ctx, &pkt);

	if (likely(reason == PARSED))
		return see_gsp(ctx, &pkt, delivers);
	return conclude(&pkt, cpu_counters(0), reason);
}
