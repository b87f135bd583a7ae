/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHA-256 (FIPS 180-4) of an id, or of a 32-bit number and an id. The message is short: padded, it
 * is one block of 64 bytes, or two.
 */
#pragma once

#include "id.h"

#define DEDUP_SHA_WORDS 16

/* The algorithm's words, as numbers: in a message and a digest they are big-endian. */
struct dedup_sha {
	__u32 w[DEDUP_SHA_WORDS]; /* a block of the padded message */
	__u32 state[8];		  /* after the last block: the digest */
};

/* BPF has no rotate instruction. With the word twice in 64 bits, a shift to the right leaves in the
 * low 32 bits what a rotation would.
 */
static __always_inline __u64 dedup_sha_twice(__u32 x)
{
	return (__u64)x << 32 | x;
}

/* FIPS 180-4's functions with a capital sigma: three rotations. */
static __always_inline __u32 dedup_sha_sum(__u32 x, int a, int b, int c)
{
	__u64 xx = dedup_sha_twice(x);

	return (xx >> a) ^ (xx >> b) ^ (xx >> c);
}

/* FIPS 180-4's functions with a small sigma: two rotations and a shift. */
static __always_inline __u32 dedup_sha_sigma(__u32 x, int a, int b, int shift)
{
	__u64 xx = dedup_sha_twice(x);

	return (__u32)((xx >> a) ^ (xx >> b)) ^ (x >> shift);
}

static const __u32 DEDUP_SHA_K[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

/* Round t, with its word of the message schedule. The barrier keeps the compiler from mixing
 * several rounds: it would spill more than fits into the 512 bytes of stack that a BPF function
 * shares with its callers, having but ten registers.
 */
#define DEDUP_SHA_ROUND(a, b, c, d, e, f, g, h, t, word)                                          \
	do {                                                                                      \
		__u32 t1 = h + dedup_sha_sum(e, 6, 11, 25) + (g ^ (e & (f ^ g))) + k[t] + (word); \
		d += t1;                                                                          \
		h = t1 + dedup_sha_sum(a, 2, 13, 22) + ((a & b) | (c & (a | b)));                 \
		asm volatile("" : "+r"(d), "+r"(h)::"memory");                                    \
	} while (0)

/* The schedule's word for a round from the 17th on (t modulo 16): computed from the last 16 words,
 * it replaces the oldest one.
 */
#define DEDUP_SHA_NEXT(t)                                                           \
	(w[t] += dedup_sha_sigma(w[((t) + 1) & 15], 7, 18, 3) + w[((t) + 9) & 15] + \
		 dedup_sha_sigma(w[((t) + 14) & 15], 17, 19, 10))
/* The schedule's word for one of the first 16 rounds: a word of the block. */
#define DEDUP_SHA_GIVEN(t) (w[t])

/* After each round the eight variables change roles: by other arguments, not by moving values. */
#define DEDUP_SHA_8_ROUNDS(t, word)                                      \
	DEDUP_SHA_ROUND(a, b, c, d, e, f, g, h, (t) + 0, word((t) + 0)); \
	DEDUP_SHA_ROUND(h, a, b, c, d, e, f, g, (t) + 1, word((t) + 1)); \
	DEDUP_SHA_ROUND(g, h, a, b, c, d, e, f, (t) + 2, word((t) + 2)); \
	DEDUP_SHA_ROUND(f, g, h, a, b, c, d, e, (t) + 3, word((t) + 3)); \
	DEDUP_SHA_ROUND(e, f, g, h, a, b, c, d, (t) + 4, word((t) + 4)); \
	DEDUP_SHA_ROUND(d, e, f, g, h, a, b, c, (t) + 5, word((t) + 5)); \
	DEDUP_SHA_ROUND(c, d, e, f, g, h, a, b, (t) + 6, word((t) + 6)); \
	DEDUP_SHA_ROUND(b, c, d, e, f, g, h, a, (t) + 7, word((t) + 7))

/* Hashes the block sha->w, which it overwrites, into sha->state. In BPF programs a global
 * function: it is verified once, not again for each call. To the verifier the pointer argument of
 * a global function may be NULL, so it is tested; and the function must return a number: 0.
 */
#ifdef __bpf__
__attribute__((noinline))
#else
static inline
#endif
int dedup_sha256_block(struct dedup_sha *sha)
{
	const __u32 *k = DEDUP_SHA_K;
	__u32 a, b, c, d, e, f, g, h, *w;

	if (!sha)
		return 0;
	w = sha->w;
	a = sha->state[0];
	b = sha->state[1];
	c = sha->state[2];
	d = sha->state[3];
	e = sha->state[4];
	f = sha->state[5];
	g = sha->state[6];
	h = sha->state[7];
	DEDUP_SHA_8_ROUNDS(0, DEDUP_SHA_GIVEN);
	DEDUP_SHA_8_ROUNDS(8, DEDUP_SHA_GIVEN);
	DEDUP_UNROLL
	for (int i = 0; i < 3; i++) {
		k += 16;
		DEDUP_SHA_8_ROUNDS(0, DEDUP_SHA_NEXT);
		DEDUP_SHA_8_ROUNDS(8, DEDUP_SHA_NEXT);
	}
	sha->state[0] += a;
	sha->state[1] += b;
	sha->state[2] += c;
	sha->state[3] += d;
	sha->state[4] += e;
	sha->state[5] += f;
	sha->state[6] += g;
	sha->state[7] += h;
	return 0;
}

/* The hashed message: the id's first `bytes` bytes, behind the 32-bit big-endian number `prefix`
 * if prefix_words is 1, alone if it is 0.
 */
struct dedup_sha_message {
	const struct dedup_id *id;
	__u32 bytes, prefix_words, prefix;
};

/* Returns word n of the padded message, whose last word is `last`. Padding is a 1 bit behind the
 * message's last byte, zeros, and in the last word the message's length in bits.
 */
static __always_inline __u32 dedup_sha_word(const struct dedup_sha_message *m, __u32 n, __u32 last)
{
	__u32 i = n - m->prefix_words, value = 0; /* i: word of the id */

	if (n < m->prefix_words)
		return m->prefix;
	if (n == last)
		return 8 * (4 * m->prefix_words + m->bytes);
	if (i < 2 * DEDUP_ID_WORDS_MAX && i <= m->bytes / 4) {
		value = __builtin_bswap32(READ_ONCE(m->id->word32[i]));
		if (i == m->bytes / 4) /* bytes of this word that are not hashed are cleared */
			value &= ~(0xffffffffU >> (m->bytes % 4 * 8));
	}
	if (i == m->bytes / 4)
		value |= 0x80000000U >> (m->bytes % 4 * 8);
	return value;
}

/* Leaves the digest in sha->state. */
static __always_inline void dedup_sha256(struct dedup_sha *sha, const struct dedup_sha_message *m)
{
	/* 9: the byte with the 1 bit, and the length's 8 bytes. */
	__u32 blocks = 4 * m->prefix_words + m->bytes + 9 > 4 * DEDUP_SHA_WORDS ? 2 : 1;
	__u32 last = blocks * DEDUP_SHA_WORDS - 1;

	sha->state[0] = 0x6a09e667;
	sha->state[1] = 0xbb67ae85;
	sha->state[2] = 0x3c6ef372;
	sha->state[3] = 0xa54ff53a;
	sha->state[4] = 0x510e527f;
	sha->state[5] = 0x9b05688c;
	sha->state[6] = 0x1f83d9ab;
	sha->state[7] = 0x5be0cd19;
	for (__u32 block = 0; block < blocks; block++) {
		DEDUP_UNROLL
		for (__u32 i = 0; i < DEDUP_SHA_WORDS; i++)
			sha->w[i] = dedup_sha_word(m, block * DEDUP_SHA_WORDS + i, last);
		dedup_sha256_block(sha);
	}
}
