/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The digest of a payload, an IP packet or a frame (include/digest.h). */
#pragma once

#include <linux/bpf.h>
#include <linux/ip.h>
#include <linux/ipv6.h>

#include <bpf/bpf_helpers.h>

#include "digest.h"
#include "maps.bpf.h"
#include "stream.h"

/* The bytes that are hashed, copied from the packet, which may lie in several buffers. */
struct digest_input {
	__u64 word[DEDUP_DIGEST_WORDS + 1];
	__u64 front; /* where the frame begins: 0 unless it is in a tunnel */
};

DEDUP_SCRATCH(digest_inputs, struct digest_input, cpu_digest_input)

/* Is the checksum of the IPv4 header that begins here right? The whole header has been copied. */
static __always_inline bool is_ipv4_sum_right(const struct digest_input *in)
{
	const __u32 *half = (const void *)in->word;
	__u64 sum = 0, words = *(const __u8 *)in->word & 15;

	DEDUP_UNROLL
	for (__u64 i = 0; i < 15; i++)
		if (i < words)
			sum += half[i];
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

/* Hashes the first `cnt` (at most DEDUP_DIGEST_MAX) of the `bytes` bytes from this frame offset on,
 * which the frame has; `of`: enum dedup_digest_of. An IP packet's header is among those `cnt`. Of a
 * frame they are what is behind the VLAN tags, from its EtherType on, and 12 bytes before, instead
 * of which its MACs are hashed; a short one is padded. Returns the digest; 0 if there is none: no
 * bytes, or an IPv4 header whose checksum is wrong. A global function: verified once.
 */
__noinline __u64 digest(struct xdp_md *ctx, __u32 at, __u32 bytes, __u32 cnt, __u32 of)
{
	const struct dedup_config *cfg = configuration();
	struct digest_input *in;
	struct dedup_digest d;
	__u64 size = (__u64)cnt - 1, last;

	in = cpu_digest_input();
	/* One comparison that Linux 6.1 takes both bounds of `size` from: it takes none from != 0. */
	barrier_var(size);
	if (!in || size >= DEDUP_DIGEST_MAX)
		return 0;
	size++;
	barrier_var(size);
	last = size / 8;
	barrier_var(last); /* else the compiler knows that it is in range, and the verifier does not */
	if (last > DEDUP_DIGEST_WORDS)
		return 0;
	if (of == DEDUP_DIGEST_FRAME)
		for (__u64 i = 0; 8 * i < DEDUP_DIGEST_FRAME_LEAST; i++)
			in->word[i] = 0;
	in->word[last] = 0; /* behind the last byte come zeros */
	if (bpf_xdp_load_bytes(ctx, at, in->word, size))
		return 0;
	if (of == DEDUP_DIGEST_FRAME) {
		if (bpf_xdp_load_bytes(ctx, in->front, in->word, DEDUP_DIGEST_MACS))
			return 0;
		bytes = dedup_digest_padded(bytes);
		if (size < DEDUP_DIGEST_FRAME_LEAST)
			size = DEDUP_DIGEST_FRAME_LEAST;
	} else if (of == DEDUP_DIGEST_PACKET) {
		if (*(__u8 *)in->word >> 4 == 4 && !is_ipv4_sum_right(in))
			return 0;
		dedup_digest_normalize((__u8 *)in->word);
	}
	dedup_digest_start(&d, bytes, cfg->secrets.digest_key);
	for (__u64 i = 0; i < DEDUP_DIGEST_WORDS && 8 * i < size; i++)
		dedup_digest_word(&d, in->word[i], cfg->secrets.digest_key, i);
	return dedup_digest_end(&d);
}

/* Is the header of the IP packet at this frame offset within its first `bytes` bytes, and, if it is
 * IPv4, is its checksum right?
 */
static __always_inline bool is_header_right(struct xdp_md *ctx, __u32 at, __u32 bytes)
{
	struct digest_input *in = cpu_digest_input();
	__u64 header;

	if (!in || bytes < sizeof(struct iphdr) ||
	    bpf_xdp_load_bytes(ctx, at, in->word, sizeof(struct iphdr)))
		return false;
	header = *(__u8 *)in->word;
	if (header >> 4 != 4)
		return bytes >= sizeof(struct ipv6hdr);
	header = 4 * (header & 15);
	barrier_var(header);
	if (header < sizeof(struct iphdr) || header > 60 || header > bytes ||
	    bpf_xdp_load_bytes(ctx, at, in->word, header))
		return false;
	return is_ipv4_sum_right(in);
}

/* Does what digest() does, for a stream with DEDUP_DIGEST_PART. `out`: how many bytes are left out,
 * in its lower 16 bits those in front, in the upper 16 those at the end. `bytes`: of the whole
 * payload, packet or frame. of_and_max: in the upper 16 bits an enum dedup_digest_of, in the lower
 * 16 the most bytes to hash. A packet or a frame without its beginning is hashed as a payload is. A
 * global function: so the code of other streams stays as it was.
 */
__noinline __u64 digest_part(struct xdp_md *ctx, __u32 at, __u32 bytes, __u32 out, __u32 of_and_max)
{
	__u32 skip = out & 0xffff, trailer = out >> 16, of = of_and_max >> 16,
	      max = of_and_max & 0xffff;
	__u32 left;

	if (bytes <= skip + trailer)
		return 0;
	left = bytes - skip - trailer;
	if (dedup_digest_is_too_long(left, max))
		return 0;
	if (of == DEDUP_DIGEST_FRAME && !skip && left < DEDUP_DIGEST_HEADER)
		return 0;
	if (of == DEDUP_DIGEST_PACKET && !is_header_right(ctx, at, skip ? bytes : left))
		return 0;
	return digest(ctx, at + skip, left, left < max ? left : max,
		      skip ? DEDUP_DIGEST_PAYLOAD : of);
}

/* What computes a digest: user space has one that remembers the last. */
#ifndef DIGEST
#define DIGEST digest
#endif
