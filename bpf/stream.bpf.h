/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Filters with streams (include/stream.h): what a frame is, which stream it belongs to, its id. The
 * last function takes these steps.
 */
#ifndef XDP_DEDUP_STREAM_BPF_H
#define XDP_DEDUP_STREAM_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "destination.bpf.h"
#include "digest.bpf.h"
#include "direct.bpf.h"
#include "gossip.bpf.h"
#include "parse.bpf.h"
#include "verdict.bpf.h"

/* A frame that does not belong to a stream, though its layer does: an XDP verdict is 0 or more. */
#define NOT_OF_STREAM (-4)

#define BASE_SLOTS 8 /* enum dedup_base, up to a power of 2 */

/* What see_streams() returns in the layouts `flat` and `countdown` if an id is to be looked up: the
 * caller does that by array_see() and see_looked_up(). If see_streams() called them, the stack
 * would be too small for it.
 */
#define LOOK_UP (-5)

/* What it returns for an IHAVE, in any layout: the caller does that by see_ihave() and conclude_frame(). */
#define LOOK_UP_IDS (-6)

/* What a frame is. Places are bytes from its front. In a map, as it would take too much of the
 * stack; a CPU finishes a frame before it takes the next one.
 */
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
	struct dedup_id id;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct frame);
} frames SEC(".maps");

/* This CPU's. Never NULL, which the verifier does not know. */
static __always_inline struct frame *cpu_frame(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&frames, &zero);
}

/* Takes in the IP packet at pkt->pos, whatever it carries. PARSED, or the reason why it is none. */
static __always_inline int parse_network(const struct packet *pkt, struct frame *f)
{
	struct iphdr *ip4 = pkt->pos;
	struct ipv6hdr *ip6 = pkt->pos;
	__u32 len;

	if (f->proto == bpf_htons(ETH_P_IP)) {
		if ((void *)(ip4 + 1) > pkt->end)
			return DEDUP_REASON_truncated;
		len = bpf_ntohs(ip4->tot_len);
		if (ip4->version != 4 || ip4->ihl < 5 || len < ip4->ihl * 4)
			return DEDUP_REASON_bad_ip;
	} else {
		if ((void *)(ip6 + 1) > pkt->end)
			return DEDUP_REASON_truncated;
		len = bpf_ntohs(ip6->payload_len);
		/* A jumbogram's length is elsewhere (RFC 2675). */
		if (ip6->version != 6 || (!len && ip6->nexthdr == IPPROTO_HOPOPTS))
			return DEDUP_REASON_bad_ip;
		len += sizeof(*ip6);
	}
	len += f->base[DEDUP_NETWORK];
	if (len > f->limit[DEDUP_FRAME])
		return DEDUP_REASON_truncated;
	f->len = f->limit[DEDUP_NETWORK] = len;
	return PARSED;
}

/* Finds out what the frame is. PARSED, or the reason why it is none of any stream. A global
 * function: verified once, and not again what follows it for each path through it.
 */
__noinline int parse_frame(struct xdp_md *ctx)
{
	bool host = !config.policy.forwarded && is_for_host(ctx);
	void *data = (void *)(long)ctx->data;
	struct frame *f = cpu_frame();
	struct packet pkt = { 0 };
	int reason;

	if (!f)
		return DEDUP_REASON_ignored;
	f->host = host;
	reason = open_packet(ctx, &pkt);
	if (reason != PARSED)
		return reason;
	if (config.policy.vlans_cnt && !is_of_vlan(&pkt))
		return DEDUP_REASON_ignored;
	reason = parse_tags(&pkt, &f->proto);
	if (reason != PARSED)
		return reason;
	f->len = config.policy.frames && config.frags ? bpf_xdp_get_buff_len(ctx) : pkt.end - data;
	f->limit[DEDUP_FRAME] = f->limit[DEDUP_TAG] = f->limit[DEDUP_END] = f->len;
	f->base[DEDUP_END] = f->len;
	f->base[DEDUP_TAG] = f->base[DEDUP_NETWORK] = pkt.pos - data;
	f->udp = f->ip = DEDUP_REASON_ignored;
	if (config.policy.frames &&
	    (f->proto == bpf_htons(ETH_P_IP) || f->proto == bpf_htons(ETH_P_IPV6)))
		f->ip = parse_network(&pkt, f);
	if (!config.policy.ports_cnt)
		return PARSED;
	if (f->proto == bpf_htons(ETH_P_IP))
		f->udp = parse_ipv4(&pkt);
	else if (f->proto == bpf_htons(ETH_P_IPV6))
		f->udp = parse_ipv6(&pkt);
	if (f->udp == PARSED)
		f->udp = parse_udp(ctx, &pkt);
	if (f->udp != PARSED)
		return PARSED;
	f->port = bpf_ntohs(((struct udphdr *)pkt.pos - 1)->dest);
	f->len = f->limit[DEDUP_NETWORK] = pkt.len;
	f->base[DEDUP_PAYLOAD] = pkt.pos - data;
	f->limit[DEDUP_PAYLOAD] = f->base[DEDUP_PAYLOAD] + pkt.payload_len;
	return PARSED;
}

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

/* Asks a gate. PARSED if it lets the frame in; else as check_gates(). */
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

/* Where what this stream's digest is made of begins. */
static __always_inline __u32 digest_from(const struct frame *f, __u32 of)
{
	if (of == DEDUP_DIGEST_FRAME)
		return f->base[DEDUP_TAG] - DEDUP_DIGEST_HEADER;
	return f->base[of == DEDUP_DIGEST_PACKET ? DEDUP_NETWORK : DEDUP_PAYLOAD];
}

/* Behind its last byte. */
static __always_inline __u32 digest_to(const struct frame *f, __u32 of)
{
	if (of == DEDUP_DIGEST_FRAME)
		return f->limit[DEDUP_FRAME];
	return f->limit[of == DEDUP_DIGEST_PACKET ? DEDUP_NETWORK : DEDUP_PAYLOAD];
}

/* Computes the digest of the stream's part of the frame. PARSED, or the reason why there is none. */
static __always_inline int read_digest(struct xdp_md *ctx, const struct frame *f,
				       const struct dedup_stream *s, __u64 *word)
{
	__u32 at = digest_from(f, s->digest), bytes = digest_to(f, s->digest) - at;

	if (dedup_digest_is_too_long(bytes, s->digest_max))
		return DEDUP_REASON_too_long;
	*word = DIGEST(ctx, at, bytes, bytes < s->digest_max ? bytes : s->digest_max, s->digest);
	if (*word)
		return PARSED;
	return s->digest == DEDUP_DIGEST_PACKET ? DEDUP_REASON_bad_ip : DEDUP_REASON_bad_length;
}

/* Puts together f->id. PARSED, or the reason why there is none. */
static __always_inline int read_id(struct xdp_md *ctx, struct frame *f, const struct dedup_stream *s)
{
	__u64 word = 0;
	int reason;

	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_ID_WORDS_MAX; i++) {
		if (i < s->loads_cnt) {
			if (!load_word(ctx, f, &s->loads[i], &word))
				return DEDUP_REASON_bad_length;
			f->id.word[i] = word;
		}
	}
	if (!s->digest)
		return PARSED;
	reason = read_digest(ctx, f, s, &word);
	if (reason != PARSED)
		return reason;
	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_ID_WORDS_MAX; i++)
		if (i == s->loads_cnt)
			f->id.word[i] = word;
	return PARSED;
}

/* The same of a GSP/1 packet: PARSED with an EVENT's id; LOOK_UP_IDS of an IHAVE. */
static __always_inline int read_gsp(struct xdp_md *ctx, struct frame *f)
{
	struct packet pkt = {
		.pos = (void *)(long)ctx->data + (f->base[DEDUP_PAYLOAD] & FRAME_OFFSET_MASK),
		.end = (void *)(long)ctx->data_end,
		.payload_len = f->limit[DEDUP_PAYLOAD] - f->base[DEDUP_PAYLOAD],
	};
	int reason = parse_gsp(&pkt);

	if (reason != PARSED)
		return reason;
	if (gsp(&pkt)->type == GSP_IWANT)
		return DEDUP_REASON_exempt;
	if (gsp(&pkt)->type == GSP_IHAVE) {
		f->ids_at = frame_offset(ctx, &pkt);
		f->ids_cnt = gsp(&pkt)->count;
		return LOOK_UP_IDS;
	}
	if (pkt.pos + GSP_ID_BYTES > pkt.end)
		return DEDUP_REASON_truncated;
	DEDUP_UNROLL
	for (__u32 i = 0; i < GSP_ID_WORDS; i++)
		f->id.word[i] = ((__u64 *)pkt.pos)[i];
	return PARSED;
}

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
	if (reason == PARSED && clock_stopped_or_slow_path())
		return TAKE_SLOW_PATH;
	if (reason == PARSED && dedup_is_no_id(&f->id, s->words))
		reason = DEDUP_REASON_no_id;
	if (reason != PARSED)
		return conclude_frame(n, reason);
	if (config.memory.layout == DEDUP_BLOCKED)
		return see_id_blocked(ctx, &pkt, &lookup, n);
	return array_seek(&lookup, !config.policy.learn_app) ? XDP_PASS : LOOK_UP;
}

/* Words of an id of stream n. */
static __always_inline __u32 words_of(__u64 n)
{
	DEDUP_BOUND(n, DEDUP_STREAMS_MAX - 1);
	return configuration()->policy.streams[n].words;
}

/* What becomes of the frame for which see_streams() returned LOOK_UP and array_see() `known`. */
static __always_inline int see_looked_up(struct xdp_md *ctx, int known)
{
	const struct frame *f = cpu_frame();
	int verdict;

	if (!f)
		return XDP_PASS;
	verdict = conclude_frame(f->stream, reason_of(known));
	return pass_on(ctx, &f->id, words_of(f->stream), f->stream, reason_of(known), verdict);
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
	if (clock_stopped())
		return conclude_frame(n, DEDUP_REASON_stale);
	if (dedup_is_no_id(&f->id, lookup.words))
		return conclude_frame(n, DEDUP_REASON_no_id);
	if (is_others(ctx, &f->id, lookup.words))
		return XDP_PASS;
	reason = slow_path_judge(&lookup, n);
	take_sample(ctx, n, reason, 0, &f->id);
	verdict = conclude_frame(n, reason);
	return note_judged(ctx, pass_on(ctx, &f->id, lookup.words, n, reason, verdict));
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

/* The frame belongs to the first stream that it matches and whose gates let it in. */
static __always_inline int see_one_of(struct xdp_md *ctx, const struct frame *f)
{
	const struct dedup_config *cfg = configuration();
	int reason, verdict, wrong = DEDUP_REASON_ignored;
	__u32 counted = 0;

	for (__u64 n = 0; n < DEDUP_STREAMS_MAX && n < config.policy.streams_cnt; n++) {
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
	if (reason != PARSED)
		return conclude_frame(0, reason);
	if (config.policy.streams_cnt > 1)
		return see_one_of(ctx, f);
	reason = match(ctx, f, only);
	if (reason != PARSED)
		return conclude_frame(0, reason);
	verdict = see_frame(ctx, f, only, 0);
	return verdict == NOT_OF_STREAM ? conclude_frame(0, DEDUP_REASON_ignored) : verdict;
}

/* A frame, in a filter with streams. Returns the XDP verdict. */
static __always_inline int see_stream_frame(struct xdp_md *ctx)
{
	int verdict = config.policy.any_direct ? see_directly(ctx) : NOT_DIRECT;
	struct frame *f;

	if (likely(verdict != NOT_DIRECT))
		return verdict;
	verdict = see_streams(ctx);
	if (likely(verdict >= 0))
		return verdict;
	f = cpu_frame();
	if (verdict == LOOK_UP)
		return see_looked_up(ctx, array_see());
	if (verdict == TAKE_SLOW_PATH)
		return slow_path_frame(ctx);
	if (verdict == LOOK_UP_IDS && f)
		return conclude_frame(f->stream, see_ihave(ctx, f->ids_at, f->ids_cnt, f->stream));
	return XDP_PASS;
}

#endif
