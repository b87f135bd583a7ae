/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How ids grow old. The hand goes round a circle of places once per window, as CLOCK's hand does
 * in page replacement. The layout defines a place:
 * - blocked: a block. Passing it clears its older half, which becomes the current one.
 * - flat: a block of the older array. The hand rests at place 0 for a window, then passes all
 *   places without a pause; the cleared array becomes the current one.
 * - countdown: one countdown, of all cells. There are as many places as an id lasts countdowns.
 * Pure code: the caller has the clock, the lock (one hand a filter) and the memory. In the kernel a
 * timer runs it (hand.bpf.h); tests run it on a clock of their own.
 *
 * The circle is cut into segments. Each has a mark: when it was passed last, and how many ids had
 * been learned by then. Marks decide when a segment is passed again:
 * - by the clock: when all ids that this makes the filter forget are a window old;
 * - by load: when more than config.memory.turn_ids ids have been learned since the newest of
 *   these; while no more ids than the capacity come in a window, the clock is always earlier;
 * - by request: at once (rotate, reset).
 *
 * The guard of a place is a mark: all ids that the filter forgets when the hand passes the place
 * were learned before it. In blocked and flat it is the mark of the place's own last pass, as ids
 * learned since are in the current generation; in countdown, the mark of the next place. So while
 * at most turn_ids ids come in a window, no id is forgotten before it is a window old, however
 * late the steps are. A late step makes the ids that it ages live longer by its delay, and no
 * others: later steps do not hurry.
 *
 * The false-positive rate p holds under any load. After the mark of the segment at the hand, at
 * most config.full_ids ids are learned until that segment is passed again, and filters are sized
 * for that many in each generation. So segments that were passed together, as by load, may fall
 * due together.
 */
#pragma once

#include "config.h"
#include "hash.h"

#define DEDUP_STEP_PLACES 8192 /* places passed in one step, at most: bounds the time of a step */

/* The next place to pass, of a `hand` as in struct dedup_state. */
static __always_inline __u32 dedup_hand_pos(__u64 hand)
{
	return (__u32)hand;
}

/* The number of completed turns, modulo 2^32. */
static __always_inline __u32 dedup_hand_epoch(__u64 hand)
{
	return hand >> 32;
}

/* Blocked: which half of this block, 0 or 1, is the current one, that is, the one that ids are
 * learned into. It changes whenever the hand passes the block: once each epoch, and blocks before
 * the hand have had that of this epoch.
 */
static __always_inline __u32 dedup_hand_half(__u64 hand, __u32 block)
{
	return (dedup_hand_epoch(hand) + (block < dedup_hand_pos(hand))) & 1;
}

/* Countdown: the hand passes places one by one, not segments, and the guard of a place is in the
 * next one.
 */
static __always_inline bool dedup_one_by_one(const volatile struct dedup_config *cfg)
{
	return cfg->memory.layout == DEDUP_COUNTDOWN;
}

/* Returns how many turns of the hand make the filter forget every id: one for each generation. */
static __always_inline __u64 dedup_turns(const volatile struct dedup_config *cfg)
{
	return dedup_one_by_one(cfg) ? 1 : 2;
}

/* Returns the mark of this segment's pass in this epoch. The pass in the epoch before has another
 * mark, so the guard is still there while the segment is being passed.
 */
static __always_inline struct dedup_mark *dedup_mark(struct dedup_state *st, __u32 epoch, __u32 seg)
{
	__u64 i = (epoch & 1) * DEDUP_MARKS + seg;

	DEDUP_BOUND(i, 2 * DEDUP_MARKS - 1);
	return &st->marks[i];
}

/* The number of segments: at most DEDUP_MARKS. */
static __always_inline __u32 dedup_hand_segments(const volatile struct dedup_config *cfg)
{
	return (cfg->memory.places - 1) / cfg->memory.segment_places + 1;
}

/* Returns the mark of the last complete pass of the segment that is `after` segments (fewer than
 * there are) further round the circle than the one at the hand.
 */
static __always_inline struct dedup_mark *
dedup_hand_mark(struct dedup_state *st, const volatile struct dedup_config *cfg, __u32 after)
{
	__u32 epoch = dedup_hand_epoch(st->hand) - 1, cnt = dedup_hand_segments(cfg);
	__u32 seg = dedup_hand_pos(st->hand) / cfg->memory.segment_places + after;

	return seg < cnt ? dedup_mark(st, epoch, seg) : dedup_mark(st, epoch + 1, seg - cnt);
}

/* The guard of the place at the hand, as a time and as a number of learned ids: all ids that the
 * filter forgets when the hand passes this place were learned before it.
 *
 * Blocked, flat: the mark of the place's own last pass. Countdown: passing place i forgets the ids
 * that have one countdown to go. They were learned between the last passes of place i and place i
 * + 1, so the guard is when place i + 1 was passed. That place may be in the next segment, all of
 * which had been passed by its at_ns. But `learned` is taken at a segment's first place: where
 * segments have several places, the mark of the segment after that is taken, whose first place was
 * passed later in any case. With a single place, a countdown forgets every id, however new: its
 * own mark is taken.
 */
static __always_inline __u64 dedup_hand_guard_ns(struct dedup_state *st,
						 const volatile struct dedup_config *cfg)
{
	__u32 after = dedup_one_by_one(cfg) && cfg->memory.places > 1;

	return dedup_hand_mark(st, cfg, after)->at_ns;
}

static __always_inline __u64 dedup_hand_guard_ids(struct dedup_state *st,
						  const volatile struct dedup_config *cfg)
{
	__u32 after = dedup_one_by_one(cfg) && cfg->memory.places > 1;

	if (after && cfg->memory.segment_places > 1)
		after = 2;
	return dedup_hand_mark(st, cfg, after)->learned;
}

/* Returns how many ids have been learned since the segment at the hand was passed last. */
static __always_inline __u64 dedup_hand_load(struct dedup_state *st,
					     const volatile struct dedup_config *cfg)
{
	return READ_ONCE(st->learned) - dedup_hand_mark(st, cfg, 0)->learned;
}

/* Countdown: returns how many of the next countdowns have no guard; 0 or less: none. These are the
 * requested ones and the places - 1 after them: a request has aged all ids that they forget, so
 * these ids do not live for a window. The first places - 1 countdowns after the load have none
 * either; they forget nothing.
 */
static __always_inline __s64 dedup_hand_unguarded(struct dedup_state *st,
						  const volatile struct dedup_config *cfg)
{
	return READ_ONCE(st->requested) - st->passed + cfg->memory.places - 1;
}

/* Returns when the place at the hand is due by the clock, in CLOCK_MONOTONIC: when its guard is a
 * window old. Countdown: but not before next_ns, so that countdowns are evenly spread over the
 * window, and all ids live about equally long.
 */
static __always_inline __u64 dedup_hand_due_ns(struct dedup_state *st,
					       const volatile struct dedup_config *cfg)
{
	__u64 due_ns = dedup_hand_guard_ns(st, cfg) + cfg->memory.window_ns;

	if (!dedup_one_by_one(cfg))
		return due_ns;
	if (dedup_hand_unguarded(st, cfg) > 0 || (__s64)(st->next_ns - due_ns) > 0)
		return st->next_ns;
	return due_ns;
}

/* Returns the new value of state.limit: how many ids may have been learned before the segment at
 * the hand is passed.
 */
static __always_inline __u64 dedup_hand_limit(struct dedup_state *st,
					      const volatile struct dedup_config *cfg)
{
	return dedup_hand_mark(st, cfg, 0)->learned + cfg->memory.full_ids;
}

struct dedup_starting {
	struct dedup_state *st;
	__u64 first_ns, step_ns; /* marks: of segment 0, and from one to the next */
};

static long dedup_start_segment(__u32 i, struct dedup_starting *s)
{
	dedup_mark(s->st, -1, i)->at_ns = s->first_ns + s->step_ns * i;
	return 0;
}

/* Starts the hand of a state that is all zero. Sets marks as if the hand had gone round in the
 * window before now_ns, at an even pace: so the segments fall due one after the other over the
 * first window, not all at its end. That is safe, as there is no id that they could forget.
 */
static __always_inline void dedup_hand_start(struct dedup_state *st,
					     const volatile struct dedup_config *cfg, __u64 now_ns)
{
	struct dedup_starting s = { st, now_ns - cfg->memory.window_ns,
				    cfg->memory.window_ns / dedup_hand_segments(cfg) };

	/* A segment is due a window after its guard: in countdown the mark of the next one. */
	if (!dedup_one_by_one(cfg))
		s.first_ns += s.step_ns;
	DEDUP_LOOP(dedup_hand_segments(cfg), dedup_start_segment, &s);
	st->started_ns = st->last_ns = now_ns;
	st->drop_until_ns = now_ns + cfg->asked.drop_ns;
	st->next_ns = now_ns + cfg->memory.countdown_ns;
	/* With a predecessor, 0 until the first step has told it the limit (predecessor.h). */
	st->limit = cfg->has_predecessor ? 0 : dedup_hand_limit(st, cfg);
}

/* Why places are passed: see the top of this file. */
enum dedup_pass_reason { DEDUP_BY_CLOCK, DEDUP_BY_REQUEST, DEDUP_BY_LOAD };

/* The places, all of one segment, that are due to be passed now. */
struct dedup_pass {
	__u32 places;  /* 0: nothing is due */
	__u32 reason;  /* enum dedup_pass_reason */
	__u64 now_ns;  /* the time that decided it */
	__u64 late_ns; /* how long ago they were due by the clock; 0 if they were not */
};

/* Fills in the places that are due at now_ns, from the hand on. Blocked, flat: the rest of the
 * hand's segment; a segment is passed as a whole, so that its mark holds for each place.
 * Countdown: one or more countdowns of the segment. The caller ages these places (age.h), or as
 * many of them as one step may pass, and then calls dedup_hand_pass().
 */
static __always_inline void dedup_hand_due(struct dedup_state *st,
					   const volatile struct dedup_config *cfg, __u64 now_ns,
					   struct dedup_pass *p)
{
	__u32 pos = dedup_hand_pos(st->hand), in_segment = pos % cfg->memory.segment_places;
	__s64 requested = READ_ONCE(st->requested) - st->passed;
	__s64 unguarded = dedup_hand_unguarded(st, cfg);
	__s64 overdue_ns = now_ns - dedup_hand_due_ns(st, cfg);
	__u64 left = cfg->memory.segment_places - in_segment, n;
	bool one_by_one = dedup_one_by_one(cfg);

	if (left > cfg->memory.places - pos)
		left = cfg->memory.places - pos;
	n = left;
	p->now_ns = now_ns;
	p->late_ns = overdue_ns > 0 ? overdue_ns : 0;
	p->reason = DEDUP_BY_REQUEST;
	if (overdue_ns >= 0) {
		p->reason = DEDUP_BY_CLOCK;
		if (one_by_one)
			n = (now_ns - st->next_ns) / cfg->memory.countdown_ns + 1;
		/* Only those without a guard: the guard of the next one decides whether it is due.
		 */
		if (one_by_one && unguarded > 0 && n > (__u64)unguarded)
			n = unguarded;
	} else if (requested > 0) {
		if (one_by_one)
			n = requested;
	} else if (READ_ONCE(st->learned) - dedup_hand_guard_ids(st, cfg) > cfg->memory.turn_ids) {
		/* A countdown that waits for next_ns while its guard is already a window old is
		 * not early.
		 */
		overdue_ns = now_ns - dedup_hand_guard_ns(st, cfg) - cfg->memory.window_ns;
		p->reason = overdue_ns < 0 ? DEDUP_BY_LOAD : DEDUP_BY_CLOCK;
	} else if (!in_segment || one_by_one) {
		n = 0;
	} /* else less than a segment was requested: it is passed to its end */
	p->places = n < left ? n : left;
}

/* Countdown: sets next_ns after n countdowns by the clock. If these came late, the next ones
 * follow closer until they are in time again. After a long delay (a stall; or load brought some
 * early, and the next ones waited for their guards) only an eighth of a window is made up for, and
 * late_ns, which does not count as late. Otherwise many countdowns would come at once.
 */
static __always_inline void dedup_hand_next_countdown(struct dedup_state *st,
						      const volatile struct dedup_config *cfg,
						      __u64 now_ns, __u64 n)
{
	__s64 behind_ns = now_ns - st->next_ns,
	      most_ns = cfg->memory.window_ns / 8 + cfg->memory.late_ns;

	if (behind_ns > most_ns)
		st->next_ns += behind_ns - most_ns;
	st->next_ns += n * cfg->memory.countdown_ns;
}

/* Counts late places. Blocked, flat: once a segment, at its first place, for all its places; the
 * time that passing the segment takes is not lateness.
 */
static __always_inline void dedup_hand_count_late(struct dedup_state *st,
						  const volatile struct dedup_config *cfg,
						  const struct dedup_pass *p, __u32 n)
{
	bool one_by_one = dedup_one_by_one(cfg);

	if (!one_by_one && dedup_hand_pos(st->hand) % cfg->memory.segment_places)
		return;
	if (p->late_ns > cfg->memory.late_ns)
		st->late += one_by_one ? n : p->places;
	if (p->late_ns > st->late_max_ns)
		st->late_max_ns = p->late_ns;
}

/* Moves the hand over n places, which the caller has aged: those of p->places, or the first ones.
 * Returns the mark of their segment, whose at_ns the caller sets to a time that it reads after
 * this call. Until the hand has moved, ids are still learned into the generation that was the
 * current one: the mark must not be older than these ids.
 */
static __always_inline struct dedup_mark *dedup_hand_pass(struct dedup_state *st,
							  const volatile struct dedup_config *cfg,
							  const struct dedup_pass *p, __u32 n)
{
	__u32 pos = dedup_hand_pos(st->hand), epoch = dedup_hand_epoch(st->hand);
	struct dedup_mark *mark = dedup_mark(st, epoch, pos / cfg->memory.segment_places);

	if (pos % cfg->memory.segment_places == 0 || cfg->memory.layout == DEDUP_FLAT)
		mark->learned = READ_ONCE(st->learned);
	mark->at_ns = p->now_ns; /* valid until the caller sets it: others see the hand moved */
	if (p->reason == DEDUP_BY_LOAD)
		st->early += n;
	if (p->reason == DEDUP_BY_CLOCK && dedup_one_by_one(cfg))
		dedup_hand_next_countdown(st, cfg, p->now_ns, n);
	if (p->reason == DEDUP_BY_CLOCK)
		dedup_hand_count_late(st, cfg, p, n);
	pos += n;
	if (pos >= cfg->memory.places) {
		/* The epoch goes back to 0, and eras (array.bpf.h) with it: entries of the cache of
		 * known ids, valid until an era that is far ahead now, become void.
		 */
		if (epoch == 0xffffffff)
			__sync_fetch_and_add(&st->known_version, 1);
		pos = 0;
		epoch++;
	}
	/* An exchange is a full barrier: a CPU that sees the hand here sees the cleared bits, too.
	 */
	__sync_lock_test_and_set(&st->hand, (__u64)epoch << 32 | pos);
	st->passed += n; /* after the hand has moved: callers wait for this number */
	return mark;
}

/* In each step: tells the packet path whether the time to drop is over (DEDUP_DROP_FOR). */
static __always_inline void
dedup_hand_end_drops(struct dedup_state *st, const volatile struct dedup_config *cfg, __u64 now_ns)
{
	if (cfg->policy.action == DEDUP_DROP_FOR)
		st->counting = now_ns >= READ_ONCE(st->drop_until_ns);
}

/* Returns, at the end of a step, the time until the next one. `busy`: this step passed places by
 * load, or as many as a step may; the next one then comes after busy_tick_ns. Otherwise it comes
 * when the next place is due, but after a quarter of tick_ns at the earliest, so that near
 * countdowns share a step, and after tick_ns at the latest.
 */
static __always_inline __u64 dedup_hand_sleep(struct dedup_state *st,
					      const volatile struct dedup_config *cfg, __u64 now_ns,
					      bool busy)
{
	__s64 sleep_ns = dedup_hand_due_ns(st, cfg) - now_ns, least_ns = cfg->memory.tick_ns / 4;

	if (busy || least_ns < (__s64)cfg->memory.busy_tick_ns)
		least_ns = cfg->memory.busy_tick_ns;
	if (busy || sleep_ns < least_ns)
		return least_ns;
	return sleep_ns < (__s64)cfg->memory.tick_ns ? (__u64)sleep_ns : cfg->memory.tick_ns;
}

/* Requests that the hand pass this many places as soon as it can, after those requested before.
 * They count from the start of the hand's segment, whose first places it may have passed already;
 * with from_end, from the end of a segment that it has begun. (In flat a segment is a whole array;
 * in countdown each place counts by itself.) Returns the number that state.passed reaches when the
 * request is done.
 */
static inline __u64 dedup_hand_request(struct dedup_state *st, const struct dedup_config *cfg,
				       __u64 places, bool from_end)
{
	__u64 before, from;

	do {
		__u32 pos, in_segment, left;

		before = READ_ONCE(st->requested);
		from = READ_ONCE(st->passed);
		pos = from % cfg->memory.places;
		in_segment = dedup_one_by_one(cfg) ? 0 : pos % cfg->memory.segment_places;
		left = cfg->memory.segment_places - in_segment;
		if (in_segment && from_end)
			from += left < cfg->memory.places - pos ? left : cfg->memory.places - pos;
		else
			from -= in_segment;
		if (from < before)
			from = before;
	} while (!__sync_bool_compare_and_swap(&st->requested, before, from + places));
	return from + places;
}

/* Requests that every id become one generation older (countdown: by one countdown). Returns the
 * number that state.passed reaches when that is done. Places of the hand's segment that it has
 * already passed are not passed again for this request: their ids would become two generations
 * older.
 */
static inline __u64 dedup_hand_rotate(struct dedup_state *st, const struct dedup_config *cfg)
{
	return dedup_hand_request(st, cfg, dedup_one_by_one(cfg) ? 1 : cfg->memory.places, false);
}

/* Requests that every id be forgotten, and forgets all numbers. Returns the number that
 * state.passed reaches when that is done.
 */
static inline __u64 dedup_hand_reset(struct dedup_state *st, const struct dedup_config *cfg)
{
	if (cfg->sources.sources)
		__sync_fetch_and_add(&st->sources_era, 1);
	return dedup_hand_request(st, cfg, dedup_turns(cfg) * cfg->memory.places, true);
}
