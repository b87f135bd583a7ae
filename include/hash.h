/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The keyed hashes: from an event id to 64 bits of which all depend on all of the id. */
#ifndef XDP_DEDUP_HASH_H
#define XDP_DEDUP_HASH_H

#include "config.h"
#include "id.h"
#include "siphash.h"

/* NH of UMAC (Black, Halevi, Krawczyk, Krovetz, Rogaway, CRYPTO '99): two ids that were chosen
 * without the key collide with probability at most 2^-32, two random ones with about 2^-64. NH
 * spreads the entropy unevenly over its 64 bits. The multiplication brings it to the top bits,
 * which pick the block; dedup_probe_masks() mixes these into the low bits again.
 *
 * Ids of different realms, be they equal or of other lengths, collide with a probability of 2^-64:
 * each realm adds a key of its own.
 */
static __always_inline __u64 dedup_hash_fast(const struct dedup_id *id, __u32 words,
					     const __u32 *key, __u64 realm_key)
{
	__u64 h = realm_key;

	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_ID_WORDS_MAX; i++)
		if (i < words)
			h += (__u64)(id->word32[2 * i] + key[2 * i]) *
			     (id->word32[2 * i + 1] + key[2 * i + 1]);
	h ^= h >> 32;
	return h * 0x9e3779b97f4a7c15;
}

/* By the filter's keyed scheme: DEDUP_SIPHASH, or else dedup_hash_fast(). realm_key: of struct
 * dedup_stream; 0 in a filter without streams.
 */
static __always_inline __u64 dedup_hash(const struct dedup_id *id, __u32 words,
					const struct dedup_config *cfg, __u64 realm_key)
{
	if (unlikely(cfg->hash == DEDUP_SIPHASH))
		return dedup_siphash(id->word, words, cfg->key, realm_key);
	return dedup_hash_fast(id, words, cfg->key, realm_key);
}

#endif
