/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which source of a numbered stream a packet is of: what the table of sources is searched for. */
#pragma once

#include "recovery_packet.h"

#define DEDUP_KEY_WORDS (DEDUP_SOURCE_WORDS + 1) /* of a source: and its realm's key */

struct dedup_source_key {
	__u64 hash;	    /* dedup_source_hash(); its upper half is used */
	__u64 era;	    /* another one makes all sources unknown: they are others then */
	__u32 words;	    /* of the packet, at most DEDUP_SOURCE_WORDS: others are 0 */
	struct dedup_id id; /* these, and as word DEDUP_SOURCE_WORDS the realm's key and the era */
};

/* Takes an id of so many words, of a numbered stream, apart: into its source, but for the realm,
 * and its number. A number's bits above DEDUP_WIDTH_MAX belong to the source.
 */
static __always_inline void dedup_read_number(struct dedup_source_key *key,
					      struct dedup_packet_numbers *p,
					      const struct dedup_id *id, __u32 words,
					      const struct dedup_numbered *numbered)
{
	*key = (struct dedup_source_key){ 0 };
	DEDUP_UNROLL
	for (__u32 i = 0; i <= DEDUP_SOURCE_WORDS; i++) {
		if (i + 1 < words)
			key->id.word[i] = id->word[i];
		if (i + 1 == words)
			p->first = dedup_integer_in(id->word[i], numbered->little, numbered->shift);
		if (i + 1 == words && i < DEDUP_SOURCE_WORDS)
			key->id.word[i] = p->first >> DEDUP_WIDTH_MAX;
	}
	barrier_var(words); /* else clang knows by `words` which of these it need not set to 0 */
	key->words = words - (numbered->width <= DEDUP_WIDTH_MAX);
	p->first &= (1ULL << DEDUP_WIDTH_MAX) - 1;
}

/* The hash of a source: a keyed sum of its halves of words, mixed. The secret has a 64-bit key for
 * each half. The sum alone would be linear: of consecutive names, as senders have, too many would
 * share a bucket for some secrets. The mixing makes any names as good as random ones
 * (tests/stress/source_names_test.c).
 */
static __always_inline __u64 dedup_source_hash(const struct dedup_source_key *key, const __u32 *secret)
{
	__u64 h = key->id.word[DEDUP_SOURCE_WORDS];

	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_SOURCE_WORDS; i++)
		if (i < key->words)
			h += (__u32)key->id.word[i] * *(const __u64 *)&secret[4 * i] +
			     (key->id.word[i] >> 32) * *(const __u64 *)&secret[4 * i + 2];
	h ^= h >> 32;
	return h * 0x9e3779b97f4a7c15;
}

/* Completes a key by its realm, of the filter with this configuration. */
static __always_inline void dedup_source_of_realm(struct dedup_source_key *key,
						  const struct dedup_config *cfg, __u64 realm_key,
						  __u64 era)
{
	key->era = era;
	key->id.word[DEDUP_SOURCE_WORDS] = realm_key + era;
	key->hash = dedup_source_hash(key, cfg->secrets.key);
}
