/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Filters with streams, second step: is a frame one of a stream's? By its layer, port and
 * destination first; then by the stream's gates.
 */
#pragma once

#include <linux/bpf.h>

#include "frame.bpf.h"

/* A frame that does not belong to a stream, though its layer does: an XDP verdict is 0 or more. */
#define NOT_OF_STREAM (-4)

/* Is the port, in host order, one of the stream's? Most streams have one range. */
static __always_inline bool is_stream_port(const struct dedup_stream *s, __u16 port)
{
	__u64 first = s->ports_first;

	DEDUP_BOUND(first, DEDUP_PORTS_MAX - 1);
	if (likely(is_in(&config.policy.ports[first], port)))
		return true;
	for (__u64 i = 1; i < DEDUP_PORTS_MAX && i < s->ports_cnt; i++) {
		__u64 at = first + i;

		DEDUP_BOUND(at, DEDUP_PORTS_MAX - 1);
		if (is_in(&config.policy.ports[at], port))
			return true;
	}
	return false;
}

/* Is it an IP packet to one of the stream's destinations? */
static __always_inline bool is_stream_to(struct xdp_md *ctx, const struct frame *f,
					 const struct dedup_stream *s)
{
	struct packet pkt = {
		.pos = (void *)(long)ctx->data + (f->base[DEDUP_NETWORK] & FRAME_OFFSET_MASK),
		.end = (void *)(long)ctx->data_end,
	};

	return is_to_named(&pkt, f->proto, s->to_first, s->to4_cnt, s->to_cnt);
}

/* Is the frame one of the stream's, as far as its layer, port and destination tell? PARSED: yes;
 * ignored: no; else what is wrong with a packet of its layer.
 */
static __always_inline int match(struct xdp_md *ctx, const struct frame *f,
				 const struct dedup_stream *s)
{
	int reason = PARSED;

	if (!s->forwarded && !f->host)
		return DEDUP_REASON_ignored;
	if (s->layer == DEDUP_UDP)
		reason = f->udp;
	else if (s->layer == DEDUP_IP)
		reason = f->ip;
	else if (s->ethertype && s->ethertype != f->proto)
		return DEDUP_REASON_ignored;
	if (reason == DEDUP_REASON_truncated) /* perhaps without an address, or a port */
		return reason;
	if (s->to_cnt && !is_stream_to(ctx, f, s))
		return DEDUP_REASON_ignored;
	if (reason == PARSED && s->layer == DEDUP_UDP && !is_stream_port(s, f->port))
		return DEDUP_REASON_ignored;
	return reason;
}

/* Asks a gate. Returns what check_gates() returns. */
static __always_inline int check_gate(struct xdp_md *ctx, const struct frame *f,
				      const struct dedup_gate *gate)
{
	bool holds;
	__u64 word;

	if (!load_word(ctx, f, &gate->load, &word))
		return gate->exempt ? DEDUP_REASON_bad_length : NOT_OF_STREAM;
	holds = (word == gate->value) == gate->equal;
	if (gate->exempt)
		return holds ? DEDUP_REASON_exempt : PARSED;
	return holds ? PARSED : NOT_OF_STREAM;
}

/* Asks the stream's gates. PARSED if the frame's id is to be looked up; NOT_OF_STREAM if what is
 * required does not hold, or lies behind the frame's end; else a reason.
 */
static __always_inline int check_gates(struct xdp_md *ctx, const struct frame *f,
				       const struct dedup_stream *s)
{
	int result = PARSED;

	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_GATES_MAX; i++)
		if (i < s->gates_cnt && result == PARSED)
			result = check_gate(ctx, f, &s->gates[i]);
	return result;
}
