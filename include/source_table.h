/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sources of numbered streams: a table in the filter's blocks, from what packets have as their
 * source to its memory (recovery_packet.h). The number of sources is bounded. Packets put new ones
 * in; the hand alone takes idle ones out (source_hand.h), so a source in use is never recycled.
 *
 *	`buckets` blocks  two make a bucket: entries of sources with like hashes, and a lock
 *	1 block           the head: what is free
 *	per source        its numbers and its key; packets being learned; what the hand notes;
 *			  its ring; with paths its account (account.h)
 *
 * A packet that finds its source takes no lock. Of copies of a new source's first packet, one puts
 * it in, under the bucket's lock; the others find it there.
 */
#pragma once

#include <linux/errno.h>

#include "account.h"
#include "source_key.h"

#define DEDUP_ENTRIES 7 /* of a block of a bucket; the eighth word of the first block is the lock */
#define DEDUP_LOCK_TRIES (1 << 23) /* 30 ms: a hypervisor may stop the CPU that has the lock */
#define DEDUP_SLOT_TRIES 16	   /* more than CPUs that take or free a slot at one time */
#define DEDUP_SOURCE_TRIES 8
#define DEDUP_GRACE_JIFFIES 2 /* no packet takes so long */

/* A source's first block. */
struct dedup_slot {
	struct dedup_source source;
	__u64 key[DEDUP_KEY_WORDS];
};
_Static_assert(sizeof(struct dedup_slot) == sizeof(struct dedup_block), "one cache line");

/* Where a source was found. */
struct dedup_found {
	__u64 entry;
	__u64 i;      /* of its block's entries */
	__u32 block;  /* of the bucket */
	__u32 source; /* the block */
	struct dedup_slot *slot;
};

/* Words of the table's first block. */
enum { DEDUP_USED, DEDUP_FREE };

/* Words of a source's third block. */
enum {
	DEDUP_SLOT_STATE,
	DEDUP_SLOT_HASH,
	DEDUP_SLOT_SINCE,
	DEDUP_SLOT_NEXT,
	DEDUP_SLOT_ERA,
	DEDUP_SLOT_COPIED, /* dedup_copied() of what was copied last (account_copy.h) */
};
enum { DEDUP_SLOT_UNUSED, DEDUP_SLOT_IN_USE, DEDUP_SLOT_RESTING };

#ifndef dedup_lock_word
/* Takes the lock at *word: 0 becomes 1. */
#define dedup_lock_word(word) (!__sync_val_compare_and_swap(word, 0, 1))
#endif

static __always_inline __u32 dedup_slot_block(const struct dedup_sources *t, __u32 slot)
{
	return t->slots + slot * t->slot_blocks;
}

/* The block of its bucket in which a source with this hash is looked for first. */
static __always_inline __u32 dedup_home(const struct dedup_sources *t, __u64 hash)
{
	return t->first + (__u32)((hash >> 32) * t->buckets >> 32);
}

/* The i-th block of a bucket, counted from home. */
static __always_inline __u32 dedup_bucket_block(const struct dedup_sources *t, __u64 hash, __u32 i)
{
	return t->first + ((dedup_home(t, hash) - t->first) ^ i);
}

/* A bucket's entry: the hash's upper half, and 1 + the source's number. */
static __always_inline __u64 dedup_entry(__u64 hash, __u32 slot)
{
	return (hash & ~(__u64)~0U) | (slot + 1);
}

static __always_inline bool dedup_slot_is_of(const struct dedup_slot *s,
					     const struct dedup_source_key *key)
{
	/* The realm's first: in one realm all have equally many words. */
	__u64 differs = READ_ONCE(s->key[DEDUP_SOURCE_WORDS]) ^ key->id.word[DEDUP_SOURCE_WORDS];

	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_SOURCE_WORDS; i++)
		if (i < key->words)
			differs |= READ_ONCE(s->key[i]) ^ key->id.word[i];
	return !differs;
}

/* Is the source the i-th one of this block of its bucket? Then *out says where it is. */
static __always_inline bool dedup_is_entry(const struct dedup_sources *t, struct dedup_block *blocks,
					   const struct dedup_block *bucket,
					   const struct dedup_source_key *key, __u64 i,
					   struct dedup_found *out)
{
	__u64 entry = READ_ONCE(bucket->word[i]);
	__u32 slot = (__u32)entry - 1;

	if (entry >> 32 != key->hash >> 32 || slot >= t->sources)
		return false;
	out->entry = entry;
	out->i = i;
	out->source = dedup_slot_block(t, slot);
	out->slot = (struct dedup_slot *)dedup_block_at(blocks, out->source);
	return out->slot && dedup_slot_is_of(out->slot, key);
}

/* Finds the source in its bucket. */
static __always_inline bool dedup_find_source(const struct dedup_sources *t,
					      struct dedup_block *blocks,
					      const struct dedup_source_key *key,
					      struct dedup_found *out)
{
	*out = (struct dedup_found){ 0 }; /* else clang copies what the verifier knows nothing of */
	for (__u32 n = 0; n < DEDUP_BUCKET_BLOCKS; n++) {
		const struct dedup_block *bucket;

		out->block = dedup_bucket_block(t, key->hash, n);
		bucket = dedup_block_at(blocks, out->block);
		for (__u64 i = 0; bucket && i < DEDUP_ENTRIES; i++)
			if (dedup_is_entry(t, blocks, bucket, key, i, out))
				return true;
	}
	return false;
}

/* Takes a source's memory that is free: one that was recycled, or one that was never used. Returns
 * its number; t->sources if there is none. Only whoever holds a bucket's lock calls this.
 */
static __always_inline __u32 dedup_take_slot(const struct dedup_sources *t, struct dedup_block *blocks)
{
	struct dedup_block *head = dedup_block_at(blocks, t->slots - 1), *about;
	__u64 is, next;

	if (!head)
		return t->sources;
	/* `free` is a count of changes, so that no change is missed, and 1 + a source's number. */
	for (__u32 i = 0; i < DEDUP_SLOT_TRIES && (__u32)(is = READ_ONCE(head->word[DEDUP_FREE]));
	     i++) {
		__u32 slot = (__u32)is - 1;

		about = dedup_block_at(blocks, dedup_slot_block(t, slot) + DEDUP_SLOT_ABOUT);
		if (slot >= t->sources || !about)
			return t->sources;
		next = ((is >> 32) + 1) << 32 | (__u32)READ_ONCE(about->word[DEDUP_SLOT_NEXT]);
		if (__sync_val_compare_and_swap(&head->word[DEDUP_FREE], is, next) == is)
			return slot;
	}
	for (__u32 i = 0; i < DEDUP_SLOT_TRIES; i++) {
		is = READ_ONCE(head->word[DEDUP_USED]);
		if (is >= t->sources)
			return t->sources;
		if (__sync_val_compare_and_swap(&head->word[DEDUP_USED], is, is + 1) == is)
			return (__u32)is;
	}
	return t->sources;
}

#ifndef DEDUP_TAKE_SLOT
#define DEDUP_TAKE_SLOT dedup_take_slot
#endif

/* Empties the account of a source, if there is one: the next packet begins it. */
static __always_inline void dedup_empty_account(const struct dedup_sources *t,
						struct dedup_block *blocks, __u32 slot)
{
	struct dedup_block *b = dedup_block_at(blocks, dedup_slot_block(t, slot) + t->account);

	if (t->paths && b)
		WRITE_ONCE(b->word[DEDUP_ACCOUNT(numbering)], 0);
}

/* Gives the free memory of a source to this one, whose first number this is. 0; -ENOENT if there is
 * no such block.
 */
static __always_inline int dedup_begin_slot(const struct dedup_sources *t,
					    const struct dedup_recovery *r,
					    struct dedup_block *blocks, __u32 slot,
					    const struct dedup_source_key *key,
					    const struct dedup_packet_numbers *p)
{
	__u32 at = dedup_slot_block(t, slot);
	struct dedup_slot *s = (struct dedup_slot *)dedup_block_at(blocks, at);
	struct dedup_block *about = dedup_block_at(blocks, at + DEDUP_SLOT_ABOUT);

	if (!s || !about)
		return -ENOENT;
	dedup_source_begin(r, &s->source, p->first, p->now);
	for (__u32 i = 0; i < DEDUP_KEY_WORDS; i++)
		WRITE_ONCE(s->key[i], key->id.word[i]);
	dedup_empty_account(t, blocks, slot);
	WRITE_ONCE(about->word[DEDUP_SLOT_HASH], key->hash);
	WRITE_ONCE(about->word[DEDUP_SLOT_ERA], key->era);
	WRITE_ONCE(about->word[DEDUP_SLOT_STATE], DEDUP_SLOT_IN_USE);
	return 0;
}

/* A word of the bucket that is free; NULL if all are used. */
static __always_inline __u64 *dedup_free_entry(const struct dedup_sources *t,
					       struct dedup_block *blocks, __u64 hash)
{
	for (__u32 n = 0; n < DEDUP_BUCKET_BLOCKS; n++) {
		struct dedup_block *bucket = dedup_block_at(blocks, dedup_bucket_block(t, hash, n));

		for (__u64 i = 0; bucket && i < DEDUP_ENTRIES; i++)
			if (!READ_ONCE(bucket->word[i]))
				return &bucket->word[i];
	}
	return NULL;
}

/* Puts the source in, if it is not there by now, under its bucket's lock. False if there is no room. */
static __always_inline bool dedup_put_locked(const struct dedup_sources *t,
					     const struct dedup_recovery *r,
					     struct dedup_block *blocks,
					     const struct dedup_source_key *key,
					     const struct dedup_packet_numbers *p)
{
	struct dedup_found found;
	__u64 *entry;
	__u32 slot;

	if (dedup_find_source(t, blocks, key, &found))
		return true;
	entry = dedup_free_entry(t, blocks, key->hash);
	if (!entry)
		return false;
	slot = DEDUP_TAKE_SLOT(t, blocks);
	if (slot >= t->sources || dedup_begin_slot(t, r, blocks, slot, key, p))
		return false;
	__sync_val_compare_and_swap(entry, 0, dedup_entry(key->hash, slot));
	return true;
}

struct dedup_locking {
	struct dedup_block *bucket;
	bool is_held;
};

/* For DEDUP_LOOP(): one try to take the bucket's lock. */
static long dedup_try_lock(__u32 i, struct dedup_locking *l)
{
	(void)i;
	l->is_held = dedup_lock_word(&l->bucket->word[DEDUP_ENTRIES]);
	return l->is_held;
}

/* Takes the lock of the bucket of this hash. Returns the block that has the lock; NULL if another
 * CPU has it for too long.
 */
static __always_inline struct dedup_block *dedup_lock_bucket(const struct dedup_sources *t,
							     struct dedup_block *blocks, __u64 hash)
{
	__u32 home = dedup_home(t, hash);
	struct dedup_locking l = {
		dedup_block_at(blocks, home - (home - t->first) % DEDUP_BUCKET_BLOCKS), false
	};

	if (l.bucket)
		DEDUP_LOOP(DEDUP_LOCK_TRIES, dedup_try_lock, &l);
	return l.is_held ? l.bucket : NULL;
}

static __always_inline void dedup_unlock_bucket(struct dedup_block *bucket)
{
	__sync_val_compare_and_swap(&bucket->word[DEDUP_ENTRIES], 1, 0);
}

static __always_inline bool dedup_put_source(const struct dedup_sources *t,
					     const struct dedup_recovery *r,
					     struct dedup_block *blocks,
					     const struct dedup_source_key *key,
					     const struct dedup_packet_numbers *p)
{
	struct dedup_block *bucket = dedup_lock_bucket(t, blocks, key->hash);
	bool is_in;

	if (!bucket)
		return false;
	is_in = dedup_put_locked(t, r, blocks, key, p);
	dedup_unlock_bucket(bucket);
	return is_in;
}

#ifndef DEDUP_PUT_SOURCE
#define DEDUP_PUT_SOURCE dedup_put_source
#endif

/* Finds the source, after putting it in if it is not there. False if there is no room. */
static __always_inline bool
dedup_find_or_put(const struct dedup_sources *t, const struct dedup_recovery *r,
		  struct dedup_block *blocks, const struct dedup_source_key *key,
		  const struct dedup_packet_numbers *p, struct dedup_found *out)
{
	return dedup_find_source(t, blocks, key, out) ||
	       (DEDUP_PUT_SOURCE(t, r, blocks, key, p) && dedup_find_source(t, blocks, key, out));
}

/* The packet program has functions for these that are verified once. */
#ifndef DEDUP_FIND_OR_PUT
#define DEDUP_FIND_OR_PUT dedup_find_or_put
#define DEDUP_SEE_PACKET dedup_see_packet
#endif

/* Is the source still there? What was learned of one that was taken out meanwhile, nobody looks at. */
static __always_inline bool dedup_is_in(struct dedup_block *blocks, const struct dedup_found *found)
{
	const struct dedup_block *bucket = dedup_block_at(blocks, found->block);
	__u64 i = found->i;

	DEDUP_BOUND(i, DEDUP_BLOCK_WORDS - 1);
	return bucket && READ_ONCE(bucket->word[i]) == found->entry;
}

/* What dedup_look_source_quickly() has found. */
struct dedup_quick_source {
	struct dedup_found found;
	struct dedup_numbers n;
	struct dedup_quick quick;
	__u64 *word;
};

/* dedup_see_source() of numbers that are in one word, of a source that is the first or second one at
 * its home, and had a packet in this jiffy: one try. Returns DEDUP_SEEN; DEDUP_FRESH if the numbers
 * are to be learned, by dedup_learn_source_quickly(); DEDUP_AGAIN: dedup_see_source() is to do it.
 */
static __always_inline int
dedup_look_source_quickly(const struct dedup_sources *t, const struct dedup_recovery *r,
			  struct dedup_block *blocks, const struct dedup_source_key *key,
			  const struct dedup_packet_numbers *p, struct dedup_quick_source *q)
{
	struct dedup_found found = { .block = dedup_home(t, key->hash) };
	struct dedup_block *bucket = dedup_block_at(blocks, found.block);
	struct dedup_source_at at;

	if (!bucket || (!dedup_is_entry(t, blocks, bucket, key, 0, &found) &&
			!dedup_is_entry(t, blocks, bucket, key, 1, &found)))
		return DEDUP_AGAIN;
	q->found = found;
	at = (struct dedup_source_at){ blocks, found.source };
	q->word = dedup_word_at(r, &at, p->first);
	if (!q->word)
		return DEDUP_AGAIN;
	q->n = (struct dedup_numbers){ p->first, p->now,
				       dedup_word_bits(p->first % DEDUP_WORD_NUMBERS, p->count) };
	return dedup_look_quickly(r, &found.slot->source, q->word, &q->n,
				  dedup_laps(t->number_bits) / 2 - 2, &q->quick);
}

/* Learns the numbers of *q. Returns an enum dedup_recovered, or DEDUP_AGAIN. */
static __always_inline int dedup_learn_source_quickly(const struct dedup_recovery *r,
						      struct dedup_block *blocks,
						      const struct dedup_quick_source *q)
{
	struct dedup_found found = q->found;

	/* If the source is still there after a packet came in this jiffy, the hand leaves it there:
	 * it is neither idle nor, by laps_max, worn.
	 */
	found.i += DEDUP_AFTER(q->quick.last);
	return dedup_is_in(blocks, &found)
		       ? dedup_learn_quickly(r, &found.slot->source, q->word, &q->n, &q->quick)
		       : DEDUP_AGAIN;
}

/* Looks a packet of this source up, and learns its numbers if any is fresh. Returns an enum
 * dedup_recovered.
 */
static __always_inline int dedup_see_source(const struct dedup_sources *t,
					    const struct dedup_recovery *r,
					    struct dedup_block *blocks,
					    const struct dedup_source_key *key,
					    const struct dedup_packet_numbers *p)
{
	__u64 learned_in = 0;
	int learned = DEDUP_BUSY;

	/* 64 bits: the verifier forgets a spilled counter of 32 bits if clang puts something else
	 * into the other half of its 8 bytes.
	 */
	for (__u64 tries = 0; tries < DEDUP_SOURCE_TRIES; tries++) {
		struct dedup_source_at at;
		struct dedup_found found;
		int seen;

		if (!DEDUP_FIND_OR_PUT(t, r, blocks, key, p, &found))
			return DEDUP_NO_ROOM;
		if (found.entry == learned_in) /* it was put back */
			return learned;
		at = (struct dedup_source_at){ blocks, found.source };
		seen = DEDUP_SEE_PACKET(r, &at, p);
		if (seen == DEDUP_SEEN || dedup_is_in(blocks, &found))
			return seen;
		learned_in = found.entry;
		learned = seen;
	}
	return DEDUP_BUSY;
}

/* Are all the packet's numbers known? Nothing is learned. With `notes`, a known packet's arrival is
 * noted.
 */
static __always_inline bool dedup_knows_source(const struct dedup_sources *t,
					       const struct dedup_recovery *r,
					       struct dedup_block *blocks,
					       const struct dedup_source_key *key,
					       const struct dedup_packet_numbers *p, bool notes)
{
	struct dedup_source_at at;
	struct dedup_found found;

	if (!dedup_find_source(t, blocks, key, &found))
		return false;
	at = (struct dedup_source_at){ blocks, found.source };
	if (!dedup_knows_all(r, &at, p))
		return false;
	if (notes)
		dedup_note_known(r, &at, p->now);
	return true;
}
