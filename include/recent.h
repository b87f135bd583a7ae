/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel has lately found, or made, known: whole ids, so that a duplicate whose
 * positions are dear (a SHA-256, or k of them) is told by one cache line, or by two that are
 * neighbours where ids have more than 48 bytes. The answer is never another one than the filter's:
 * ids are compared in full, and an entry holds only until the filter may forget the id.
 */
#ifndef XDP_DEDUP_RECENT_H
#define XDP_DEDUP_RECENT_H

#include "hash.h"

#define DEDUP_RECENT_WORDS 6 /* of an id, in an entry's first line */

/* A cache line of an entry: the first one, or the one behind it. */
struct dedup_recent {
	union {
		struct {
			__u64 word[DEDUP_RECENT_WORDS];
			__u64 until; /* known while the filter's era (array.bpf.h) is below this */
			/* Any processor may write an entry at any time, and another read it half
			 * written: this then does not fit the rest.
			 */
			__u64 check;
		};
		__u64 more[8]; /* the id's further words */
	};
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct dedup_recent) == 64, "one cache line");

/* Lines that an entry takes. */
static __always_inline __u32 dedup_recent_lines(__u32 id_bytes)
{
	return dedup_id_words(id_bytes) > DEDUP_RECENT_WORDS ? 2 : 1;
}

/* Which of so many (a power of 2) entries is the id's? hash is of dedup_hash_fast(). */
static __always_inline __u32 dedup_recent_slot(__u64 hash, __u32 slots)
{
	return hash >> 32 & (slots - 1);
}

/* recent_version as in struct dedup_state. */
static __always_inline __u64 dedup_recent_check(__u64 hash, __u64 until, __u64 recent_version)
{
	return hash ^ until * 0x9e3779b97f4a7c15 ^ recent_version * 0xd6e8feb86659fd93;
}

/* Where word i of the id is. more: the entry's second line; only long ids have one. */
static __always_inline __u64 *dedup_recent_word(struct dedup_recent *r, struct dedup_recent *more,
						__u32 i)
{
	return i < DEDUP_RECENT_WORDS ? &r->word[i] : &more->more[i - DEDUP_RECENT_WORDS];
}

static __always_inline bool dedup_recent_holds(struct dedup_recent *r, struct dedup_recent *more,
					       const struct dedup_id *id, __u32 words, __u64 hash,
					       __u64 era, __u64 recent_version)
{
	__u64 until = READ_ONCE(r->until), other = 0;

	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_ID_WORDS_MAX; i++)
		if (i < words)
			other |= READ_ONCE(*dedup_recent_word(r, more, i)) ^ id->word[i];
	return !other && era < until &&
	       READ_ONCE(r->check) == dedup_recent_check(hash, until, recent_version);
}

static __always_inline void dedup_recent_put(struct dedup_recent *r, struct dedup_recent *more,
					     const struct dedup_id *id, __u32 words, __u64 hash,
					     __u64 until, __u64 recent_version)
{
	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_ID_WORDS_MAX; i++)
		if (i < words)
			*dedup_recent_word(r, more, i) = id->word[i];
	r->until = until;
	WRITE_ONCE(r->check, dedup_recent_check(hash, until, recent_version));
}

#endif
