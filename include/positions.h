/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An id's k positions in an array of m bits or cells, by scheme. The schemes without a key are
 * those of other systems, bit for bit.
 */
#pragma once

#include "hash.h"
#include "sha256.h"

#define DEDUP_HASHES_MAX 32

struct dedup_positions {
	__u32 index[DEDUP_HASHES_MAX]; /* the first k are used, each below m; some may be equal */
	struct dedup_sha sha; /* scratch memory: a BPF program's stack is too small for it */
};

/* fast, siphash: each position is the top 32 bits of one more round of mixing, scaled down to m. */
static __always_inline void dedup_positions_mixed(struct dedup_positions *p, __u64 hash, __u32 m,
						  __u32 k)
{
	for (__u64 i = 0; i < DEDUP_HASHES_MAX && i < k; i++) {
		hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93;
		p->index[i] = ((hash >> 32) * m) >> 32;
	}
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv), of the id's bytes. Without a key, and
 * with little mixing: spread evenly for random ids, but not for ids that count.
 */
static __always_inline __u64 dedup_fnv1a(const struct dedup_id *id, __u32 bytes)
{
	__u64 h = 0xcbf29ce484222325;

	for (__u32 i = 0; i < DEDUP_ID_BYTES_MAX && i < bytes; i++)
		h = (h ^ id->byte[i]) * 0x100000001b3;
	return h;
}

/* Position i is h1 + i * h2 modulo 2^64, modulo m (Kirsch, Mitzenmacher, ESA 2006). */
static __always_inline void dedup_positions_double(struct dedup_positions *p, __u64 h1, __u64 h2,
						   __u32 m, __u32 k)
{
	for (__u64 i = 0; i < DEDUP_HASHES_MAX && i < k; i++) {
		p->index[i] = h1 % m;
		h1 += h2;
	}
}

/* colibri: the first 32 bits of SHA-256(i as 32 bits, id), both big-endian. */
static __always_inline void dedup_positions_colibri(struct dedup_positions *p,
						    const struct dedup_id *id, __u32 bytes, __u32 m,
						    __u32 k)
{
	struct dedup_sha *sha = &p->sha;

	for (__u64 i = 0; i < DEDUP_HASHES_MAX && i < k; i++) {
		const struct dedup_sha_message message = { id, bytes, 1, i };

		dedup_sha256(sha, &message);
		p->index[i] = sha->state[0] % m;
	}
}

/* The 8 bytes of a digest that begin at this word, as a little-endian number. */
static __always_inline __u64 dedup_sha_le64(const struct dedup_sha *sha, __u32 word)
{
	return (__u64)__builtin_bswap32(sha->state[word + 1]) << 32 |
	       __builtin_bswap32(sha->state[word]);
}

/* Are all bytes after the 16th 0? */
static __always_inline bool dedup_has_16_bytes(const struct dedup_id *id, __u32 words)
{
	__u64 rest = 0;

	DEDUP_UNROLL
	for (__u32 i = 2; i < DEDUP_ID_WORDS_MAX; i++)
		if (i < words)
			rest |= id->word[i];
	return !rest;
}

/* fips: h1 and h2 are the first and second 64 bits of SHA-256(id), little-endian. FIPS ids have 16
 * bytes. To let a filter of longer ids have these, too, an id with only zeros after its 16th byte
 * is hashed as those 16 bytes; all others are hashed whole.
 */
static __always_inline void dedup_positions_fips(struct dedup_positions *p, const struct dedup_id *id,
						 __u32 bytes, __u32 m, __u32 k)
{
	struct dedup_sha_message message = { id, bytes, 0, 0 };
	struct dedup_sha *sha = &p->sha;

	if (bytes > 16 && dedup_has_16_bytes(id, dedup_id_words(bytes)))
		message.bytes = 16;
	dedup_sha256(sha, &message);
	dedup_positions_double(p, dedup_sha_le64(sha, 0), dedup_sha_le64(sha, 2), m, k);
}

/* tezos: SHA-256(id) as one little-endian number, cut into k indices from its low end. m
 * is 2^n, n at most 24, and k * n at most 256.
 */
static __always_inline void dedup_positions_tezos(struct dedup_positions *p,
						  const struct dedup_id *id, __u32 bytes, __u32 m,
						  __u32 k)
{
	const struct dedup_sha_message message = { id, bytes, 0, 0 };
	struct dedup_sha *sha = &p->sha;
	__u32 index_bits = 0; /* n */

	DEDUP_UNROLL
	for (__u32 i = 1; i <= 24; i++)
		if (m >> i)
			index_bits = i;
	dedup_sha256(sha, &message);
	for (__u64 i = 0; i < DEDUP_HASHES_MAX && i < k; i++) {
		__u32 bit = i * index_bits, word = bit / 32;
		__u64 window;

		if (word >= 8)
			break;
		window = __builtin_bswap32(sha->state[word]);
		if (word < 7)
			window |= (__u64)__builtin_bswap32(sha->state[word + 1]) << 32;
		p->index[i] = window >> (bit & 31) & (m - 1);
	}
}

/* Fills in the positions of an id by the filter's scheme. The id has `bytes` bytes, and zeros
 * behind them. Only the keyed schemes have realms; others ignore realm_key.
 */
static __always_inline void dedup_positions(struct dedup_positions *p, const struct dedup_id *id,
					    __u32 bytes, const struct dedup_config *cfg,
					    __u64 realm_key)
{
	__u64 h;

	switch (cfg->memory.hash) {
	case DEDUP_COLIBRI:
		dedup_positions_colibri(p, id, bytes, cfg->memory.m, cfg->memory.k);
		break;
	case DEDUP_FIPS:
		dedup_positions_fips(p, id, bytes, cfg->memory.m, cfg->memory.k);
		break;
	case DEDUP_FNV1A:
		/* The system of this scheme has one position, h mod m. Further ones are mixed from
		 * h as in `fast`: double hashing, with steps of one size, has a higher rate.
		 */
		h = dedup_fnv1a(id, bytes);
		dedup_positions_mixed(p, h, cfg->memory.m, cfg->memory.k);
		p->index[0] = h % cfg->memory.m;
		break;
	case DEDUP_TEZOS:
		dedup_positions_tezos(p, id, bytes, cfg->memory.m, cfg->memory.k);
		break;
	default: /* fast, siphash */
		dedup_positions_mixed(p, dedup_hash(id, dedup_id_words(bytes), cfg, realm_key),
				      cfg->memory.m, cfg->memory.k);
	}
}
