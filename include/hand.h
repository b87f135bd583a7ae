/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hand goes round a circle of places once per window, as CLOCK's hand does in page
 * replacement. What a place is, and what the hand does there, is the layout's: where it passes a
 * block of `blocked`, the block's older half is cleared and becomes the current one; in `flat` it
 * rests for a window, then passes all blocks of the older array (one segment); in `countdown`
 * each place is one countdown. Pure code: the caller has the clock, the lock (one hand a filter)
 * and the memory. The kernel's timer runs it; tests run it on a clock of their own.
 *
 * The circle is cut into segments, and the marks are all that the hand's decisions come from: a
 * mark says when a segment was passed last, and how many ids had been learned by then. A segment
 * is passed
 * - by the clock: when what it would forget is a window old;
 * - by load: when more than turn_ids ids have been learned since then, for within capacity so
 *   many do not come in a window;
 * - by request (rotate, reset).
 * The ids that a pass makes forgotten were learned before the last pass of the same place
 * (countdown: of the place behind it), so that pass's mark is the guard: while no more than
 * turn_ids ids come in a window, an id is never forgotten before it is a window old, however
 * late steps come. A late step makes the ids that it ages live longer by as much, and no others:
 * no time is lost or made up for.
 *
 * p under any load: nobody learns more than full_ids since the mark of the segment that is next.
 * Filters are sized for so many in either generation, so it does not matter for p that segments
 * which were passed together, as by load, fall due together again.
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

/* The mark of a segment that is passed in this epoch; the one of the epoch before stands
 * beside it.
 */
static __always_inline struct dedup_mark *dedup_mark(struct dedup_state *st, __u32 epoch, __u32 seg)
{
	__u64 i = (epoch & 1) * DEDUP_MARKS + seg;

#ifdef __bpf__
	asm volatile("%0 &= %1" : "+r"(i) : "i"(2 * DEDUP_MARKS - 1));
#endif
	return &st->marks[i];
}

static __always_inline __u32 dedup_hand_segments(const volatile struct dedup_config *cfg)
{
	return (cfg->places - 1) / cfg->segment_places + 1;
}

/* The last pass of the segment that is so many (less than there are) after that of the hand. */
static __always_inline struct dedup_mark *
dedup_hand_mark(struct dedup_state *st, const volatile struct dedup_config *cfg, __u32 after)
{
	__u32 epoch = dedup_hand_epoch(st->hand) - 1, cnt = dedup_hand_segments(cfg);
	__u32 seg = dedup_hand_pos(st->hand) / cfg->segment_places + after;

	return seg < cnt ? dedup_mark(st, epoch, seg) : dedup_mark(st, epoch + 1, seg - cnt);
}

/* The mark of a time and of a number of ids learned by which all ids had come that passing the
 * place at the hand makes forgotten. Blocked, flat: its own last pass. Countdown: of the ids that
 * have one countdown to go, the last came before the place after this one was passed. That may be
 * in the next segment, which was passed by its mark's at_ns; where segments have several places,
 * only the one after that says how many had been learned. (With one place ids last until it is
 * passed again, however new: nothing guards them.)
 */
static __always_inline __u64 dedup_hand_guard_ns(struct dedup_state *st,
						 const volatile struct dedup_config *cfg)
{
	__u32 after = cfg->layout == DEDUP_COUNTDOWN && cfg->places > 1;

	return dedup_hand_mark(st, cfg, after)->at_ns;
}

static __always_inline __u64 dedup_hand_guard_ids(struct dedup_state *st,
						  const volatile struct dedup_config *cfg)
{
	__u32 after = cfg->layout == DEDUP_COUNTDOWN && cfg->places > 1;

	if (after && cfg->segment_places > 1)
		after = 2;
	return dedup_hand_mark(st, cfg, after)->learned;
}

/* The ids learned since the segment at the hand was passed last. */
static __always_inline __u64 dedup_hand_load(struct dedup_state *st,
					     const volatile struct dedup_config *cfg)
{
	return READ_ONCE(st->learned) - dedup_hand_mark(st, cfg, 0)->learned;
}

/* Countdown: so many of the next ones, if above 0, make only ids forgotten that a requested one has
 * aged before; no guard is kept for those.
 */
static __always_inline __s64 dedup_hand_unguarded(struct dedup_state *st,
						  const volatile struct dedup_config *cfg)
{
	return READ_ONCE(st->requested) - st->passed + cfg->places - 1;
}

/* When the clock wants the place at the hand passed, in CLOCK_MONOTONIC. Countdowns keep a
 * distance, so that all ids live about equally long.
 */
static __always_inline __u64 dedup_hand_due_ns(struct dedup_state *st,
					       const volatile struct dedup_config *cfg)
{
	__u64 due_ns = dedup_hand_guard_ns(st, cfg) + cfg->window_ns;

	if (cfg->layout != DEDUP_COUNTDOWN)
		return due_ns;
	if (dedup_hand_unguarded(st, cfg) > 0 || (__s64)(st->next_ns - due_ns) > 0)
		return st->next_ns;
	return due_ns;
}

/* How far may others learn? */
static __always_inline __u64 dedup_hand_limit(struct dedup_state *st,
					      const volatile struct dedup_config *cfg)
{
	return dedup_hand_mark(st, cfg, 0)->learned + cfg->full_ids;
}

/* Puts the hand, of a state that is all zero, at the start. Marks are set as if the circle had
 * been gone round in a window before: nothing is there to be forgotten, and the work is spread.
 */
static __always_inline void dedup_hand_start(struct dedup_state *st,
					     const volatile struct dedup_config *cfg, __u64 now_ns)
{
	__u32 cnt = dedup_hand_segments(cfg);

	for (__u32 i = 0; i < DEDUP_MARKS && i < cnt; i++) {
		/* A countdown's guard is the mark after its own. */
		__u64 done = i + (cfg->layout != DEDUP_COUNTDOWN);

		dedup_mark(st, -1, i)->at_ns = now_ns - cfg->window_ns + cfg->window_ns / cnt * done;
	}
	st->started_ns = st->last_ns = now_ns;
	st->next_ns = now_ns + cfg->countdown_ns;
	st->limit = dedup_hand_limit(st, cfg);
}

enum dedup_pass_reason { DEDUP_BY_CLOCK, DEDUP_BY_REQUEST, DEDUP_BY_LOAD };

/* What is to be passed at once: places of one segment. */
struct dedup_pass {
	__u32 places;  /* 0: nothing is due */
	__u32 reason;  /* enum dedup_pass_reason */
	__u64 now_ns;  /* when this was found out */
	__u64 late_ns; /* by the clock: since it was due */
};

/* What must be passed now, from dedup_hand_pos() on. Segments are passed whole, so that a mark is
 * true for each place in it; only countdowns come one by one. The caller ages what is there
 * (age.h), then calls dedup_hand_pass().
 */
static __always_inline void dedup_hand_due(struct dedup_state *st,
					   const volatile struct dedup_config *cfg, __u64 now_ns,
					   struct dedup_pass *p)
{
	__u32 pos = dedup_hand_pos(st->hand), in_segment = pos % cfg->segment_places;
	__s64 requested = READ_ONCE(st->requested) - st->passed;
	__s64 unguarded = dedup_hand_unguarded(st, cfg);
	__s64 over_ns = now_ns - dedup_hand_due_ns(st, cfg);
	__u64 left = cfg->segment_places - in_segment, n;
	bool one_by_one = cfg->layout == DEDUP_COUNTDOWN;

	if (left > cfg->places - pos)
		left = cfg->places - pos;
	n = left;
	p->now_ns = now_ns;
	p->late_ns = over_ns > 0 ? over_ns : 0;
	p->reason = DEDUP_BY_REQUEST;
	if (over_ns >= 0) {
		p->reason = DEDUP_BY_CLOCK;
		if (one_by_one)
			n = (now_ns - st->next_ns) / cfg->countdown_ns + 1;
		/* Not on to those that have a guard again. */
		if (one_by_one && unguarded > 0 && n > (__u64)unguarded)
			n = unguarded;
	} else if (requested > 0) {
		if (one_by_one)
			n = requested;
	} else if (READ_ONCE(st->learned) - dedup_hand_guard_ids(st, cfg) > cfg->turn_ids) {
		/* A countdown may keep its distance, and yet be over. */
		over_ns = now_ns - dedup_hand_guard_ns(st, cfg) - cfg->window_ns;
		p->reason = over_ns < 0 ? DEDUP_BY_LOAD : DEDUP_BY_CLOCK;
	} else if (!in_segment || one_by_one) {
		n = 0;
	} /* else a request has ended within a segment */
	p->places = n < left ? n : left;
}

/* Countdown: n of them have come by the clock. Distances that a stall, or load, has put off by more
 * than an eighth of a window (and what is not late yet) are not made up for: those countdowns would
 * come all at once.
 */
static __always_inline void dedup_hand_next_countdown(struct dedup_state *st,
						      const volatile struct dedup_config *cfg,
						      __u64 now_ns, __u64 n)
{
	__s64 behind_ns = now_ns - st->next_ns, most_ns = cfg->window_ns / 8 + cfg->late_ns;

	if (behind_ns > most_ns)
		st->next_ns += behind_ns - most_ns;
	st->next_ns += n * cfg->countdown_ns;
}

/* A segment is late that begins late: what it takes to pass it is not lateness. */
static __always_inline void dedup_hand_count_late(struct dedup_state *st,
						  const volatile struct dedup_config *cfg,
						  const struct dedup_pass *p, __u32 n)
{
	bool one_by_one = cfg->layout == DEDUP_COUNTDOWN;

	if (!one_by_one && dedup_hand_pos(st->hand) % cfg->segment_places)
		return;
	if (p->late_ns > cfg->late_ns)
		st->late += one_by_one ? n : p->places;
	if (p->late_ns > st->late_max_ns)
		st->late_max_ns = p->late_ns;
}

/* The hand has passed n places, of the p->places that were due or some for a start. Returns the
 * mark whose at_ns the caller then sets to the time that it is after this call: whoever learned
 * an id for the half that was current before had done so by then.
 */
static __always_inline struct dedup_mark *dedup_hand_pass(struct dedup_state *st,
							  const volatile struct dedup_config *cfg,
							  const struct dedup_pass *p, __u32 n)
{
	__u32 pos = dedup_hand_pos(st->hand), epoch = dedup_hand_epoch(st->hand);
	struct dedup_mark *mark = dedup_mark(st, epoch, pos / cfg->segment_places);

	if (pos % cfg->segment_places == 0 || cfg->layout == DEDUP_FLAT)
		mark->learned = READ_ONCE(st->learned);
	if (p->reason == DEDUP_BY_LOAD)
		st->early += n;
	if (p->reason == DEDUP_BY_CLOCK && cfg->layout == DEDUP_COUNTDOWN)
		dedup_hand_next_countdown(st, cfg, p->now_ns, n);
	if (p->reason == DEDUP_BY_CLOCK)
		dedup_hand_count_late(st, cfg, p, n);
	pos += n;
	if (pos >= cfg->places) {
		/* Ages begin anew: what was to be known until a later one is void. */
		if (epoch == 0xffffffff)
			__sync_fetch_and_add(&st->recent_version, 1);
		pos = 0;
		epoch++;
	}
	/* A full barrier: whoever sees the block turned finds its half cleared. */
	__sync_lock_test_and_set(&st->hand, (__u64)epoch << 32 | pos);
	st->passed += n; /* last: who waits for it finds the hand there */
	return mark;
}

/* A step ends: how long until the next one? `busy`: this one had more to do than it may, or more
 * than the clock asks for. Else it comes when a place is due, but not for each of many countdowns.
 */
static __always_inline __u64 dedup_hand_sleep(struct dedup_state *st,
					      const volatile struct dedup_config *cfg, __u64 now_ns,
					      bool busy)
{
	__s64 sleep_ns = dedup_hand_due_ns(st, cfg) - now_ns, least_ns = cfg->tick_ns / 4;

	if (busy || least_ns < (__s64)cfg->busy_tick_ns)
		least_ns = cfg->busy_tick_ns;
	if (busy || sleep_ns < least_ns)
		return least_ns;
	return sleep_ns < (__s64)cfg->tick_ns ? (__u64)sleep_ns : cfg->tick_ns;
}

/* Asks the hand to pass so many places as soon as it can, beside what was asked for before:
 * from the start of the segment that it is in (flat: a whole array that it may be clearing), or
 * from its end. They are passed when `passed` has reached what this returns.
 */
static inline __u64 dedup_hand_request(struct dedup_state *st, const struct dedup_config *cfg,
				       __u64 places, bool from_end)
{
	__u64 before, from;

	do {
		__u32 pos, in_segment, left;

		before = READ_ONCE(st->requested);
		from = READ_ONCE(st->passed);
		pos = from % cfg->places;
		in_segment = cfg->layout == DEDUP_COUNTDOWN ? 0 : pos % cfg->segment_places;
		left = cfg->segment_places - in_segment;
		if (in_segment && from_end)
			from += left < cfg->places - pos ? left : cfg->places - pos;
		else
			from -= in_segment;
		if (from < before)
			from = before;
	} while (!__sync_bool_compare_and_swap(&st->requested, before, from + places));
	return from + places;
}

/* Every id is to be a generation older (countdown: a countdown). What the hand has passed of its
 * segment, or of an array, it has passed for this, too: those ids would else be two older.
 */
static inline __u64 dedup_hand_rotate(struct dedup_state *st, const struct dedup_config *cfg)
{
	return dedup_hand_request(st, cfg, cfg->layout == DEDUP_COUNTDOWN ? 1 : cfg->places, false);
}

/* Every id is to be forgotten. */
static inline __u64 dedup_hand_reset(struct dedup_state *st, const struct dedup_config *cfg)
{
	__u64 turns = cfg->layout == DEDUP_COUNTDOWN ? 1 : 2;

	return dedup_hand_request(st, cfg, turns * cfg->places, true);
}

#endif
