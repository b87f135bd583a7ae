/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A short cut for most frames of most filters with streams: UDP datagrams to a port of one stream
 * alone, whose id and conditions are in the payload. They are parsed as GSP/1 is, without a
 * struct frame. All other frames, and all that is wrong with one, are left to stream.bpf.h; so are
 * fresh ones of streams that are delivered, as the entry's stack has no room for their room.
 */
#pragma once

#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "destination.bpf.h"
#include "digest.bpf.h"
#include "maps.bpf.h"
#include "parse.bpf.h"
#include "stream_id.bpf.h"
#include "verdict.bpf.h"

/* Where a CPU puts an id together: on the entry's stack, to which that of all others is added,
 * there is no room.
 */
DEDUP_SCRATCH(ids, struct dedup_id, cpu_id)

/* The stream, below DEDUP_STREAMS_MAX, that alone takes packets to this port, in host order; or
 * DEDUP_STREAMS_MAX.
 */
static __always_inline __u64 direct_stream(__u16 port)
{
	if (likely(is_in(&config.policy.ports[0], port)))
		return config.policy.direct[0];
	for (__u64 i = 1; i < DEDUP_PORTS_MAX && i < config.policy.ports_cnt; i++)
		if (is_in(&config.policy.ports[i], port))
			return config.policy.direct[i];
	return DEDUP_STREAMS_MAX;
}

/* Parses an Ethernet frame for this host, down to its UDP payload. False: it is none. */
static __always_inline bool parse_datagram(struct xdp_md *ctx, struct packet *pkt)
{
	__be16 proto;
	__u64 word;

	if (open_packet(ctx, pkt) != PARSED)
		return false;
	word = dedup_mac_word(*(const __u64 *)ethernet(pkt));
	if (!config.policy.forwarded && word != READ_ONCE(record.own_mac) &&
	    !is_group_mac(ethernet(pkt)) && !(config.asked.several && is_own_of_several(ctx, word)))
		return false;
	if (parse_tags(pkt, &proto) != PARSED)
		return false;
	if (proto == bpf_htons(ETH_P_IP)) {
		if (parse_ipv4(pkt) != PARSED)
			return false;
	} else if (proto != bpf_htons(ETH_P_IPV6) || parse_ipv6(ctx, pkt) != PARSED) {
		return false;
	}
	return parse_udp(ctx, pkt) == PARSED;
}

/* The word of 8 bytes that are a load's. Most loads take all 8. */
static __always_inline __u64 direct_part(const struct dedup_load *load, __u64 bytes)
{
	return likely(load->form == DEDUP_WHOLE) ? bytes : dedup_load_word(load, bytes);
}

/* Reads the word of a load whose base is the payload, which begins at pkt->pos. False if it lies
 * behind the payload, or behind the packet's first buffer.
 */
static __always_inline bool direct_word(const struct packet *pkt, const struct dedup_load *load,
					__u64 *word)
{
	void *from = pkt->pos - 8; /* in the UDP header: the first place at which a load begins */
	__u64 at = (__u32)(load->at + 8);

	if (unlikely(at > pkt->payload_len))
		return false;
	DEDUP_BOUND(at, FRAME_OFFSET_MASK);
	from += at;
	if (unlikely(from + sizeof(*word) > pkt->end))
		return false;
	*word = direct_part(load, *(__u64 *)from);
	return true;
}

/* Reads the words of the id's loads. */
static __always_inline bool direct_words(const struct packet *pkt, const struct dedup_stream *s,
					 struct dedup_id *id)
{
	bool good = true;

	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_ID_WORDS_MAX; i++)
		if (i < s->loads_cnt && good)
			good = direct_word(pkt, &s->loads[i], &id->word[i]);
	return good;
}

/* Does what direct_words() does, for a filter's only stream: all fields of *s are constants to the
 * verifier, which sees from one comparison that all loads are within bounds. *out becomes a
 * pointer into the packet if the packet has the words one behind the other; else the words are put
 * where it points to.
 */
static __always_inline bool direct_words_of_only(const struct packet *pkt,
						 const struct dedup_stream *s, struct dedup_id **out)
{
	struct dedup_id *id = *out;

	if (unlikely(pkt->payload_len < s->need || pkt->pos + s->need > pkt->end))
		return false;
	if (s->adjacent) {
		*out = pkt->pos + (__u32)s->loads[0].at;
		return true;
	}
	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_ID_WORDS_MAX; i++) {
		const struct dedup_load *load = &s->loads[i];

		if (i < s->loads_cnt)
			id->word[i] =
				direct_part(load, *(__u64 *)(pkt->pos - 8 + (__u32)(load->at + 8)));
	}
	return true;
}

/* Do all gates let the packet in? */
static __always_inline bool is_let_in(const struct packet *pkt, const struct dedup_stream *s)
{
	bool in = true;
	__u64 word;

	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_GATES_MAX; i++)
		if (i < s->gates_cnt && in)
			in = direct_word(pkt, &s->gates[i].load, &word) &&
			     ((word == s->gates[i].value) == s->gates[i].equal) != s->gates[i].exempt;
	return in;
}

/* Puts the payload's digest behind the id's other words. False if there is none. */
static __always_inline bool put_digest(struct xdp_md *ctx, const struct packet *pkt,
				       const struct dedup_stream *s, struct dedup_id *id)
{
	__u32 bytes = pkt->payload_len;
	__u64 word;

	if (dedup_digest_is_too_long(bytes, s->digest_max))
		return false;
	word = DIGEST(ctx, frame_offset(ctx, pkt), bytes,
		      bytes < s->digest_max ? bytes : s->digest_max, DEDUP_DIGEST_PAYLOAD);
	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_ID_WORDS_MAX; i++)
		if (i == s->loads_cnt)
			id->word[i] = word;
	return word;
}

static __always_inline int judge_and_note_quickly(struct frame *f, bool only_test);

/* Has a datagram judged and noted as other frames are. In a stream that is delivered it judges only
 * duplicates: for others it returns DEDUP_AGAIN.
 */
static __always_inline int judge_as_frame(struct xdp_md *ctx, const struct dedup_id *id,
					  const struct dedup_stream *s, __u32 n, __u32 messages)
{
	struct frame *f = cpu_frame();
	__u64 bounded;
	int reason;

	if (!f)
		return DEDUP_AGAIN;
	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_ID_WORDS_MAX; i++)
		if (i < s->words)
			f->id.word[i] = id->word[i];
	f->stream = n;
	f->messages = messages;
	note_interface(ctx);
	reason = judge_and_note_quickly(f, is_delivered(ctx, n));
	if (reason == DEDUP_AGAIN || (is_delivered(ctx, n) && reason != DEDUP_REASON_duplicate))
		return DEDUP_AGAIN;
	bounded = reason;
	DEDUP_BOUND(bounded, DEDUP_REASONS_MAX - 1);
	return bounded;
}

/* A datagram of `messages` with this id, of the numbered stream n. Returns the XDP verdict, or
 * NOT_DIRECT.
 */
static __always_inline int see_messages_directly(struct xdp_md *ctx, const struct packet *pkt,
						 const struct dedup_id *id,
						 const struct dedup_stream *s, __u32 n,
						 __u32 messages)
{
	struct dedup_quick_source q;
	int seen = look_quickly(id, s, numbered_of(n), messages, &q);

	if (likely(seen == DEDUP_SEEN)) /* a constant reason */
		return conclude(pkt, cpu_counters(n), DEDUP_REASON_duplicate);
	if (seen == DEDUP_AGAIN || is_delivered(ctx, n))
		return NOT_DIRECT;
	seen = learn_quickly(numbered_of(n), &q);
	return seen == DEDUP_AGAIN ? NOT_DIRECT
				   : conclude(pkt, cpu_counters(n), reason_of_numbers(seen));
}

/* A datagram with this id, of the numbered stream n. Returns the XDP verdict, or NOT_DIRECT. */
static __always_inline int see_numbers_directly(struct xdp_md *ctx, const struct packet *pkt,
						const struct dedup_id *id,
						const struct dedup_stream *s, __u32 n)
{
	const struct dedup_numbered *numbered = numbered_of(n);
	__u32 messages = 1;
	__u64 word;
	int reason;

	if (numbered->count.bytes) {
		if (!direct_word(pkt, &numbered->count, &word))
			return NOT_DIRECT;
		messages = messages_of(numbered, word);
		if (!messages || messages > pkt->payload_len)
			return NOT_DIRECT;
	}
	if (!config.sources.paths)
		return see_messages_directly(ctx, pkt, id, s, n, messages);
	reason = judge_as_frame(ctx, id, s, n, messages);
	if (likely(reason == DEDUP_REASON_duplicate)) /* a constant one */
		return conclude(pkt, cpu_counters(n), DEDUP_REASON_duplicate);
	return reason == DEDUP_AGAIN ? NOT_DIRECT : conclude(pkt, cpu_counters(n), reason);
}

/* A datagram for stream n, which is *s. Returns the XDP verdict, or NOT_DIRECT. */
static __always_inline int see_datagram(struct xdp_md *ctx, const struct packet *pkt,
					const struct dedup_stream *s, __u32 n, bool only,
					bool numbered)
{
	struct dedup_id *id = cpu_id();
	struct dedup_lookup_key lookup = {
		.words = s->words,
		.realm_key = s->realm_key,
	};

	if (!id)
		return NOT_DIRECT;
	if (!only)
		*id = (struct dedup_id){ 0 };
	if (s->gates_cnt && !is_let_in(pkt, s))
		return NOT_DIRECT;
	if (!(only ? direct_words_of_only(pkt, s, &id) : direct_words(pkt, s, id)))
		return NOT_DIRECT;
	if (s->digest && !put_digest(ctx, pkt, s, id))
		return NOT_DIRECT;
	if (unlikely(clock_stopped_or_slow_path()))
		return NOT_DIRECT;
	if (numbered && is_numbered(n))
		return see_numbers_directly(ctx, pkt, id, s, n);
	if (unlikely(dedup_is_no_id(id, s->words)))
		return NOT_DIRECT;
	lookup.id = id;
	return see_id_blocked(ctx, pkt, &lookup, n, true);
}

/* Takes the short cut, with `numbered` also for numbered streams. Returns the XDP verdict, or
 * NOT_DIRECT.
 */
static __always_inline int see_directly(struct xdp_md *ctx, bool numbered)
{
	const struct dedup_config *cfg = configuration();
	struct packet pkt = { 0 };
	__u64 n;

	if (!parse_datagram(ctx, &pkt))
		return NOT_DIRECT;
	if (config.policy.streams_cnt == 1)
		return see_datagram(ctx, &pkt, &cfg->policy.streams[0], 0, true, numbered);
	n = direct_stream(bpf_ntohs(((struct udphdr *)pkt.pos - 1)->dest));
	if (n >= DEDUP_STREAMS_MAX)
		return NOT_DIRECT;
	DEDUP_BOUND(n, DEDUP_STREAMS_MAX - 1);
	return see_datagram(ctx, &pkt, &cfg->policy.streams[n], n, false, numbered);
}

/* Does so in filters with numbered streams. A global function: the entry's stack is for what
 * follows if this returns NOT_DIRECT. Before Linux 6.8 it is verified even where nothing calls it:
 * then without a stream that can be decoded here, as PRP's, whose loads are at the frame's end.
 */
__noinline int see_directly_apart(struct xdp_md *ctx)
{
	if (!config.sources.sources || !config.policy.any_direct)
		return NOT_DIRECT;
	return see_directly(ctx, true);
}
