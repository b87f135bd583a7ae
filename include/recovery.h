/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sequence recovery: which numbers of a source have been seen. It is the vector recovery algorithm
 * of IEEE 802.1CB-2017, 7.4.3, with a ring of bits that any number of CPUs use without a lock. One
 * rule is different: what the ring does not prove to be a copy passes.
 *
 * The ring has 2^ring_shift numbers. A word has the bits of 32 numbers, and above them a lap. Laps
 * count how often the numbers have gone round the ring. A number's lap follows from its distance to
 * `near`, which is the highest number seen, rounded down to its word. If the word has
 * - this lap: the number's bit tells whether the number was seen;
 * - an earlier lap: the word is of no use any more, and is replaced;
 * - a later lap: the number is older than the history, and passes.
 * Laps only grow, so a word is never taken for one of another lap.
 *
 * When a sender begins its numbers anew, the laps skip ahead by three, so nothing must be cleared.
 * This is done by one compare-and-swap of `near`. It starts a new *numbering*, in these cases:
 * - No number near `near` came for reset_jiffies.
 * - DEDUP_RUN of 16 neighbouring numbers came that are far from `near`, and no number near it came
 *   for two jiffies. These numbers are kept in `run`, so their copies are known, too.
 *
 * The promise. Let r be the most numbers that the sender sends in a jiffy, and `skew` the most
 * jiffies between two copies. If
 *
 *	r * (skew + reset_jiffies + 1) + 64 <= 2^(width - 1)
 *
 * then no fresh number is taken for a copy, unless a sender begins its numbers anew within
 * reset_jiffies, inside the history. Example: 16 bits, reset_jiffies 5, HZ 250, no skew: up to 1.3
 * million numbers a second. If the ring's size is as large as the left side, too, all copies are
 * known.
 *
 * Proof. It is enough that each number is within 2^(width - 1) of `near` when it comes: then its
 * lap is right. Let a packet come at time t, and the last one before it that was near `near`, at t'.
 * Let D be the shortest time that a copy takes. So what comes at t was sent between t - D - skew and
 * t - D. `near` is at least the number sent at t' - D - skew, less 31, and at most the one sent at t
 * - D. So the packet's number is at most r * (t - t' + skew) + 31 ahead of `near`, and at most r *
 * skew behind it. And t - t' is less than reset_jiffies + 1: otherwise a new numbering is started.
 *
 * What a forged packet can do. It marks its numbers as seen, as in any filter. If its number is
 * almost a ring ahead, `near` is there, too. Real numbers are still known then, but another packet
 * of this kind makes them far. Far ones pass until a new numbering starts.
 */
#pragma once

#include "numbering.h"

#define DEDUP_RUN 8
#define DEDUP_RECOVERY_TRIES 128 /* more than the changes that a word can have meanwhile */

/* Numbers of one word that a packet brings. */
struct dedup_numbers {
	__u64 first;
	__u64 now;  /* in jiffies */
	__u32 bits; /* of the word: those of the numbers */
};

/* What becomes of these. Negative: some may be fresh, and none was learned. */
enum dedup_recovered {
	DEDUP_SEEN = 1,	    /* all of them */
	DEDUP_FRESH = 0,    /* and is learned */
	DEDUP_LATE = -1,    /* older than the history */
	DEDUP_FAR = -2,	    /* neither in the history nor shortly ahead */
	DEDUP_SPENT = -3,   /* there are no more laps: the source must be cleared */
	DEDUP_BUSY = -4,    /* too much happened at once; for tests: never seen */
	DEDUP_NO_ROOM = -6, /* there is no memory for another source (source_table.h) */
};

/* What the steps below return if something has changed meanwhile: all is read again. */
#define DEDUP_AGAIN (-5)

#define DEDUP_RUN_NUMBERS 16
#define DEDUP_RUN_BASE 28 /* shift of the number / 16 */
#define DEDUP_RUN_NUMBERING 17
#define DEDUP_RUN_SEALED (1ULL << 16)
#define DEDUP_RUN_NOTED (1ULL << 18)

/* What is shared, as it was read. */
struct dedup_source_now {
	__u64 run, last, near;
};

/* The number / 16 of a run. */
static __always_inline __u64 dedup_run_base(__u64 run)
{
	return run >> DEDUP_RUN_BASE;
}

static __always_inline __u32 dedup_run_cnt(__u64 run)
{
	return __builtin_popcountll(run & 0xffff);
}

/* Is it of the numbering of `near`? */
static __always_inline bool dedup_run_is_of(const struct dedup_recovery *r, __u64 run, __u64 near)
{
	return run && (run >> DEDUP_RUN_NUMBERING & 1) == dedup_near_numbering(r, near);
}

/* Those of the number's word that were seen before the numbering of `near` was started. */
static __always_inline __u32 dedup_run_bits(const struct dedup_recovery *r, __u64 run, __u64 near,
					    __u64 number)
{
	__u64 base = dedup_run_base(run) * DEDUP_RUN_NUMBERS;

	if (!(run & DEDUP_RUN_SEALED) || dedup_run_is_of(r, run, near) ||
	    (base ^ dedup_number(r, number)) & -DEDUP_WORD_NUMBERS)
		return 0;
	return (__u32)(run & 0xffff) << base % DEDUP_WORD_NUMBERS;
}

/* The run, sealed: nothing can be added to it any more, so who has added something is the first.
 * Its numbers are kept if none of them can be older than a reset, by two jiffies: a sender that was
 * silent for longer may use them for other messages.
 */
static __always_inline __u64 dedup_sealed(const struct dedup_recovery *r,
					  const struct dedup_source_now *is, __u64 now)
{
	if (!dedup_run_is_of(r, is->run, is->near) ||
	    dedup_silence(is->last, now) > (__s64)r->reset_jiffies + 2)
		return dedup_near_numbering(r, is->near) << DEDUP_RUN_NUMBERING | DEDUP_RUN_SEALED;
	return is->run | DEDUP_RUN_SEALED;
}

/* Starts a new numbering, which somebody else may have begun to do. Returns DEDUP_AGAIN or
 * DEDUP_SPENT; *before becomes `near` if copies may be judged by that at this moment.
 */
static __always_inline int dedup_begin_anew(const struct dedup_recovery *r, struct dedup_source *s,
					    const struct dedup_source_now *is,
					    const struct dedup_numbers *n, __u64 *before)
{
	__u64 numbering = !dedup_near_numbering(r, is->near), found;
	__u64 lap = dedup_near_lap(r->number_bits, is->near) + 3,
	      last = dedup_last(numbering, n->now);
	__u64 run = dedup_sealed(r, is, n->now), number = n->first;

	if (lap > dedup_laps(r->number_bits))
		return DEDUP_SPENT;
	if (run != is->run && __sync_val_compare_and_swap(&s->run, is->run, run) != is->run)
		return DEDUP_AGAIN;
	if (dedup_run_cnt(run) >= DEDUP_RUN - 1)
		number = dedup_run_base(run) * DEDUP_RUN_NUMBERS;
	if (__sync_val_compare_and_swap(&s->near, is->near, dedup_near(r, lap, numbering, number)) !=
	    is->near)
		return DEDUP_AGAIN;
	found = __sync_val_compare_and_swap(&s->last, is->last, last);
	if (found == is->last || found >> 63 == numbering)
		return DEDUP_AGAIN;
	/* Somebody's clock was one jiffy behind this CPU's, and there was no silence yet. */
	*before = is->near;
	__sync_val_compare_and_swap(&s->last, found, last);
	return DEDUP_AGAIN;
}

/* Numbers that are far from `near`. */
static __always_inline int dedup_see_far(const struct dedup_recovery *r, struct dedup_source *s,
					 const struct dedup_source_now *is,
					 const struct dedup_numbers *n, __u64 *before)
{
	__u64 base = dedup_number(r, n->first) / DEDUP_RUN_NUMBERS, run = is->run;
	__u32 shift = base % 2 * DEDUP_RUN_NUMBERS; /* the other half of the word is not noted */
	__u64 bits = n->bits >> shift & 0xffff;
	__u64 none = base << DEDUP_RUN_BASE | dedup_near_numbering(r, is->near)
						      << DEDUP_RUN_NUMBERING;
	__s64 ahead = dedup_ahead(r, dedup_run_base(run) * DEDUP_RUN_NUMBERS, n->first);
	__s64 silence = dedup_silence(is->last, n->now);

	if (!dedup_run_is_of(r, run, is->near)) {
		/* This numbering was started in this jiffy: its first numbers are in this run. */
		if (run & DEDUP_RUN_SEALED && !(run & DEDUP_RUN_NOTED) && silence < 1)
			return DEDUP_FAR;
		run = none;
	} else if (run & DEDUP_RUN_SEALED) {
		return dedup_begin_anew(r, s, is, n, before);
	} else if (dedup_run_base(run) != base) {
		if (ahead < 0 && !dedup_is_far(r, ahead))
			return DEDUP_FAR;
		run = none;
	}
	if ((run & bits) == bits && n->bits == bits << shift)
		return DEDUP_SEEN;
	if (dedup_run_cnt(run | bits) >= DEDUP_RUN && silence >= 2)
		return dedup_begin_anew(r, s, is, n, before);
	if (__sync_val_compare_and_swap(&s->run, is->run, run | bits) != is->run)
		return DEDUP_AGAIN;
	return DEDUP_FAR;
}

/* Does the word, of this value, have all bits of these numbers, in this lap? */
static __always_inline bool dedup_is_seen(__u64 is, __u64 lap, const struct dedup_numbers *n)
{
	return is >> 32 == lap && (is & n->bits) == n->bits;
}

/* Learns numbers, which the word `is` does not have, in their lap by this `near`. */
static __always_inline int dedup_learn(const struct dedup_recovery *r, struct dedup_source *s,
				       __u64 *word, __u64 is, __u64 near, __u64 lap,
				       const struct dedup_numbers *n)
{
	__u32 bits = is;

	if (is >> 32 > lap)
		return DEDUP_LATE;
	if (is >> 32 < lap)
		bits = dedup_run_bits(r, READ_ONCE(s->run), near, n->first);
	if (lap > dedup_laps(r->number_bits))
		return DEDUP_SPENT;
	if (__sync_val_compare_and_swap(word, is, lap << 32 | bits | n->bits) != is)
		return DEDUP_AGAIN;
	return (bits & n->bits) == n->bits ? DEDUP_SEEN : DEDUP_FRESH;
}

/* Looks numbers up by this `near`, which they are not far from, and learns them. */
static __always_inline int dedup_see_near(const struct dedup_recovery *r, struct dedup_source *s,
					  __u64 *word, __u64 near, const struct dedup_numbers *n)
{
	__u64 lap = dedup_lap(r, near, dedup_ahead(r, near, n->first)), is = READ_ONCE(*word);

	return dedup_is_seen(is, lap, n) ? DEDUP_SEEN : dedup_learn(r, s, word, is, near, lap, n);
}

/* Have all these numbers their bits by this `near`? */
static __always_inline bool dedup_has_seen(const struct dedup_recovery *r, __u64 *word, __u64 near,
					   const struct dedup_numbers *n)
{
	__s64 ahead = dedup_ahead(r, near, n->first);

	return !dedup_is_far(r, ahead) &&
	       dedup_is_seen(READ_ONCE(*word), dedup_lap(r, near, ahead), n);
}

/* What the run becomes when a number near `near` comes in a later jiffy. One from before this
 * numbering is kept until that happens again: the CPU that has started the numbering may not have
 * learned these numbers yet.
 */
static __always_inline __u64 dedup_run_later(const struct dedup_recovery *r,
					     const struct dedup_source_now *is)
{
	bool is_before = is->run & DEDUP_RUN_SEALED && !dedup_run_is_of(r, is->run, is->near);

	return is_before && !(is->run & DEDUP_RUN_NOTED) ? is->run | DEDUP_RUN_NOTED : 0;
}

/* Notes that a number near `near` has come now. False if somebody has changed that meanwhile. */
static __always_inline bool dedup_note_arrival(const struct dedup_recovery *r, struct dedup_source *s,
					       const struct dedup_source_now *is, __u64 now)
{
	__u64 numbering = dedup_near_numbering(r, is->near);

	if (__sync_val_compare_and_swap(&s->last, is->last, dedup_last(numbering, now)) != is->last)
		return false;
	if (is->run)
		__sync_val_compare_and_swap(&s->run, is->run, dedup_run_later(r, is));
	return true;
}

/* Moves `near` on, to a number that was learned by it. */
static __always_inline void dedup_move_near(const struct dedup_recovery *r, struct dedup_source *s,
					    __u64 near, __u64 number)
{
	__s64 ahead = dedup_ahead(r, near, number);

	if (ahead >= DEDUP_WORD_NUMBERS)
		__sync_val_compare_and_swap(&s->near, near,
					    dedup_near(r, dedup_lap(r, near, ahead),
						       dedup_near_numbering(r, near), number));
}

/* The first number of a source: of zeros, or of one that was used before, whose laps go on. Nobody
 * else uses it meanwhile. dedup_laps() must be more than three laps away.
 */
static __always_inline void dedup_source_begin(const struct dedup_recovery *r,
					       struct dedup_source *s, __u64 number, __u64 now)
{
	__u64 near = READ_ONCE(s->near), numbering = !dedup_near_numbering(r, near);

	WRITE_ONCE(s->near,
		   dedup_near(r, dedup_near_lap(r->number_bits, near) + 3, numbering, number));
	WRITE_ONCE(s->last, dedup_last(numbering, now));
	WRITE_ONCE(s->run, 0);
}

/* Looks numbers up in their word (dedup_ring_index()), and learns those that are fresh. Returns an
 * enum dedup_recovered, or DEDUP_AGAIN: then it is to be tried again, with what *before has become,
 * which is 0 at first. Of packets with the same numbers that come at one time, on any CPUs, one at
 * most is not DEDUP_SEEN if all numbers are near `near`, and one at least; unless a CPU stands
 * still for reset_jiffies in here.
 */
static __always_inline int dedup_try_word(const struct dedup_recovery *r, struct dedup_source *s,
					  __u64 *word, const struct dedup_numbers *n, __u64 *before)
{
	struct dedup_source_now is;
	__u64 numbering;
	__s64 silence, ahead;
	bool is_told;
	int seen;

	is.run = READ_ONCE(s->run);
	is.last = READ_ONCE(s->last);
	is.near = READ_ONCE(s->near);
	numbering = dedup_near_numbering(r, is.near);
	is_told = is.last >> 63 == numbering; /* else who has started this numbering is about to */
	silence = dedup_silence(is.last, n->now);
	ahead = dedup_ahead(r, is.near, n->first);
	/* Else `near` may have been read before a change, and `last` after it: also on machines
	 * that read in another order than the program has.
	 */
	if (!is_told && __sync_val_compare_and_swap(&s->near, is.near, is.near) != is.near)
		return DEDUP_AGAIN;
	if (silence > (__s64)r->reset_jiffies) {
		if (is_told)
			return dedup_begin_anew(r, s, &is, n, before);
		/* It takes long. Nobody has come since, so there is nothing for it to find here. */
		__sync_val_compare_and_swap(&s->last, is.last, dedup_last(numbering, n->now));
		return DEDUP_AGAIN;
	}
	if (dedup_is_far(r, ahead))
		return is_told ? dedup_see_far(r, s, &is, n, before) : DEDUP_FAR;
	if (silence > 0 && is_told && !dedup_note_arrival(r, s, &is, n->now))
		return DEDUP_AGAIN;
	if (*before && dedup_has_seen(r, word, *before, n))
		return DEDUP_SEEN;
	seen = dedup_see_near(r, s, word, is.near, n);
	if (seen == DEDUP_SEEN || seen == DEDUP_AGAIN || seen == DEDUP_SPENT)
		return seen;
	/* Of a numbering that has ended, nobody looks at this bit any more. */
	if (dedup_near_numbering(r, READ_ONCE(s->near)) != numbering)
		return DEDUP_AGAIN;
	if (seen == DEDUP_FRESH)
		dedup_move_near(r, s, is.near, n->first);
	return seen;
}

/* What dedup_look_quickly() has read. */
struct dedup_quick {
	__u64 last, near, lap; /* lap: of the numbers */
	__u64 is;	       /* the word */
};

/* Does what dedup_try_word() does if a number near `near` has come before in this jiffy: then there
 * is nothing to note, and nobody begins anew. Returns DEDUP_SEEN; DEDUP_FRESH if the numbers are to
 * be learned, by dedup_learn_quickly(); DEDUP_AGAIN if dedup_try_word() is to do it, also if there
 * are no laps left up to laps_max.
 */
static __always_inline int dedup_look_quickly(const struct dedup_recovery *r, struct dedup_source *s,
					      __u64 *word, const struct dedup_numbers *n,
					      __u64 laps_max, struct dedup_quick *q)
{
	__s64 ahead;

	q->last = READ_ONCE(s->last);
	q->near = READ_ONCE(s->near);
	q->is = READ_ONCE(*word);
	ahead = dedup_ahead(r, q->near, n->first);
	q->lap = dedup_lap(r, q->near, ahead);
	/* A word may have a far number's lap from before this numbering, or from another source. */
	if (q->last != dedup_last(dedup_near_numbering(r, q->near), n->now) || dedup_is_far(r, ahead))
		return DEDUP_AGAIN;
	if (likely(dedup_is_seen(q->is, q->lap, n)))
		return DEDUP_SEEN;
	return q->lap > laps_max ? DEDUP_AGAIN : DEDUP_FRESH;
}

/* Learns the numbers. Returns as dedup_try_word(). */
static __always_inline int dedup_learn_quickly(const struct dedup_recovery *r, struct dedup_source *s,
					       __u64 *word, const struct dedup_numbers *n,
					       const struct dedup_quick *q)
{
	int seen = dedup_learn(r, s, word, q->is, q->near, q->lap, n);

	if (dedup_near_numbering(r, READ_ONCE(s->near)) != dedup_near_numbering(r, q->near))
		return DEDUP_AGAIN;
	if (seen == DEDUP_FRESH)
		dedup_move_near(r, s, q->near, n->first);
	return seen;
}
