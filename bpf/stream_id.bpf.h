/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Filters with streams, third step: the id of a frame, by its stream's rules. */
#pragma once

#include <linux/bpf.h>

#include "digest.bpf.h"
#include "frame.bpf.h"
#include "gsp.bpf.h"
#include "numbers.bpf.h"

/* What read_gsp() and see_streams() return for an IHAVE, in any layout: the caller judges it by
 * see_ihave() and conclude_frame().
 */
#define LOOK_UP_IDS (-6)

/* What is returned, in any layout, for a frame of a numbered stream that is to be looked up: the
 * entry does that by see_numbers_of_frame().
 */
#define LOOK_UP_NUMBERS (-8)

/* Where the bytes begin of which the digest is made. */
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
	if (s->digest_max > DEDUP_DIGEST_MAX) {
		DEDUP_KEEP_BRANCH();
		*word = digest_part(ctx, at, bytes, s->digest_skip | s->digest_trailer << 16,
				    s->digest << 16 | dedup_digest_max(s));
	} else {
		*word = DIGEST(ctx, at, bytes, bytes < s->digest_max ? bytes : s->digest_max,
			       s->digest);
	}
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

/* How many messages a packet of a numbered stream has: at least 1; 0: no sensible number. */
static __always_inline __u32 messages_of(const struct dedup_numbered *numbered, __u64 word)
{
	__u64 cnt = dedup_integer_in(word, numbered->count_little, numbered->count_shift);

	return cnt <= DEDUP_PACKET_NUMBERS && cnt <= DEDUP_HISTORY(numbered->recovery.ring_shift & 63)
		       ? cnt
		       : 0;
}

/* Reads f->messages of a frame of stream n. PARSED, or the reason why that cannot be. */
static __always_inline int read_messages(struct xdp_md *ctx, struct frame *f, __u32 n)
{
	const struct dedup_numbered *numbered = numbered_of(n);
	__u64 word;

	f->messages = 1;
	if (!numbered->count.bytes)
		return PARSED;
	if (!load_word(ctx, f, &numbered->count, &word))
		return DEDUP_REASON_bad_length;
	f->messages = messages_of(numbered, word);
	/* Each takes at least a byte. A wrong count would make numbers known that never came. */
	return f->messages && f->messages <= f->len ? PARSED : DEDUP_REASON_bad_count;
}

/* Puts together f->id of a GSP/1 packet. PARSED with an EVENT's id; LOOK_UP_IDS of an IHAVE; else
 * the reason why there is none.
 */
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
