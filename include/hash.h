/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From an event id to 64 well-mixed bits, keyed. */
#ifndef XDP_DEDUP_HASH_H
#define XDP_DEDUP_HASH_H

#include "config.h"
#include "gsp.h"
#include "siphash.h"

#define DEDUP_ID_WORDS (GSP_ID_BYTES / 8)

struct dedup_id {
	__u64 word[DEDUP_ID_WORDS]; /* as on the wire, read in host order */
};

static __always_inline bool dedup_is_no_id(const struct dedup_id *id)
{
	return !(id->word[0] | id->word[1] | id->word[2] | id->word[3]);
}

/* Hashes `words` (1 to DEDUP_KEYS / 2, a constant for the compiler) words.
 *
 * NH of UMAC (Black, Halevi, Krawczyk, Krovetz, Rogaway, CRYPTO '99): of ids chosen
 * without the key, two collide with probability at most 2^-32, random ids with about
 * 2^-64. NH leaves the entropy unevenly spread; the multiplication brings it to the
 * top, which picks the block, and dedup_probe() folds it down again.
 */
static __always_inline __u64 dedup_hash_fast(const __u64 *id, __u32 words, const volatile __u32 *key)
{
	__u64 h = 0;

	DEDUP_UNROLL
	for (__u32 i = 0; i < words; i++) {
		__u32 lo = (__u32)id[i] + key[2 * i];
		__u32 hi = (__u32)(id[i] >> 32) + key[2 * i + 1];

		h += (__u64)lo * hi;
	}
	h ^= h >> 32;
	return h * 0x9e3779b97f4a7c15;
}

/* By the filter's keyed scheme: SipHash, or else the fast one. */
static __always_inline __u64 dedup_hash(const struct dedup_id *id,
					const volatile struct dedup_config *cfg)
{
	if (cfg->hash == DEDUP_SIPHASH)
		return dedup_siphash(id->word, DEDUP_ID_WORDS, cfg->key);
	return dedup_hash_fast(id->word, DEDUP_ID_WORDS, cfg->key);
}

#endif
