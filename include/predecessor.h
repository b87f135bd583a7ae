/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A filter's predecessor: the filter that it replaced, of another size, layout, hash or rate, or
 * one that was read from a file. It is only tested, and aged by its own hand, until it has
 * forgotten every id: so a change forgets none. No position is converted from one geometry to the
 * other.
 *
 * One word, the predecessor's state.successor, decides which of the two is in charge, and so
 * learns ids. The successor's program knows both: until it is in charge it learns into the
 * predecessor, too. So it makes no difference which of the two programs an interface runs.
 *
 * Copies that come on several CPUs while the charge changes: an id is new to the CPU that wins it,
 * in the memory that is in charge for that CPU. There is a time in between in which an id must be
 * won in both memories, first in the predecessor. CPUs that still go by the predecessor alone
 * compete there with those in between; CPUs that go by the successor alone compete with those in
 * the successor. The first and the last never meet, as user space waits for all packets to end at
 * each step.
 *
 * The rate p holds all along. Each filter is sized so that turn_ids ids in memory cost at most p /
 * 2: the rate is a convex function of the fill, 0 when empty. A generation that keeps p / 2 is
 * full with few more than turn_ids ids; in countdown, which has one generation for all of p, with
 * twice as many (with one countdown: dedup_scale()). So one id of the successor counts for A / B
 * ids of the predecessor, where A and B are the turn_ids of predecessor and successor. They are
 * added to the predecessor's state.learned, which makes its hand pass. The successor learns only
 * as many as keep that sum below the predecessor's state.limit. So when the successor has learned
 * x turns, the predecessor's younger generation was at most 1 - x full, or has become its older
 * one, and the one before is gone: at any moment the fractions of the generations that are filling
 * add up to at most 1, beside one full generation. With two rates the greater one holds until the
 * predecessor is gone.
 *
 * Both keep the shorter of their two windows, as long as in each such time the used fractions of
 * their capacities add up to at most 1: beyond that, the predecessor is passed by load, as p
 * demands. If steps of the successor's hand are late, the predecessor counts ids later than they
 * came.
 *
 * Until it is in charge, the successor may learn a little, and the predecessor counts that much in
 * advance: the room that the predecessor itself does not need. So the successor may be put in
 * charge once its hand has stepped; before that, ids would pass unlearned until it steps. The
 * process that puts it in charge gives it the rest of the room at once, as the next step may be
 * late.
 *
 * While there is a predecessor, packets take the slow path (slow_path.h). When the hand finds the
 * predecessor empty, it is no reason for the slow path any more. The next command removes its
 * memory.
 */
#pragma once

#include "hand.h"

/* state.successor of a predecessor; of any other filter it is 0. */
enum dedup_charge {
	DEDUP_PREDECESSOR_IN_CHARGE,
	DEDUP_CHARGE_CHANGES,
	DEDUP_SUCCESSOR_IN_CHARGE,
};

#define DEDUP_SCALE_SHIFT 24

/* Returns what an id counts for in the predecessor, in units of 2^-24 ids: config.memory.turn_ids
 * of the predecessor divided by that of its successor, rounded up. Both are below 2^39. A successor
 * with one countdown is sized for turn_ids, not for twice as many: half of them cost it p / 2.
 */
static inline __u64 dedup_scale(const struct dedup_config *predecessor, const struct dedup_config *cfg)
{
	bool is_single = dedup_one_by_one(cfg) && cfg->memory.places == 1;
	__u64 ids = (predecessor->memory.turn_ids << DEDUP_SCALE_SHIFT) * (1 + is_single);

	return (ids + cfg->memory.turn_ids - 1) / cfg->memory.turn_ids;
}

/* Returns how many ids a successor may learn at first, until its hand steps. They are fewer than
 * turn_ids exceeds the capacity, so the predecessor's hand passes nothing early for them.
 */
static __always_inline __u64 dedup_told_ahead(const volatile struct dedup_config *cfg)
{
	return cfg->memory.turn_ids / 256;
}

/* Tells the predecessor that its successor has learned, or may learn, this many ids in all. Rounds
 * the sum up, not each part: small steps would count for many times their ids.
 */
static __always_inline void dedup_tell(struct dedup_state *st, struct dedup_state *predecessor,
				       __u64 scale, __u64 ids)
{
	__u64 mask = (1 << DEDUP_SCALE_SHIFT) - 1, paid = -(st->reported * scale) & mask;

	__sync_fetch_and_add(&predecessor->learned,
			     ((ids - st->reported) * scale + mask - paid) >> DEDUP_SCALE_SHIFT);
	st->reported = ids;
}

/* Returns how many more ids its successor, in charge, may learn than it has reported. */
static __always_inline __u64 dedup_room_of(const struct dedup_state *predecessor,
					   const volatile struct dedup_config *cfg)
{
	__s64 room = READ_ONCE(predecessor->limit) - READ_ONCE(predecessor->learned);

	return room > 0 ? ((__u64)room << DEDUP_SCALE_SHIFT) / cfg->predecessor_scale : 0;
}

/* In each step of the hand, while there is a predecessor: tells it what was learned since the last
 * step. Returns the new value of state.limit, `limit` or less: as many more ids as the predecessor
 * has room for.
 */
static __always_inline __u64 dedup_tell_predecessor(struct dedup_state *st,
						    struct dedup_state *predecessor,
						    const volatile struct dedup_config *cfg,
						    __u64 limit)
{
	bool in_charge = READ_ONCE(predecessor->successor);
	__u64 ids = READ_ONCE(st->learned);

	if (!in_charge)
		ids += dedup_told_ahead(cfg);
	if (ids > st->reported)
		dedup_tell(st, predecessor, cfg->predecessor_scale, ids);
	ids = st->reported;
	if (in_charge)
		ids += dedup_room_of(predecessor, cfg);
	return ids < limit ? ids : limit;
}

/* At the end of a step that came since_ns after the one before, during which state had these
 * `reported` and `limit`: should the next step come soon? Ids get room only when both hands step:
 * the successor's tells, and the predecessor's passes places. So yes for a predecessor with little
 * room left; and for a successor if ids did not fit, or if at this pace a quarter of the room
 * would be used by a tick, or if there is none.
 */
static __always_inline bool dedup_is_pressed(const struct dedup_state *st,
					     const volatile struct dedup_config *cfg,
					     __u64 reported, __u64 limit, __u64 since_ns)
{
	__s64 room = READ_ONCE(st->limit) - READ_ONCE(st->learned);

	if (READ_ONCE(st->successor))
		return room < (__s64)(cfg->memory.full_ids / 32);
	if (!cfg->has_predecessor)
		return false;
	return st->reported + cfg->memory.claim > limit ||
	       (st->reported - reported) * cfg->memory.tick_ns >=
		       (st->limit - st->reported) / 4 * since_ns;
}

/* Returns the value of state.passed from which on a filter that learns no more has forgotten every
 * id.
 */
static inline __u64 dedup_forgotten_at(const struct dedup_state *st, const struct dedup_config *cfg)
{
	return READ_ONCE(st->passed) + dedup_turns(cfg) * cfg->memory.places;
}

/* Has a predecessor forgotten every id? */
static __always_inline bool dedup_is_forgotten(const struct dedup_state *st)
{
	__u64 at = READ_ONCE(st->forgotten_at);

	return at && (__s64)(READ_ONCE(st->passed) - at) >= 0;
}
