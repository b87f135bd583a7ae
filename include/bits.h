/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An array of bits in 64-bit words: bit i is bit i % 64 of word i / 64, which on a
 * little-endian machine is bit i & 7 of byte i >> 3. Setting is atomic.
 */
#pragma once

#include "compiler.h"

#define DEDUP_WORD_BITS 64

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bit i is bit i & 7 of byte i >> 3");

/* The bits in the words that an array of m (at least 1) takes: m rounded up to a multiple of 64. */
static __always_inline __u64 dedup_bits_capacity(__u64 m)
{
	return (m + DEDUP_WORD_BITS - 1) / DEDUP_WORD_BITS * DEDUP_WORD_BITS;
}

/* Returns the mask of this bit within its word. */
static __always_inline __u64 dedup_bits_mask(__u64 bit)
{
	return 1ULL << (bit % DEDUP_WORD_BITS);
}

static __always_inline bool dedup_bits_test(const __u64 *words, __u64 bit)
{
	return READ_ONCE(words[bit / DEDUP_WORD_BITS]) & dedup_bits_mask(bit);
}

static __always_inline void dedup_bits_set(__u64 *words, __u64 bit)
{
	__sync_fetch_and_or(&words[bit / DEDUP_WORD_BITS], dedup_bits_mask(bit));
}

/* Returns how many of the first m bits are set. */
static __always_inline __u64 dedup_bits_count(const __u64 *words, __u64 m)
{
	__u64 cnt = 0;

	for (__u64 i = 0; i < m / DEDUP_WORD_BITS; i++)
		cnt += __builtin_popcountll(READ_ONCE(words[i]));
	if (m % DEDUP_WORD_BITS)
		cnt += __builtin_popcountll(READ_ONCE(words[m / DEDUP_WORD_BITS]) &
					    (dedup_bits_mask(m) - 1));
	return cnt;
}
