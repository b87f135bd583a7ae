/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sequence recovery (recovery.h) of packets that carry several messages, with numbers one after the
 * other. A packet is known if all its messages are. Otherwise it passes whole, and all are learned:
 * so feeds that pack their messages differently are merged.
 *
 * The numbers lie in several words. Of two copies at one time, each could be the first in another
 * word, and both would pass. So a packet with fresh messages is noted in `open` until they are
 * learned, at a place that its numbers determine. A copy that finds its like there is known. A
 * packet that finds another one there waits until that one is learned. So this is for the packet
 * program alone, which nobody can kill halfway.
 */
#pragma once

#include "memory.h"
#include "recovery.h"

#define DEDUP_OPEN 8 /* packets of a source that are being learned */
#define DEDUP_OPEN_TRIES 256
#define DEDUP_PACKET_NUMBERS 65535
#define DEDUP_PACKET_WORDS \
	((DEDUP_PACKET_NUMBERS + 2 * (DEDUP_WORD_NUMBERS - 1)) / DEDUP_WORD_NUMBERS)

/* Where a source has its memory: DEDUP_SLOT_BLOCKS and its ring, from this block on. */
struct dedup_source_at {
	struct dedup_block *blocks; /* as of dedup_block_at() */
	__u32 source;
};
enum { DEDUP_SLOT_SOURCE, DEDUP_SLOT_OPEN, DEDUP_SLOT_ABOUT };
_Static_assert(sizeof(struct dedup_source) <= sizeof(struct dedup_block), "a source is in a block");

struct dedup_packet_numbers {
	__u64 first;
	__u64 now;   /* in jiffies */
	__u32 count; /* 1 to DEDUP_PACKET_NUMBERS */
};

/* Bits from this one on, so many, of a word; `count` may be more. */
static __always_inline __u32 dedup_word_bits(__u32 from, __u32 count)
{
	__u32 bits = count < DEDUP_WORD_NUMBERS ? (1U << count) - 1 : ~0U;

	return bits << from;
}

/* The packet's numbers in the i-th word that it has any in, from 0 on. False if there are none. */
static __always_inline bool dedup_numbers_of(const struct dedup_packet_numbers *p, __u32 i,
					     struct dedup_numbers *n)
{
	__u32 from = p->first % DEDUP_WORD_NUMBERS, before = i ? i * DEDUP_WORD_NUMBERS - from : 0;

	if (before >= p->count)
		return false;
	n->first = p->first + before;
	n->now = p->now;
	n->bits = dedup_word_bits(i ? 0 : from, p->count - before);
	return true;
}

/* The word of these numbers; NULL if there is no such block. */
static __always_inline __u64 *dedup_word_at(const struct dedup_recovery *r,
					    const struct dedup_source_at *at, __u64 number)
{
	__u64 index = dedup_ring_index(r, number), in_block = index;
	struct dedup_block *b = dedup_block_at(at->blocks, at->source + DEDUP_SLOT_BLOCKS +
								   index / DEDUP_BLOCK_WORDS);

	DEDUP_BOUND(in_block, DEDUP_BLOCK_WORDS - 1);
	return b ? &b->word[in_block] : NULL;
}

/* dedup_try_word() at their word. */
static __always_inline int dedup_try_at(const struct dedup_recovery *r,
					const struct dedup_source_at *at,
					const struct dedup_numbers *n, __u64 *before)
{
	struct dedup_source *s = (struct dedup_source *)dedup_block_at(at->blocks, at->source);
	__u64 *word = dedup_word_at(r, at, n->first);

	return s && word ? dedup_try_word(r, s, word, n, before) : DEDUP_BUSY;
}

/* The i-th try. The packet program has a function for it that is verified once. */
#ifndef DEDUP_TRY_AT
#define DEDUP_TRY_AT(r, at, n, before, i) dedup_try_at(r, at, n, before)
#endif

/* Looks up numbers of one word, and learns those that are fresh. Returns an enum dedup_recovered. */
static __always_inline int dedup_see_at(const struct dedup_recovery *r,
					const struct dedup_source_at *at,
					const struct dedup_numbers *n)
{
	__u64 before = 0;
	int seen;

	(void)before;
	for (__u32 i = 0; i < DEDUP_RECOVERY_TRIES; i++) {
		seen = DEDUP_TRY_AT(r, at, n, &before, i);
		if (likely(seen != DEDUP_AGAIN))
			return seen;
	}
	return DEDUP_BUSY;
}

/* Were all these numbers seen in the numbering that goes on? */
static __always_inline bool dedup_knows(const struct dedup_recovery *r, struct dedup_source *s,
					__u64 *word, const struct dedup_numbers *n)
{
	__u64 last = READ_ONCE(s->last), near = READ_ONCE(s->near);

	return dedup_silence(last, n->now) <= (__s64)r->reset_jiffies &&
	       last >> 63 == dedup_near_numbering(r, near) && dedup_has_seen(r, word, near, n);
}

/* Words that the packet has numbers in, at most DEDUP_PACKET_WORDS. */
static __always_inline __u32 dedup_packet_words(const struct dedup_packet_numbers *p)
{
	return (p->first % DEDUP_WORD_NUMBERS + p->count + DEDUP_WORD_NUMBERS - 1) /
	       DEDUP_WORD_NUMBERS;
}

/* What the loops below are told, and what they find. */
struct dedup_words {
	const struct dedup_recovery *r;
	const struct dedup_source_at *at;
	const struct dedup_packet_numbers *p;
	int seen;
};

/* For DEDUP_LOOP(): ends with w->seen DEDUP_BUSY if not all numbers in the i-th word are known. */
static long dedup_know_word(__u32 i, struct dedup_words *w)
{
	struct dedup_source *s = (struct dedup_source *)dedup_block_at(w->at->blocks, w->at->source);
	struct dedup_numbers n;
	__u64 *word;

	w->seen = DEDUP_BUSY;
	if (!s || !dedup_numbers_of(w->p, i, &n))
		return 1;
	word = dedup_word_at(w->r, w->at, n.first);
	if (!word || !dedup_knows(w->r, s, word, &n))
		return 1;
	w->seen = DEDUP_SEEN;
	return 0;
}

/* Are all the packet's numbers known? */
static __always_inline bool dedup_knows_all(const struct dedup_recovery *r,
					    const struct dedup_source_at *at,
					    const struct dedup_packet_numbers *p)
{
	struct dedup_words w = { r, at, p, DEDUP_BUSY };

	DEDUP_LOOP(dedup_packet_words(p), dedup_know_word, &w);
	return w.seen == DEDUP_SEEN;
}

/* Notes that a packet whose numbers are known has come now. */
static __always_inline void dedup_note_known(const struct dedup_recovery *r,
					     const struct dedup_source_at *at, __u64 now)
{
	struct dedup_source *s = (struct dedup_source *)dedup_block_at(at->blocks, at->source);
	struct dedup_source_now is;

	if (!s)
		return;
	is = (struct dedup_source_now){ READ_ONCE(s->run), READ_ONCE(s->last), READ_ONCE(s->near) };
	if (dedup_silence(is.last, now) > 0 && is.last >> 63 == dedup_near_numbering(r, is.near))
		dedup_note_arrival(r, s, &is, now);
}

/* For DEDUP_LOOP(): learns the numbers in the i-th word. */
static long dedup_learn_word(__u32 i, struct dedup_words *w)
{
	struct dedup_numbers n;
	int seen;

	if (!dedup_numbers_of(w->p, i, &n))
		return 1;
	seen = dedup_see_at(w->r, w->at, &n);
	if (w->seen == DEDUP_SEEN)
		w->seen = seen;
	return 0;
}

/* Learns all the packet's numbers. Returns DEDUP_SEEN if none was fresh any more; otherwise what
 * became of the first fresh ones.
 */
static __always_inline int dedup_learn_all(const struct dedup_recovery *r,
					   const struct dedup_source_at *at,
					   const struct dedup_packet_numbers *p)
{
	struct dedup_words w = { r, at, p, DEDUP_SEEN };

	DEDUP_LOOP(dedup_packet_words(p), dedup_learn_word, &w);
	return w.seen;
}

#ifndef dedup_open_word
/* Notes a packet at *word, if that is 0. Returns what was there. */
#define dedup_open_word(word, like) __sync_val_compare_and_swap(word, 0, like)
#endif

/* Are the packet's numbers in one word? */
static __always_inline bool dedup_is_in_a_word(const struct dedup_packet_numbers *p)
{
	return p->first % DEDUP_WORD_NUMBERS + p->count <= DEDUP_WORD_NUMBERS;
}

/* dedup_see_packet() of numbers in several words. */
static __always_inline int dedup_see_words(const struct dedup_recovery *r,
					   const struct dedup_source_at *at,
					   const struct dedup_packet_numbers *p)
{
	struct dedup_block *open = dedup_block_at(at->blocks, at->source + DEDUP_SLOT_OPEN);
	__u64 like = p->first << 16 | p->count, place = p->first ^ p->first / 8 ^ p->count, found;
	struct dedup_numbers n;
	int seen;

	if (!open || !dedup_numbers_of(p, 0, &n))
		return DEDUP_BUSY;
	if (dedup_knows_all(r, at, p)) /* its arrival is noted */
		return dedup_see_at(r, at, &n);
	DEDUP_BOUND(place, DEDUP_OPEN - 1);
	/* No DEDUP_LOOP(): on Linux 6.1 a callback's stack is too much. */
	for (__u32 i = 0; i < DEDUP_OPEN_TRIES; i++) {
		found = dedup_open_word(&open->word[place], like);
		if (!found || found == like)
			break;
	}
	if (found == like)
		return DEDUP_SEEN;
	seen = dedup_learn_all(r, at, p);
	if (!found)
		__sync_val_compare_and_swap(&open->word[place], like, 0);
	return seen;
}

/* Looks a packet up, and learns its numbers if any is fresh. Returns an enum dedup_recovered. */
static __always_inline int dedup_see_packet(const struct dedup_recovery *r,
					    const struct dedup_source_at *at,
					    const struct dedup_packet_numbers *p)
{
	struct dedup_numbers n;

	/* In one word no copy can be faster in another one. */
	if (!dedup_is_in_a_word(p))
		return dedup_see_words(r, at, p);
	return dedup_numbers_of(p, 0, &n) ? dedup_see_at(r, at, &n) : DEDUP_BUSY;
}
