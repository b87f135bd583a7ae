/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Claims: of copies of one id that CPUs learn at one instant, exactly one is new. This is for
 * layouts whose places are single bits or cells, each of many ids.
 *
 * A CPU that learns an id sets the places that lack it, and two of them last: the second one that
 * lacks it, and then the first. A place is won by the CPU that sets it. If a CPU has
 * - won both: its copy is new;
 * - won neither: another CPU has the new copy;
 * - won one: two copies may have won one each, or another id has taken the other place. So it looks
 *   for the id in a slot of ties. Who puts the id there is new. The next tie in this slot pushes the
 *   id out: a thread that stood still for that long takes its copy for new, too. So slots are many.
 *
 * With the first place alone, a fresh id would be taken for a copy if another id took that place
 * meanwhile. Let CPUs learn as many ids as the filter is sized for, and one of them take the time t
 * for an id: that is 0.7 * t / window of the ids, at p = 1e-9. With t = 500 ns and a window of 10 s
 * it is 3e-8.
 */
#pragma once

#include "config.h"
#include "positions.h"

#define DEDUP_TIE_TRIES 4

/* Where copies meet: of the filter that learns. */
struct dedup_claims {
	__u64 *ties; /* its state's */
	__u64 hand;  /* as it was when the id was looked up */
};

/* The places that are set last, while the others are. */
struct dedup_claim {
	__u64 first, second; /* DEDUP_NO_PLACE: there is none */
};
#define DEDUP_NO_PLACE (~0ULL)
#define DEDUP_NO_CLAIM                                            \
	{                                                         \
		.first = DEDUP_NO_PLACE, .second = DEDUP_NO_PLACE \
	}

/* A place that lacks the id. True if it is set last. */
static __always_inline bool dedup_claim_takes(struct dedup_claim *c, __u32 place)
{
	if (c->first == DEDUP_NO_PLACE)
		c->first = place;
	else if (place != c->first && c->second == DEDUP_NO_PLACE)
		c->second = place;
	return place == c->first || place == c->second;
}

/* What an id is called in a tie, by its k positions; not 0. One that is learned again is so in
 * another epoch, unless user space has removed it. (So of copies that are learned on both sides of
 * an epoch's end, or of a countdown, two may be new.)
 */
static __always_inline __u64 dedup_tie_name(const struct dedup_positions *p, __u32 k, __u64 hand)
{
	__u64 name = (hand >> 32) * 0x9e3779b97f4a7c15;

	for (__u64 i = 0; i < DEDUP_HASHES_MAX && i < k; i++) {
		name ^= name >> 32;
		name = (name ^ p->index[i]) * 0x9e3779b97f4a7c15;
	}
	name ^= name >> 32;
	return name ?: 1;
}

static __always_inline __u64 *dedup_tie(__u64 *ties, __u64 name)
{
	DEDUP_BOUND(name, DEDUP_TIES - 1);
	return &ties[name];
}

/* Is this CPU the first one here? If others are in its way again and again, it is, too. */
static __always_inline bool dedup_break_tie(const struct dedup_claims *claims,
					    const struct dedup_positions *p, __u32 k)
{
	__u64 name = dedup_tie_name(p, k, claims->hand), *tie = dedup_tie(claims->ties, name);

	for (int i = 0; i < DEDUP_TIE_TRIES; i++) {
		__u64 is = READ_ONCE(*tie);

		if (is == name)
			return false;
		if (__sync_val_compare_and_swap(tie, is, name) == is)
			break;
	}
	return true;
}

/* For user space, when it removes an id: it, and others that are forgotten with it, may be learned
 * again in this epoch.
 */
static __always_inline void dedup_ties_clear(__u64 *ties)
{
	for (int i = 0; i < DEDUP_TIES; i++)
		WRITE_ONCE(ties[i], 0);
}

/* Is the id new that has these k positions, if this CPU has won these places? */
static __always_inline bool dedup_claim_wins(const struct dedup_claims *claims,
					     const struct dedup_positions *p, __u32 k, bool first,
					     bool second)
{
	return first == second || k == 1 ? first : dedup_break_tie(claims, p, k);
}
