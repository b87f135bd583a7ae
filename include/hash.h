/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The keyed hashes: from an event id to 64 bits, each of which depends on all of the id's bits. */
#pragma once

#include "config.h"
#include "id.h"
#include "siphash.h"

#define DEDUP_FAST_COLLISIONS 3 /* in 2^32 keys, of a fresh id with known ones; see below */

/* NH of UMAC (Black, Halevi, Krawczyk, Krovetz, Rogaway, CRYPTO '99): two ids that were chosen
 * without the key collide with probability at most 2^-32, two random ones with about 2^-64. NH
 * spreads the entropy unevenly over its 64 bits. The multiplication brings it to the top bits,
 * which pick the block; dedup_probe_masks() mixes these into the low bits again.
 *
 * So the hash by itself takes a fresh id for one of n known ones with a probability, over all
 * keys, that depends on how ids differ. Let a and b be two halves of words with their keys added;
 * those of the other id are a + d and b + e.
 * - Random ids: n / 2^64.
 * - Ids that differ in one half, as by a counter: 2^-32 for all n together, when the key of the
 *   other half of that word makes it 0.
 * - Ids that differ in two halves, as by two counters: (a + d)(b + e) = a b, or, of two words with
 *   other halves f and g, d f = -e g. For d and e without a common divisor that holds for one key
 *   in 2^32 max(d, e), and then for all their multiples. If the two counters go together, the sum
 *   is small: 1.6 / 2^32 for RTP's numbers and timestamps (video, 200,000 packets), 0.8 / 2^32 for
 *   MoldUDP64's numbers and counts (500,000). If each of D values comes with each of E, D <= E,
 *   the sum is up to 7 D / 2^32: 1e-7 for 100 and 10,000, 3e-7 for 1,000 and 1,000.
 * - Any ids, also those that an attacker chooses without the key: n / 2^32.
 * Filters are sized for DEDUP_FAST_COLLISIONS / 2^32, which leaves nothing for rates below 1e-9.
 * If that is not enough, use DEDUP_SIPHASH: n / 2^64 for all ids.
 *
 * Ids of different realms, equal or of other lengths, collide with a probability of 2^-64: each
 * realm adds a key of its own.
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

/* Hashes by the filter's keyed scheme: DEDUP_SIPHASH, or else dedup_hash_fast(). realm_key: of
 * struct dedup_stream; 0 in a filter without streams.
 */
static __always_inline __u64 dedup_hash(const struct dedup_id *id, __u32 words,
					const struct dedup_config *cfg, __u64 realm_key)
{
	if (unlikely(cfg->memory.hash == DEDUP_SIPHASH))
		return dedup_siphash(id->word, words, cfg->secrets.key, realm_key);
	return dedup_hash_fast(id, words, cfg->secrets.key, realm_key);
}
