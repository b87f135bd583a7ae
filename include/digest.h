/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The keyed hash of a whole payload or packet: the last word of an id where only byte-identical
 * copies are duplicates.
 */
#pragma once

#include "compiler.h"

#define DEDUP_DIGEST_MAX 9216 /* bytes: jumbo frames */
#define DEDUP_DIGEST_WORDS (DEDUP_DIGEST_MAX / 8)
#define DEDUP_DIGEST_MACS 12			    /* bytes of a frame, before its VLAN tags */
#define DEDUP_DIGEST_HEADER (DEDUP_DIGEST_MACS + 2) /* with the EtherType */
#define DEDUP_DIGEST_FRAME_LEAST 60 /* of a frame without its VLAN tags: shorter ones are padded */
#define DEDUP_DIGEST_PART \
	(1 << 16) /* in a stream's digest_max: digest_skip or digest_trailer is not 0 */
#define DEDUP_DIGEST_SKIP_LEAST \
	12 /* of IP packets and frames: what routers change, and the MACs, are before byte 12 */
#define DEDUP_DIGEST_KEYS (4 + 2 * DEDUP_DIGEST_WORDS + 2)

/* Two sums of multilinear-HM (Lemire and Kaser, "Strongly universal string hashing is fast", The
 * Computer Journal 57, 2014), 32 bits of each. The second sum takes its keys one pair further
 * (Toeplitz, as in UMAC). Without the key, two different inputs collide with a probability of at
 * most 2^-64. If their lengths differ, the lengths' own keys ensure that. Else consider the last
 * word in which they differ: its keys in the second sum meet only equal words in the first, so
 * each sum collides with 2^-32 whatever the other one does.
 */
struct dedup_digest {
	__u64 a, b;
};

/* bytes: the length of the whole input, also if only its beginning is hashed. */
static __always_inline void dedup_digest_start(struct dedup_digest *d, __u64 bytes, const __u64 *key)
{
	d->a = key[0] + bytes * key[2];
	d->b = key[1] + bytes * key[3];
}

/* Adds word i, below DEDUP_DIGEST_WORDS, of the input; behind its last byte come zeros. */
static __always_inline void dedup_digest_word(struct dedup_digest *d, __u64 word, const __u64 *key,
					      __u64 i)
{
	const __u64 *k = key + 4 + 2 * i;
	__u64 lo = (__u32)word, hi = word >> 32;

	d->a += (lo + k[0]) * (hi + k[1]);
	d->b += (lo + k[2]) * (hi + k[3]);
}

static __always_inline __u64 dedup_digest_end(const struct dedup_digest *d)
{
	return (d->a >> 32) << 32 | d->b >> 32;
}

/* Is the input so long that its digest may not tell it from others? Where the profile gives no
 * lower limit (digest_max), all bytes count: a longer input has no digest.
 */
static __always_inline bool dedup_digest_is_too_long(__u32 bytes, __u32 digest_max)
{
	return digest_max == DEDUP_DIGEST_MAX && bytes > DEDUP_DIGEST_MAX;
}

/* Returns how many bytes are hashed of a frame that has `bytes` bytes without its VLAN tags.
 * Ethernet has no frames below 60 bytes. If a copy lost its padding, or a tag that took the
 * padding's place, zeros stand for the missing bytes.
 */
static __always_inline __u32 dedup_digest_padded(__u32 bytes)
{
	return bytes < DEDUP_DIGEST_FRAME_LEAST ? DEDUP_DIGEST_FRAME_LEAST : bytes;
}

/* Sets to 0 what routers and taps change in an IP packet whose first 12 bytes are here: DSCP and
 * ECN; IPv4: TTL and header checksum; IPv6: hop limit.
 */
static __always_inline void dedup_digest_normalize(__u8 *ip)
{
	if (ip[0] >> 4 == 6) {
		ip[0] &= 0xf0;
		ip[1] &= 0x0f;
		ip[7] = 0;
	} else {
		ip[1] = 0;
		ip[8] = 0;
		ip[10] = ip[11] = 0;
	}
}
