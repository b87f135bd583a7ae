/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SipHash-1-3 (Aumasson, Bernstein, INDOCRYPT 2012): for networks where an attacker can send
 * chosen ids and watch which packets are dropped.
 */
#pragma once

#include "id.h"

struct dedup_sip {
	__u64 v0, v1, v2, v3;
};

static __always_inline __u64 dedup_sip_rotl(__u64 x, int n)
{
	return x << n | x >> (64 - n);
}

static __always_inline void dedup_sip_round(struct dedup_sip *s)
{
	s->v0 += s->v1;
	s->v1 = dedup_sip_rotl(s->v1, 13) ^ s->v0;
	s->v0 = dedup_sip_rotl(s->v0, 32);
	s->v2 += s->v3;
	s->v3 = dedup_sip_rotl(s->v3, 16) ^ s->v2;
	s->v0 += s->v3;
	s->v3 = dedup_sip_rotl(s->v3, 21) ^ s->v0;
	s->v2 += s->v1;
	s->v1 = dedup_sip_rotl(s->v1, 17) ^ s->v2;
	s->v2 = dedup_sip_rotl(s->v2, 32);
}

/* Hashes the bytes of `words` little-endian words (up to DEDUP_ID_WORDS_MAX), keyed with the first
 * 128 bits of `key`; each realm_key makes another key.
 */
static __always_inline __u64 dedup_siphash(const __u64 *in, __u32 words, const __u32 *key,
					   __u64 realm_key)
{
	__u64 k0 = ((__u64)key[1] << 32 | key[0]) ^ realm_key, k1 = (__u64)key[3] << 32 | key[2];
	__u64 last = (__u64)(words * 8) << 56; /* SipHash's padding: the length, in the top byte */
	struct dedup_sip s = {
		k0 ^ 0x736f6d6570736575,
		k1 ^ 0x646f72616e646f6d,
		k0 ^ 0x6c7967656e657261,
		k1 ^ 0x7465646279746573,
	};

	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_ID_WORDS_MAX; i++) {
		if (i < words) {
			s.v3 ^= in[i];
			dedup_sip_round(&s);
			s.v0 ^= in[i];
		}
	}
	s.v3 ^= last;
	dedup_sip_round(&s);
	s.v0 ^= last;
	s.v2 ^= 0xff;
	DEDUP_UNROLL
	for (int i = 0; i < 3; i++)
		dedup_sip_round(&s);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
