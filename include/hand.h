/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hand goes round a circle of places once per window. What a place is, and what the
 * hand does there, is the layout's: where it passes a block of `blocked`, the block's
 * older half is cleared and becomes the current one; in `flat` it rests for a turn, then
 * passes all blocks of the older array (one segment); in `countdown` each place is one
 * countdown. Pure code: the caller has the clock, the lock (one hand a filter) and the
 * memory. The kernel's timer runs it; tests run it on a clock of their own.
 *
 * Two promises are kept here.
 * - Remembered at least W: a place is passed again only after the clock has moved on
 *   by a whole turn, and a step takes in at most two ticks of clock. So however late
 *   steps come, two passes lie at least turn_ns less two ticks for each step that a
 *   segment takes apart: plan.c makes that W.
 * - p under any load: a mark says how many ids had been learned as the hand entered
 *   a segment. More than turn_ids since then, and the hand passes that segment at
 *   once; and no one learns beyond `limit` before the hand has moved. So no half ever
 *   holds the ids of more than turn_ids + burst_ids (and credit). Segments that fell
 *   due together would fall due together for ever, and at the end of each turn every
 *   block would be full; so for a turn after such haste the hand passes a segment for
 *   each pace_ids learned, and they are spread again.
 */
#ifndef XDP_DEDUP_HAND_H
#define XDP_DEDUP_HAND_H

#include "config.h"
#include "hash.h"

#define DEDUP_STEP_PLACES 8192 /* passed in one step, at most: bounds its time */

static __always_inline __u32 dedup_hand_pos(__u64 hand)
{
	return (__u32)hand;
}

static __always_inline __u32 dedup_hand_epoch(__u64 hand)
{
	return hand >> 32;
}

/* Which half of this block is the current one, with the hand at `hand`: blocks that
 * it has passed are an epoch ahead.
 */
static __always_inline __u32 dedup_hand_half(__u64 hand, __u32 block)
{
	return (dedup_hand_epoch(hand) + (block < dedup_hand_pos(hand))) & 1;
}

/* The mark of a segment that is passed in this epoch. */
static __always_inline struct dedup_mark *dedup_mark(struct dedup_state *st, __u32 epoch, __u32 seg)
{
	__u64 i = (epoch & 1) * DEDUP_MARKS + seg;

#ifdef __bpf__
	asm volatile("%0 &= %1" : "+r"(i) : "i"(2 * DEDUP_MARKS - 1));
#endif
	return &st->marks[i];
}

/* A step begins: takes in the clock. now_ns is CLOCK_MONOTONIC. */
static __always_inline void dedup_hand_clock(struct dedup_state *st, __u32 places, __u64 tick_ns,
					     __u64 now_ns)
{
	__u64 dt = now_ns - st->last_ns;

	if (dt > 2 * tick_ns)
		dt = 2 * tick_ns;
	st->owed += dt * places;
	st->last_ns = now_ns;
}

/* The ids learned since the segment before the hand was last entered. */
static __always_inline __u64 dedup_hand_load(struct dedup_state *st, __u32 segment_places)
{
	__u32 seg = dedup_hand_pos(st->hand) / segment_places;

	return dedup_read(&st->learned) -
	       dedup_mark(st, dedup_hand_epoch(st->hand) - 1, seg)->learned;
}

/* How many places from dedup_hand_pos() on must be passed now: 0 when the hand is
 * where it belongs, else what is left of its segment. Segments are passed whole, so
 * that a mark is true for each place in it; only countdowns come one by one. The caller
 * ages what is there (blocked and flat: clears it), then calls dedup_hand_pass().
 */
static __always_inline __u32 dedup_hand_due(struct dedup_state *st,
					    const volatile struct dedup_config *cfg)
{
	__u32 pos = dedup_hand_pos(st->hand);
	__u32 end = (pos / cfg->segment_places + 1) * cfg->segment_places;
	bool whole = cfg->layout != DEDUP_COUNTDOWN;
	__u64 due;

	if (end > cfg->places)
		end = cfg->places;
	due = st->owed / cfg->turn_ns + (dedup_read(&st->asked) - st->served);
	if (due >= end - pos || (whole && pos % cfg->segment_places) ||
	    dedup_hand_load(st, cfg->segment_places) > cfg->turn_ids ||
	    (st->haste && dedup_read(&st->learned) - st->paced >= cfg->pace_ids))
		return end - pos;
	return whole ? 0 : due;
}

/* Keeps the pace of overload: begun by a segment that was full, for one turn. */
static __always_inline void dedup_hand_pace(struct dedup_state *st,
					    const volatile struct dedup_config *cfg, __u32 n)
{
	__u64 learned = dedup_read(&st->learned);

	if (dedup_hand_load(st, cfg->segment_places) > cfg->turn_ids) {
		if (!st->haste)
			st->paced = learned;
		st->haste = cfg->places;
	} else {
		st->haste -= st->haste < n ? st->haste : n;
	}
	st->paced += cfg->pace_ids;
	if (st->paced > learned)
		st->paced = learned;
}

/* The hand has passed n places (dedup_hand_due of them, or some for a start). */
static __always_inline void dedup_hand_pass(struct dedup_state *st,
					    const volatile struct dedup_config *cfg, __u32 n,
					    __u64 now_ns)
{
	__u32 pos = dedup_hand_pos(st->hand), epoch = dedup_hand_epoch(st->hand);
	__u64 by_clock = st->owed / cfg->turn_ns;
	__u64 asked = dedup_read(&st->asked) - st->served;
	__u64 left = n;

	/* What was asked for goes first: it comes in whole turns, and stays whole. */
	if (asked > left)
		asked = left;
	left -= asked;
	if (by_clock > left)
		by_clock = left;
	st->owed -= by_clock * cfg->turn_ns;
	st->early += left - by_clock;

	dedup_hand_pace(st, cfg, n);
	if (pos % cfg->segment_places == 0) {
		struct dedup_mark *mark = dedup_mark(st, epoch, pos / cfg->segment_places);

		mark->learned = dedup_read(&st->learned);
		mark->at_ns = now_ns;
	}
	pos += n;
	if (pos >= cfg->places) {
		/* Ages begin anew: what was to be known until a later one is void. */
		if (epoch == 0xffffffff)
			__sync_fetch_and_add(&st->forgets, 1);
		/* The array that is now the previous one has a whole turn from here. */
		if (cfg->layout == DEDUP_FLAT)
			st->owed = 0;
		pos = 0;
		epoch++;
	}
	/* A full barrier: whoever sees the block turned finds its half cleared. */
	__sync_lock_test_and_set(&st->hand, (__u64)epoch << 32 | pos);
	st->served += asked; /* last: who waits for it finds the hand there */
}

/* A step ends: how far may others learn until the next one? */
static __always_inline __u64 dedup_hand_limit(struct dedup_state *st,
					      const volatile struct dedup_config *cfg)
{
	__u32 seg = dedup_hand_pos(st->hand) / cfg->segment_places;
	__u64 full = dedup_mark(st, dedup_hand_epoch(st->hand) - 1, seg)->learned + cfg->turn_ids;
	__u64 paced = st->paced + cfg->pace_ids;

	return (st->haste && paced < full ? paced : full) + cfg->burst_ids;
}

#endif
