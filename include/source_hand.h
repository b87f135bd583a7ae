/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hand in the table of sources (source_table.h): it takes sources out that are idle, and frees
 * their memory some jiffies later, when no packet can be using it any more.
 */
#pragma once

#include "source_table.h"

/* Has the source used so many laps that its memory must be cleared soon? */
static __always_inline bool dedup_is_worn(const struct dedup_sources *t, const struct dedup_slot *s)
{
	return dedup_near_lap(t->number_bits, READ_ONCE(s->source.near)) >
	       dedup_laps(t->number_bits) / 2;
}

/* Do idle sources stay in, for their accounts? Yes, while there is memory that was never used. */
static __always_inline bool dedup_keeps_idle(const struct dedup_sources *t, struct dedup_block *blocks)
{
	const struct dedup_block *head = dedup_block_at(blocks, t->slots - 1);

	return t->paths && head && READ_ONCE(head->word[DEDUP_USED]) < t->sources;
}

/* Is the source to be taken out: idle, of an earlier era, or worn? Then its next packet begins it
 * anew.
 */
static __always_inline bool dedup_is_over(const struct dedup_sources *t, struct dedup_block *blocks,
					  __u32 slot, __u64 era, __u64 now)
{
	__u32 at = dedup_slot_block(t, slot);
	struct dedup_slot *s = (struct dedup_slot *)dedup_block_at(blocks, at);
	struct dedup_block *about = dedup_block_at(blocks, at + DEDUP_SLOT_ABOUT);

	if (!s || !about)
		return false;
	return READ_ONCE(about->word[DEDUP_SLOT_ERA]) != era || dedup_is_worn(t, s) ||
	       (dedup_silence(READ_ONCE(s->source.last), now) > (__s64)t->idle_jiffies &&
		!dedup_keeps_idle(t, blocks));
}

/* Takes an entry out of the bucket of this hash, whose lock is held. Returns the word that had it. */
static __always_inline __u64 *dedup_take_out(const struct dedup_sources *t,
					     struct dedup_block *blocks, __u64 hash, __u64 entry)
{
	for (__u32 n = 0; n < DEDUP_BUCKET_BLOCKS; n++) {
		struct dedup_block *bucket = dedup_block_at(blocks, dedup_bucket_block(t, hash, n));

		for (__u64 i = 0; bucket && i < DEDUP_ENTRIES; i++)
			if (__sync_val_compare_and_swap(&bucket->word[i], entry, 0) == entry)
				return &bucket->word[i];
	}
	return NULL;
}

/* Takes a source out that is over. */
static __always_inline void dedup_retire(const struct dedup_sources *t, struct dedup_block *blocks,
					 __u32 slot, __u64 era, __u64 now)
{
	__u32 at = dedup_slot_block(t, slot);
	struct dedup_slot *s = (struct dedup_slot *)dedup_block_at(blocks, at);
	struct dedup_block *about = dedup_block_at(blocks, at + DEDUP_SLOT_ABOUT), *bucket;
	__u64 entry, hash, *was;

	if (!s || !about)
		return;
	hash = READ_ONCE(about->word[DEDUP_SLOT_HASH]);
	entry = dedup_entry(hash, slot);
	bucket = dedup_lock_bucket(t, blocks, hash);
	if (!bucket)
		return;
	was = dedup_take_out(t, blocks, hash, entry);
	/* A packet looks for the entry after it has noted its arrival: one of the two sees the other. */
	if (dedup_is_over(t, blocks, slot, era, now)) {
		WRITE_ONCE(about->word[DEDUP_SLOT_SINCE], now);
		WRITE_ONCE(about->word[DEDUP_SLOT_STATE], DEDUP_SLOT_RESTING);
	} else if (was) {
		__sync_val_compare_and_swap(was, 0, entry);
	}
	dedup_unlock_bucket(bucket);
}

struct dedup_clearing {
	struct dedup_block *blocks;
	__u32 first;
};

static long dedup_clear_block(__u32 i, struct dedup_clearing *c)
{
	struct dedup_block *b = dedup_block_at(c->blocks, c->first + i);

	if (b)
		dedup_clear(b->word, DEDUP_BLOCK_WORDS);
	return 0;
}

/* Clears the memory of a source. */
static __always_inline void dedup_clear_slot(const struct dedup_sources *t,
					     struct dedup_block *blocks, __u32 slot)
{
	struct dedup_clearing c = { blocks, dedup_slot_block(t, slot) };

	DEDUP_LOOP(t->slot_blocks, dedup_clear_block, &c);
}

/* Frees the memory of a source that was taken out. Its laps go on, so nothing has to be cleared,
 * until it is worn.
 */
static __always_inline void dedup_free_slot(const struct dedup_sources *t,
					    struct dedup_block *blocks, __u32 slot)
{
	__u32 at = dedup_slot_block(t, slot);
	struct dedup_block *head = dedup_block_at(blocks, t->slots - 1);
	struct dedup_block *about = dedup_block_at(blocks, at + DEDUP_SLOT_ABOUT);
	struct dedup_slot *s = (struct dedup_slot *)dedup_block_at(blocks, at);
	__u64 is, next;

	if (!s || !head || !about)
		return;
	if (dedup_is_worn(t, s))
		dedup_clear_slot(t, blocks, slot);
	WRITE_ONCE(about->word[DEDUP_SLOT_STATE], DEDUP_SLOT_UNUSED);
	for (__u32 i = 0; i < DEDUP_SLOT_TRIES; i++) {
		is = READ_ONCE(head->word[DEDUP_FREE]);
		WRITE_ONCE(about->word[DEDUP_SLOT_NEXT], (__u32)is);
		next = ((is >> 32) + 1) << 32 | (slot + 1);
		if (__sync_val_compare_and_swap(&head->word[DEDUP_FREE], is, next) == is)
			return;
	}
	WRITE_ONCE(about->word[DEDUP_SLOT_STATE], DEDUP_SLOT_RESTING); /* the hand comes again */
}

/* The hand passes a source: takes it out if it is idle, or, some jiffies later, when no packet can
 * be using it any more, frees it.
 */
static __always_inline void dedup_sources_pass(const struct dedup_sources *t,
					       struct dedup_block *blocks, __u32 slot, __u64 era,
					       __u64 now)
{
	__u32 at = dedup_slot_block(t, slot);
	struct dedup_slot *s = (struct dedup_slot *)dedup_block_at(blocks, at);
	struct dedup_block *about = dedup_block_at(blocks, at + DEDUP_SLOT_ABOUT);
	__u64 is;

	if (!s || !about)
		return;
	is = READ_ONCE(about->word[DEDUP_SLOT_STATE]);
	if (is == DEDUP_SLOT_IN_USE && dedup_is_over(t, blocks, slot, era, now))
		dedup_retire(t, blocks, slot, era, now);
	else if (is == DEDUP_SLOT_RESTING &&
		 now - READ_ONCE(about->word[DEDUP_SLOT_SINCE]) > DEDUP_GRACE_JIFFIES)
		dedup_free_slot(t, blocks, slot);
}
