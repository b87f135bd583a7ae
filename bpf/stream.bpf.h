/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Filters with streams (include/stream.h): what becomes of a frame. parse_frame.bpf.h finds out what it is,
 * match.bpf.h which stream it belongs to, stream_id.bpf.h its id. The last function takes all steps.
 */
#pragma once

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "direct.bpf.h"
#include "frame.bpf.h"
#include "gossip.bpf.h"
#include "match.bpf.h"
#include "parse_frame.bpf.h"
#include "stream_id.bpf.h"
#include "verdict.bpf.h"

/* What see_streams() returns in the layouts `flat` and `countdown` if an id is to be looked up: the
 * caller does that by array_see() and see_looked_up(). If see_streams() called them, the stack
 * would be too small for it.
 */
#define LOOK_UP (-5)

/* Counts the frame in stream n under this enum dedup_reason, and returns its XDP verdict. A global
 * function, so that `reason` is in a register where its bounds are tested.
 */
__noinline int conclude_frame(__u64 n, __u64 reason)
{
	struct frame *f = cpu_frame();
	struct packet pkt = { 0 };

	if (!f)
		return XDP_PASS;
	pkt.len = f->len;
	return conclude(&pkt, cpu_counters(n), reason);
}

/* A frame that matches stream n, which is *s. Returns the XDP verdict, NOT_OF_STREAM, LOOK_UP,
 * LOOK_UP_IDS, or TAKE_SLOW_PATH if slow_path_frame() is to judge the frame.
 */
static __always_inline int see_frame(struct xdp_md *ctx, struct frame *f,
				     const struct dedup_stream *s, __u32 n)
{
	struct packet pkt = { .len = f->len };
	struct dedup_lookup_key lookup = {
		.id = &f->id,
		.words = s->words,
		.bytes = s->bytes,
		.realm_key = s->realm_key,
	};
	int reason = check_gates(ctx, f, s);

	if (reason == NOT_OF_STREAM)
		return NOT_OF_STREAM;
	f->stream = n;
	if (reason == PARSED)
		reason = s->decoder == DEDUP_GSP ? read_gsp(ctx, f) : read_id(ctx, f, s);
	if (reason == LOOK_UP_IDS)
		return LOOK_UP_IDS;
	if (is_numbered(n)) {
		if (config.sources.paths)
			note_interface(ctx);
		if (reason == PARSED)
			reason = read_messages(ctx, f, n);
		if (reason == PARSED)
			return clock_stopped_or_slow_path() ? TAKE_SLOW_PATH : LOOK_UP_NUMBERS;
	}
	if (reason == PARSED && clock_stopped_or_slow_path())
		return TAKE_SLOW_PATH;
	if (reason == PARSED && dedup_is_no_id(&f->id, s->words))
		reason = DEDUP_REASON_no_id;
	if (reason != PARSED)
		return conclude_frame(n, reason);
	if (!in_arrays(&config))
		return see_id_blocked(ctx, &pkt, &lookup, n, false);
	return array_seek(&lookup, is_taught_at_once(ctx, n)) ? XDP_PASS : LOOK_UP;
}

/* Words of an id of stream n. */
static __always_inline __u32 words_of(__u64 n)
{
	DEDUP_BOUND(n, DEDUP_STREAMS_MAX - 1);
	return configuration()->policy.streams[n].words;
}

/* A frame of a stream that is delivered, for which array_see() has returned `known`: 0, or an
 * errno. Returns the XDP verdict. A global function: inlined, it would need the entry's stack.
 */
__noinline int deliver_looked_up(struct xdp_md *ctx, int known)
{
	const struct frame *f = cpu_frame();
	struct packet pkt = { 0 };

	if (!config.policy.deliver || !f)
		return XDP_PASS;
	pkt.len = f->len;
	return deliver_found(ctx, &pkt, &f->id, words_of(f->stream), f->stream, known);
}

/* What becomes of the frame for which see_streams() returned LOOK_UP and array_see() `known`. */
static __always_inline int see_looked_up(struct xdp_md *ctx, int known)
{
	const struct frame *f = cpu_frame();

	if (!f)
		return XDP_PASS;
	if (known != 1 && is_delivered(ctx, f->stream))
		return deliver_looked_up(ctx, known);
	return conclude_frame(f->stream, reason_of(known));
}

/* The stream of the frame. */
static __always_inline __u64 stream_of(const struct frame *f)
{
	__u64 n = config.policy.streams_cnt == 1 ? 0 : f->stream;

	DEDUP_BOUND(n, DEDUP_STREAMS_MAX - 1);
	return n;
}

/* Looks up the numbers of the frame in cpu_frame(). Returns an enum dedup_reason, or DEDUP_AGAIN.
 * With its `only_test`, fresh numbers are not learned. A global function, like the next one: their
 * stacks do not add up.
 */
__noinline int judge_frame_quickly(void)
{
	const struct frame *f = cpu_frame();
	__u64 n;

	if (!config.sources.sources || !f)
		return DEDUP_REASON_unlearned;
	n = stream_of(f);
	return judge_quickly(&f->id, &configuration()->policy.streams[n], numbered_of(n),
			     f->messages, config.policy.deliver ? &f->only_test : NULL);
}

/* Notes the path of the frame in cpu_frame(), which judge_frame_quickly() has judged. It is not
 * called by that: on Linux 6.1 their stacks would be too much together.
 */
__noinline int note_frame(void)
{
	const struct frame *f = cpu_frame();
	struct numbers *m = cpu_numbers();
	__u64 n;

	if (!config.sources.paths || !f || !m)
		return 0;
	n = stream_of(f);
	read_numbers(m, &f->id, words_of(n), numbered_of(n), f->messages);
	aim_at_this_filter(m, n, configuration()->policy.streams[n].realm_key);
	note_path();
	return 0;
}

/* Does judge_frame_quickly(), and note_frame() if that has judged the frame. With `only_test` fresh
 * numbers are not learned, and only a duplicate is noted.
 */
static __always_inline int judge_and_note_quickly(struct frame *f, bool only_test)
{
	int reason;

	if (config.policy.deliver)
		f->only_test = only_test;
	reason = judge_frame_quickly();
	if (config.policy.deliver && only_test && reason != DEDUP_REASON_duplicate)
		return reason;
	if (config.sources.paths && reason != DEDUP_AGAIN)
		note_frame();
	return reason;
}

/* Does it for the frames that take longer. */
__noinline int judge_frame(void)
{
	const struct frame *f = cpu_frame();
	struct numbers *m = cpu_numbers();
	int reason;
	__u64 n;

	if (!config.sources.sources || !f || !m)
		return DEDUP_REASON_unlearned;
	n = stream_of(f);
	read_numbers(m, &f->id, words_of(n), numbered_of(n), f->messages);
	aim_at_this_filter(m, n, configuration()->policy.streams[n].realm_key);
	reason = reason_of_numbers(see_numbers(m));
	if (config.sources.paths) /* also without room: meanwhile there may be some */
		note_path();
	return reason;
}

/* Are all numbers of the frame in cpu_frame() known? If so, its arrival is noted, but not its path.
 * Nothing is learned. A global function, too.
 */
__noinline int knows_frame(void)
{
	const struct frame *f = cpu_frame();
	struct numbers *m = cpu_numbers();
	__u64 n;

	if (!config.sources.sources || !config.policy.deliver || !f || !m)
		return false;
	n = stream_of(f);
	read_numbers(m, &f->id, words_of(n), numbered_of(n), f->messages);
	aim_at_this_filter(m, n, configuration()->policy.streams[n].realm_key);
	m->notes = 1;
	return knows_numbers();
}

/* Does the rest of see_numbers_of_frame() for a frame of a stream that is delivered. `reason`: what
 * judge_frame_quickly() has returned; it is not a duplicate. A global function: inlined, it would
 * need the entry's stack.
 */
__noinline int deliver_numbers(struct xdp_md *ctx, int reason)
{
	struct frame *f = cpu_frame();
	struct room room;
	int verdict;
	__u64 n;

	if (!config.policy.deliver || !config.sources.sources || !f)
		return XDP_PASS;
	n = stream_of(f);
	room.frames = 0;
	if (reason == DEDUP_AGAIN && knows_frame()) {
		reason = DEDUP_REASON_duplicate;
	} else if (take_room(ctx, &room, n)) {
		reason = judge_and_note_quickly(f, false);
		if (reason == DEDUP_AGAIN)
			reason = judge_frame();
	} else {
		reason = DEDUP_REASON_untaken;
	}
	if (config.sources.paths && !room.frames)
		note_frame();
	verdict = conclude_frame(n, reason);
	return end_delivery(ctx, &room, &f->id, words_of(n), n, reason, verdict);
}

/* What becomes of the frame for which LOOK_UP_NUMBERS was returned. */
static __always_inline int see_numbers_of_frame(struct xdp_md *ctx)
{
	struct frame *f = cpu_frame();
	struct packet pkt = { 0 };
	int reason;
	__u64 n;

	if (!f)
		return XDP_PASS;
	n = stream_of(f);
	reason = judge_and_note_quickly(f, is_delivered(ctx, n));
	pkt.len = f->len;
	if (likely(reason == DEDUP_REASON_duplicate)) /* a constant one */
		return conclude(&pkt, cpu_counters(n), DEDUP_REASON_duplicate);
	if (is_delivered(ctx, n))
		return deliver_numbers(ctx, reason);
	if (unlikely(reason == DEDUP_AGAIN))
		reason = judge_frame();
	return conclude_frame(n, reason);
}

/* The frame in cpu_frame(), of the numbered stream n, on the slow path; with `teach`, fresh numbers
 * are learned. Returns an enum dedup_reason. A global function: verified once.
 */
__noinline int slow_path_numbers(__u64 n, bool teach)
{
	const struct frame *f = cpu_frame();

	if (!config.sources.sources || !f)
		return DEDUP_REASON_unlearned;
	DEDUP_BOUND(n, DEDUP_STREAMS_MAX - 1);
	return slow_path_judge_numbers(&f->id, words_of(n), n,
				       configuration()->policy.streams[n].realm_key, f->messages,
				       teach);
}

/* Judges the frame for which see_streams() returned TAKE_SLOW_PATH: the window's clock has stopped,
 * or there may be a reason for the slow path. Returns the XDP verdict. A global function: verified
 * once.
 */
__noinline int slow_path_frame(struct xdp_md *ctx)
{
	const struct dedup_config *cfg = configuration();
	struct frame *f = cpu_frame();
	struct dedup_lookup_key lookup;
	struct room room;
	int reason, verdict;
	__u64 n;

	if (!f)
		return XDP_PASS;
	n = f->stream;
	DEDUP_BOUND(n, DEDUP_STREAMS_MAX - 1);
	lookup = (struct dedup_lookup_key){
		.id = &f->id,
		.words = cfg->policy.streams[n].words,
		.bytes = cfg->policy.streams[n].bytes,
		.realm_key = cfg->policy.streams[n].realm_key,
	};
	/* Numbers need no hand, but the time of DEDUP_DROP_FOR does. */
	if ((!is_numbered(n) || config.policy.action == DEDUP_DROP_FOR) && clock_stopped())
		return conclude_frame(n, DEDUP_REASON_stale);
	if (!is_numbered(n) && dedup_is_no_id(&f->id, lookup.words))
		return conclude_frame(n, DEDUP_REASON_no_id);
	if (is_delivered(ctx, n))
		reason = slow_path_judge_delivered(ctx, &room, &lookup, n, true);
	else
		reason = slow_path_judge(&lookup, n, true);
	/* Not in slow_path_numbers(): the stack has no room for both. */
	if (is_numbered(n) && config.sources.paths)
		note_path();
	take_sample(ctx, n, reason, 0, &f->id);
	verdict = conclude_frame(n, reason);
	if (!is_delivered(ctx, n))
		return verdict;
	return end_delivery(ctx, &room, &f->id, lookup.words, n, reason, verdict);
}

/* See see_frame(). A global function: verified once, for any n. */
__noinline int see_frame_of(struct xdp_md *ctx, __u32 n)
{
	struct frame *f = cpu_frame();
	__u64 i = n;

	if (!f || config.policy.streams_cnt < 2)
		return NOT_OF_STREAM;
	DEDUP_BOUND(i, DEDUP_STREAMS_MAX - 1);
	return see_frame(ctx, f, &configuration()->policy.streams[i], i);
}

/* May stream n take a packet in these tunnels? */
static __always_inline bool takes_inside(const struct frame *f, __u64 n)
{
	const struct dedup_config *cfg = configuration();

	DEDUP_BOUND(n, DEDUP_STREAMS_MAX - 1);
	return !(f->tunnels & ~cfg->policy.opens[n]) &&
	       (cfg->policy.streams[n].layer != DEDUP_ETHERNET || is_of_ethernet(f));
}

/* The frame belongs to the first stream that it matches and whose gates let it in. `inside`: it is
 * the packet in a tunnel.
 */
static __always_inline int see_one_of(struct xdp_md *ctx, const struct frame *f, bool inside)
{
	const struct dedup_config *cfg = configuration();
	int reason, verdict, wrong = DEDUP_REASON_ignored;
	__u32 counted = 0;

	for (__u64 n = 0; n < DEDUP_STREAMS_MAX && n < config.policy.streams_cnt; n++) {
		if (inside && !takes_inside(f, n))
			continue;
		reason = match(ctx, f, &cfg->policy.streams[n]);
		if (reason == PARSED) {
			verdict = see_frame_of(ctx, n);
			if (verdict != NOT_OF_STREAM)
				return verdict;
		} else if (reason != DEDUP_REASON_ignored && wrong == DEDUP_REASON_ignored) {
			wrong = reason;
			counted = n;
		}
	}
	return conclude_frame(counted, wrong);
}

/* A frame for which parse_frame() returned this: INSIDE, or a reason. Returns as see_streams(). A
 * global function, so that other frames do not pay for it.
 */
__noinline int see_inside(struct xdp_md *ctx, int reason)
{
	struct frame *f = cpu_frame();

	if (config.tunnels.kinds && reason == INSIDE && f)
		return see_one_of(ctx, f, true);
	return conclude_frame(0, reason);
}

/* A frame, in a filter with streams. Returns as see_frame() but for NOT_OF_STREAM. A frame that is
 * of no stream is `ignored`, or, if a stream of its layer could not tell, counted there by what is
 * wrong with it. A global function: verified once, apart from the entry.
 */
__noinline int see_streams(struct xdp_md *ctx)
{
	const struct dedup_stream *only = &configuration()->policy.streams[0];
	struct frame *f = cpu_frame();
	int reason, verdict;

	if (!f)
		return XDP_PASS;
	reason = parse_frame(ctx);
	if (unlikely(reason != PARSED)) {
		DEDUP_KEEP_BRANCH();
		return see_inside(ctx, reason);
	}
	if (config.policy.streams_cnt > 1)
		return see_one_of(ctx, f, false);
	reason = match(ctx, f, only);
	if (reason != PARSED)
		return conclude_frame(0, reason);
	verdict = see_frame(ctx, f, only, 0);
	return verdict == NOT_OF_STREAM ? conclude_frame(0, DEDUP_REASON_ignored) : verdict;
}

/* A frame, in a filter with streams; `numbered`: some of them are. Returns the XDP verdict. */
static __always_inline int see_stream_frame(struct xdp_md *ctx, bool numbered)
{
	int verdict = NOT_DIRECT;
	struct frame *f;

	if (config.policy.any_direct)
		verdict = numbered ? see_directly_apart(ctx) : see_directly(ctx, false);
	if (likely(verdict != NOT_DIRECT))
		return verdict;
	verdict = see_streams(ctx);
	if (likely(verdict >= 0))
		return verdict;
	f = cpu_frame();
	if (verdict == LOOK_UP)
		return see_looked_up(ctx, array_see());
	if (numbered && verdict == LOOK_UP_NUMBERS)
		return see_numbers_of_frame(ctx);
	if (verdict == TAKE_SLOW_PATH)
		return slow_path_frame(ctx);
	if (verdict == LOOK_UP_IDS && f)
		return conclude_frame(f->stream, see_ihave(ctx, f->ids_at, f->ids_cnt, f->stream));
	return XDP_PASS;
}
