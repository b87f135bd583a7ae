/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel has lately found, or made, known: whole ids, so that a duplicate whose
 * positions are dear (a SHA-256, or k of them) is told by one cache line. The answer is
 * never another one than the filter's: ids are compared in full, and an entry holds only
 * until the filter may forget the id.
 */
#ifndef XDP_DEDUP_RECENT_H
#define XDP_DEDUP_RECENT_H

#include "hash.h"

/* Any processor may write it at any time, and another read it half written: `seal` then
 * does not fit the rest.
 */
struct dedup_recent {
	struct dedup_id id;
	__u64 until; /* known while the filter's age is below this */
	__u64 seal;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct dedup_recent) == 64, "one cache line");

static __always_inline __u32 dedup_recent_slot(__u64 hash, __u32 slots)
{
	return hash >> 32 & (slots - 1);
}

/* hash is of dedup_hash_fast(); forgets as in struct dedup_state. */
static __always_inline __u64 dedup_recent_seal(__u64 hash, __u64 until, __u64 forgets)
{
	return hash ^ until * 0x9e3779b97f4a7c15 ^ forgets * 0xd6e8feb86659fd93;
}

static __always_inline bool dedup_recent_holds(const struct dedup_recent *r,
					       const struct dedup_id *id, __u64 hash, __u64 age,
					       __u64 forgets)
{
	__u64 until = dedup_read(&r->until), other = 0;

	for (int i = 0; i < DEDUP_ID_WORDS; i++)
		other |= dedup_read(&r->id.word[i]) ^ id->word[i];
	return !other && age < until &&
	       dedup_read(&r->seal) == dedup_recent_seal(hash, until, forgets);
}

static __always_inline void dedup_recent_put(struct dedup_recent *r, const struct dedup_id *id,
					     __u64 hash, __u64 until, __u64 forgets)
{
	r->id = *id;
	r->until = until;
	*(volatile __u64 *)&r->seal = dedup_recent_seal(hash, until, forgets);
}

#endif
