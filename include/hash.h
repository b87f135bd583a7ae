/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From an event id to 64 well-mixed bits, keyed. */
#ifndef XDP_DEDUP_HASH_H
#define XDP_DEDUP_HASH_H

#include "config.h"
#include "gsp.h"
#include "siphash.h"

#define DEDUP_ID_WORDS (GSP_ID_BYTES / 8)

struct dedup_id {
	union {
		__u64 word[DEDUP_ID_WORDS]; /* as on the wire, read in host order */
		__u32 half[2 * DEDUP_ID_WORDS];
	};
};

static __always_inline bool dedup_is_no_id(const struct dedup_id *id)
{
	if (likely(id->word[0]))
		return false;
	DEDUP_KEEP_BRANCH();
	return !(id->word[1] | id->word[2] | id->word[3]);
}

/* NH of UMAC (Black, Halevi, Krawczyk, Krovetz, Rogaway, CRYPTO '99): of ids chosen
 * without the key, two collide with probability at most 2^-32, random ids with about
 * 2^-64. NH leaves the entropy unevenly spread; the multiplication brings it to the
 * top, which picks the block, and dedup_probe() folds it down again.
 */
static __always_inline __u64 dedup_hash_fast(const struct dedup_id *id, const __u32 *key)
{
	__u64 h = 0;

	DEDUP_UNROLL
	for (__u32 i = 0; i < 2 * DEDUP_ID_WORDS; i += 2) {
		__u32 a = id->half[i] + key[i], b = id->half[i + 1] + key[i + 1];

		h += (__u64)a * b;
	}
	h ^= h >> 32;
	return h * 0x9e3779b97f4a7c15;
}

/* By the filter's keyed scheme: SipHash, or else the fast one. */
static __always_inline __u64 dedup_hash(const struct dedup_id *id, const struct dedup_config *cfg)
{
	if (unlikely(cfg->hash == DEDUP_SIPHASH))
		return dedup_siphash(id->word, DEDUP_ID_WORDS, cfg->key);
	return dedup_hash_fast(id, cfg->key);
}

#endif
