/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sources of numbered streams: a table in the filter's blocks, from what packets have as their
 * source to its memory (recovery_packet.h). The number of sources is bounded. Packets put new ones
 * in; the hand alone takes idle ones out (dedup_sources_pass()), so a source in use is never
 * recycled.
 *
 *	1 block           what is free
 *	`buckets` blocks  each: 7 entries of sources with like hashes, and a lock to change them
 *	per source        its numbers and its key; packets being learned; what the hand notes; its ring
 *
 * A packet that finds its source takes no lock. Of copies of a new source's first packet, one puts
 * it in, under the bucket's lock; the others find it there.
 */
#ifndef XDP_DEDUP_SOURCES_H
#define XDP_DEDUP_SOURCES_H

#include <linux/errno.h>

#include "recovery_packet.h"

#define DEDUP_KEY_WORDS 5 /* of a source: up to 4 words of the packet, and its realm's key */
#define DEDUP_ENTRIES 7
#define DEDUP_LOCK_TRIES 4096
#define DEDUP_SOURCE_TRIES 8
#define DEDUP_GRACE_JIFFIES 2 /* no packet takes so long */
#define DEDUP_SLOT_BLOCKS 3   /* of a source, before its ring */

struct dedup_sources {
	struct dedup_recovery recovery;
	__u64 idle_jiffies; /* a source without a packet for so long may be recycled; > reset_jiffies */
	__u32 first;	    /* block of the table */
	__u32 buckets;	    /* at least 1 */
	__u32 sources;	    /* at most */
};

/* A source's first block. */
struct dedup_slot {
	struct dedup_source source;
	__u64 key[DEDUP_KEY_WORDS];
};
_Static_assert(sizeof(struct dedup_slot) == sizeof(struct dedup_block), "one cache line");

struct dedup_source_key {
	__u64 hash; /* keyed, of all words */
	__u64 word[DEDUP_KEY_WORDS];
};

/* Words of the table's first block. */
enum { DEDUP_USED, DEDUP_FREE };

/* Words of a source's third block. */
enum { DEDUP_SLOT_STATE, DEDUP_SLOT_HASH, DEDUP_SLOT_SINCE, DEDUP_SLOT_NEXT };
enum { DEDUP_SLOT_UNUSED, DEDUP_SLOT_IN_USE, DEDUP_SLOT_RESTING };

#ifndef dedup_lock_word
/* Takes the lock at *word: 0 becomes 1. */
#define dedup_lock_word(word) (!__sync_val_compare_and_swap(word, 0, 1))
#endif

static __always_inline __u32 dedup_ring_blocks(const struct dedup_recovery *r)
{
	__u32 numbers_shift = 8; /* of a block's 8 words */

	return r->ring_shift > numbers_shift ? 1U << (r->ring_shift - numbers_shift) : 1;
}

/* Blocks of the whole table. */
static __always_inline __u64 dedup_sources_blocks(const struct dedup_sources *t)
{
	return 1 + t->buckets +
	       (__u64)t->sources * (DEDUP_SLOT_BLOCKS + dedup_ring_blocks(&t->recovery));
}

static __always_inline __u32 dedup_slot_block(const struct dedup_sources *t, __u32 slot)
{
	return t->first + 1 + t->buckets +
	       slot * (DEDUP_SLOT_BLOCKS + dedup_ring_blocks(&t->recovery));
}

static __always_inline struct dedup_block *dedup_bucket(const struct dedup_sources *t,
							struct dedup_block *blocks, __u64 hash)
{
	return dedup_block_at(blocks, t->first + 1 + (__u32)((hash >> 32) * t->buckets >> 32));
}

/* A bucket's entry: the hash's low 32 bits, and 1 + the source's number. */
static __always_inline __u64 dedup_entry(__u64 hash, __u32 slot)
{
	return hash << 32 | (slot + 1);
}

static __always_inline bool dedup_slot_is_of(const struct dedup_slot *s,
					     const struct dedup_source_key *key)
{
	__u64 differs = 0;

	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_KEY_WORDS; i++)
		differs |= READ_ONCE(s->key[i]) ^ key->word[i];
	return !differs;
}

/* Finds the source's entry in its bucket. Returns the entry, and *i is which one; 0: there is none. */
static __always_inline __u64 dedup_find_source(const struct dedup_sources *t,
					       struct dedup_block *blocks,
					       const struct dedup_block *bucket,
					       const struct dedup_source_key *key, __u32 *i)
{
	for (*i = 0; *i < DEDUP_ENTRIES; (*i)++) {
		__u64 entry = READ_ONCE(bucket->word[*i]);
		__u32 slot = (__u32)entry - 1;
		struct dedup_slot *s;

		if (!entry || entry != dedup_entry(key->hash, slot) || slot >= t->sources)
			continue;
		s = (struct dedup_slot *)dedup_block_at(blocks, dedup_slot_block(t, slot));
		if (s && dedup_slot_is_of(s, key))
			return entry;
	}
	return 0;
}

/* Takes a source's memory that is free: one that was recycled, or one that was never used. Returns
 * its number; t->sources if there is none. Only whoever holds a bucket's lock calls this.
 */
static __always_inline __u32 dedup_take_slot(const struct dedup_sources *t, struct dedup_block *blocks)
{
	struct dedup_block *head = dedup_block_at(blocks, t->first), *about;
	__u64 is, next;

	if (!head)
		return t->sources;
	/* `free` is a count of changes, so that no change is missed, and 1 + a source's number. */
	for (__u32 i = 0; i < DEDUP_LOCK_TRIES && (__u32)(is = READ_ONCE(head->word[DEDUP_FREE]));
	     i++) {
		__u32 slot = (__u32)is - 1;

		about = dedup_block_at(blocks, dedup_slot_block(t, slot) + 2);
		if (slot >= t->sources || !about)
			return t->sources;
		next = ((is >> 32) + 1) << 32 | (__u32)READ_ONCE(about->word[DEDUP_SLOT_NEXT]);
		if (__sync_val_compare_and_swap(&head->word[DEDUP_FREE], is, next) == is)
			return slot;
	}
	for (__u32 i = 0; i < DEDUP_LOCK_TRIES; i++) {
		is = READ_ONCE(head->word[DEDUP_USED]);
		if (is >= t->sources)
			return t->sources;
		if (__sync_val_compare_and_swap(&head->word[DEDUP_USED], is, is + 1) == is)
			return (__u32)is;
	}
	return t->sources;
}

/* Gives the free memory of a source to this one, whose first number this is. 0; -ENOENT if there is
 * no such block.
 */
static __always_inline int dedup_begin_slot(const struct dedup_sources *t, struct dedup_block *blocks,
					    __u32 slot, const struct dedup_source_key *key,
					    const struct dedup_packet_numbers *p)
{
	__u32 at = dedup_slot_block(t, slot);
	struct dedup_slot *s = (struct dedup_slot *)dedup_block_at(blocks, at);
	struct dedup_block *about = dedup_block_at(blocks, at + 2);

	if (!s || !about)
		return -ENOENT;
	dedup_source_begin(&t->recovery, &s->source, p->first, p->now);
	for (__u32 i = 0; i < DEDUP_KEY_WORDS; i++)
		WRITE_ONCE(s->key[i], key->word[i]);
	WRITE_ONCE(about->word[DEDUP_SLOT_HASH], key->hash);
	WRITE_ONCE(about->word[DEDUP_SLOT_STATE], DEDUP_SLOT_IN_USE);
	return 0;
}

/* Puts the source in, if it is not there by now, under its bucket's lock. Returns and sets *i as
 * dedup_find_source().
 */
static __always_inline __u64 dedup_put_locked(const struct dedup_sources *t,
					      struct dedup_block *blocks, struct dedup_block *bucket,
					      const struct dedup_source_key *key,
					      const struct dedup_packet_numbers *p, __u32 *i)
{
	__u64 entry = dedup_find_source(t, blocks, bucket, key, i);
	__u32 slot;

	if (entry)
		return entry;
	for (*i = 0; *i < DEDUP_ENTRIES; (*i)++)
		if (!READ_ONCE(bucket->word[*i]))
			break;
	if (*i == DEDUP_ENTRIES)
		return 0;
	slot = dedup_take_slot(t, blocks);
	if (slot >= t->sources || dedup_begin_slot(t, blocks, slot, key, p))
		return 0;
	entry = dedup_entry(key->hash, slot);
	__sync_val_compare_and_swap(&bucket->word[*i], 0, entry);
	return entry;
}

static __always_inline bool dedup_lock_bucket(struct dedup_block *bucket)
{
	for (__u32 i = 0; i < DEDUP_LOCK_TRIES; i++)
		if (dedup_lock_word(&bucket->word[DEDUP_ENTRIES]))
			return true;
	return false;
}

static __always_inline void dedup_unlock_bucket(struct dedup_block *bucket)
{
	__sync_val_compare_and_swap(&bucket->word[DEDUP_ENTRIES], 1, 0);
}

static __always_inline __u64 dedup_put_source(const struct dedup_sources *t,
					      struct dedup_block *blocks, struct dedup_block *bucket,
					      const struct dedup_source_key *key,
					      const struct dedup_packet_numbers *p, __u32 *i)
{
	__u64 entry;

	if (!dedup_lock_bucket(bucket))
		return 0;
	entry = dedup_put_locked(t, blocks, bucket, key, p, i);
	dedup_unlock_bucket(bucket);
	return entry;
}

/* Looks a packet of this source up, and learns its numbers if any is fresh. Returns an enum
 * dedup_recovered.
 */
static __always_inline int dedup_see_source(const struct dedup_sources *t, struct dedup_block *blocks,
					    const struct dedup_source_key *key,
					    const struct dedup_packet_numbers *p)
{
	struct dedup_block *bucket = dedup_bucket(t, blocks, key->hash);
	__u64 learned_in = 0;
	int learned = DEDUP_BUSY;

	for (__u32 tries = 0; tries < DEDUP_SOURCE_TRIES && bucket; tries++) {
		struct dedup_source_at at = { .blocks = blocks };
		__u32 i;
		__u64 entry = dedup_find_source(t, blocks, bucket, key, &i)
				      ?: dedup_put_source(t, blocks, bucket, key, p, &i);
		int seen;

		if (!entry)
			return DEDUP_NO_ROOM;
		if (entry == learned_in) /* it was put back */
			return learned;
		at.source = dedup_slot_block(t, (__u32)entry - 1);
		at.open = at.source + 1;
		at.ring = at.source + DEDUP_SLOT_BLOCKS;
		seen = dedup_see_packet(&t->recovery, &at, p);
		/* What was learned of a source that was taken out meanwhile, nobody looks at. */
		if (seen == DEDUP_SEEN || READ_ONCE(bucket->word[i]) == entry)
			return seen;
		learned_in = entry;
		learned = seen;
	}
	return DEDUP_BUSY;
}

/* Takes a source out that has been idle. */
static __always_inline void dedup_retire(const struct dedup_sources *t, struct dedup_block *blocks,
					 __u32 slot, __u64 now)
{
	__u32 at = dedup_slot_block(t, slot);
	struct dedup_slot *s = (struct dedup_slot *)dedup_block_at(blocks, at);
	struct dedup_block *about = dedup_block_at(blocks, at + 2), *bucket;
	__u64 entry, hash;
	bool is_idle;
	__u32 i;

	if (!s || !about)
		return;
	hash = READ_ONCE(about->word[DEDUP_SLOT_HASH]);
	entry = dedup_entry(hash, slot);
	bucket = dedup_bucket(t, blocks, hash);
	if (!bucket || !dedup_lock_bucket(bucket))
		return;
	for (i = 0; i < DEDUP_ENTRIES; i++)
		if (__sync_val_compare_and_swap(&bucket->word[i], entry, 0) == entry)
			break;
	/* A packet looks for the entry after it has noted its arrival: one of the two sees the other. */
	is_idle = dedup_silence(READ_ONCE(s->source.last), now) > (__s64)t->idle_jiffies;
	if (is_idle) {
		WRITE_ONCE(about->word[DEDUP_SLOT_SINCE], now);
		WRITE_ONCE(about->word[DEDUP_SLOT_STATE], DEDUP_SLOT_RESTING);
	} else if (i < DEDUP_ENTRIES) {
		__sync_val_compare_and_swap(&bucket->word[i], 0, entry);
	}
	dedup_unlock_bucket(bucket);
}

/* Frees the memory of a source that was taken out. Its laps go on, so nothing has to be cleared,
 * until they come to their end.
 */
static __always_inline void dedup_free_slot(const struct dedup_sources *t,
					    struct dedup_block *blocks, __u32 slot)
{
	__u32 at = dedup_slot_block(t, slot),
	      cnt = DEDUP_SLOT_BLOCKS + dedup_ring_blocks(&t->recovery);
	struct dedup_block *head = dedup_block_at(blocks, t->first), *about, *b;
	__u64 is, next;

	b = dedup_block_at(blocks, at);
	if (!b || !head)
		return;
	if (dedup_near_lap(&t->recovery, ((struct dedup_slot *)b)->source.near) + 6 >
	    dedup_laps(&t->recovery))
		for (__u32 i = 0; i < cnt && (b = dedup_block_at(blocks, at + i)); i++)
			dedup_clear(b->word, DEDUP_BLOCK_WORDS);
	about = dedup_block_at(blocks, at + 2);
	if (!about)
		return;
	WRITE_ONCE(about->word[DEDUP_SLOT_STATE], DEDUP_SLOT_UNUSED);
	for (__u32 i = 0; i < DEDUP_LOCK_TRIES; i++) {
		is = READ_ONCE(head->word[DEDUP_FREE]);
		WRITE_ONCE(about->word[DEDUP_SLOT_NEXT], (__u32)is);
		next = ((is >> 32) + 1) << 32 | (slot + 1);
		if (__sync_val_compare_and_swap(&head->word[DEDUP_FREE], is, next) == is)
			return;
	}
}

/* The hand passes a source: takes it out if it is idle, or, some jiffies later, when no packet can
 * be using it any more, frees it.
 */
static __always_inline void dedup_sources_pass(const struct dedup_sources *t,
					       struct dedup_block *blocks, __u32 slot, __u64 now)
{
	__u32 at = dedup_slot_block(t, slot);
	struct dedup_slot *s = (struct dedup_slot *)dedup_block_at(blocks, at);
	struct dedup_block *about = dedup_block_at(blocks, at + 2);
	__u64 state;

	if (!s || !about)
		return;
	state = READ_ONCE(about->word[DEDUP_SLOT_STATE]);
	if (state == DEDUP_SLOT_IN_USE &&
	    dedup_silence(READ_ONCE(s->source.last), now) > (__s64)t->idle_jiffies)
		dedup_retire(t, blocks, slot, now);
	else if (state == DEDUP_SLOT_RESTING &&
		 now - READ_ONCE(about->word[DEDUP_SLOT_SINCE]) > DEDUP_GRACE_JIFFIES)
		dedup_free_slot(t, blocks, slot);
}

#endif
