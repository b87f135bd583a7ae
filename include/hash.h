/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From an event id to 64 well-mixed bits, keyed. */
#ifndef XDP_DEDUP_HASH_H
#define XDP_DEDUP_HASH_H

#include "config.h"

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/* Hashes `words` (1 to DEDUP_KEYS / 2, a constant for the compiler) 64-bit words in
 * host byte order.
 *
 * NH of UMAC (Black, Halevi, Krawczyk, Krovetz, Rogaway, CRYPTO '99): of ids chosen
 * without the key, two collide with probability at most 2^-32, random ids with about
 * 2^-64. NH leaves the entropy unevenly spread; the multiplication brings it to the
 * top, which picks the block, and dedup_probe() folds it down again.
 */
static __always_inline __u64 dedup_hash(const __u64 *id, __u32 words, const volatile __u32 *key)
{
	__u64 h = 0;

#ifdef __bpf__
#pragma unroll
#endif
	for (__u32 i = 0; i < words; i++) {
		__u32 lo = (__u32)id[i] + key[2 * i];
		__u32 hi = (__u32)(id[i] >> 32) + key[2 * i + 1];

		h += (__u64)lo * hi;
	}
	h ^= h >> 32;
	return h * 0x9e3779b97f4a7c15;
}

#endif
