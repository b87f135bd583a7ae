/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A filter's predecessor: the filter that was in its place before, of another size, layout, hash or
 * rate, or one that was read from a file. It is only tested, and aged by its own hand, until it has
 * forgotten every id: so a change forgets none. Nothing is computed from one geometry to the other.
 *
 * Which of the two is in charge, and so learns ids, says one word, the predecessor's
 * state.successor. The successor's program knows both: until it is in charge it learns into the
 * predecessor, too. So it makes no difference which of the two programs a packet meets, on
 * whichever interface; that both may meet it is exchange.h's concern.
 *
 * Copies that come on several CPUs while the charge changes: an id is new to the one that wins it,
 * in the memory that is in charge for that CPU. Between the two there is a time in which an id must
 * be won in both, first in the predecessor. Whoever still goes by the predecessor alone competes
 * there with those in between, and whoever goes by the successor alone with those in the successor;
 * and the first and the last never meet, as user space waits for all packets to end at each step.
 *
 * The rate p holds all along. As both are sized, turn_ids ids in memory cost a filter at most p /
 * 2: its rate is a convex function of how full it is, 0 when empty; and a generation that keeps p /
 * 2 is full with few more than turn_ids, or, in countdown, which has one for all of p, with twice
 * as many (with one countdown: dedup_scale()). So an id of the successor's counts for as many of
 * the predecessor's as its turn_ids are of the successor's. They are added to the predecessor's
 * state.learned, which makes its hand pass, and the successor learns no more than keeps that below
 * the predecessor's state.limit. So when the successor has learned x turns, the predecessor's
 * younger generation was at most 1 - x full, or has become its older one, and the one before that
 * is gone: at any moment the parts of the generations that are filling add up to at most 1, beside
 * one full one. With two rates the greater one holds until the predecessor has gone.
 *
 * Both keep the shorter of their two windows, while in each such time the parts of their capacities
 * that come add up to at most 1: the predecessor is passed by load after more than that, as p
 * demands. What it is told late, because steps of the successor's hand are, seems to have come
 * late.
 *
 * Until it is in charge, the successor may learn a little, and the predecessor is told of that much
 * in advance: what room there is beyond the predecessor itself is still taking. So the successor
 * may be put in charge once its hand has stepped; before, ids would pass unlearned until it does.
 * Whoever puts it in charge gives it the rest of the room at once, as the next step may be late.
 *
 * While there is a predecessor, packets take the slow path (slow_path.h). The hand finds when the
 * predecessor is empty: from then on it is no reason. The next command removes its memory.
 */
#ifndef XDP_DEDUP_PREDECESSOR_H
#define XDP_DEDUP_PREDECESSOR_H

#include "hand.h"

/* state.successor of a predecessor; of any other filter it is 0. */
enum dedup_charge {
	DEDUP_PREDECESSOR_IN_CHARGE,
	DEDUP_CHARGE_CHANGES,
	DEDUP_SUCCESSOR_IN_CHARGE,
};

#define DEDUP_SCALE_SHIFT 24

/* What an id counts for in the predecessor, in units of 2^-24 ids: config.turn_ids of the
 * predecessor by that of its successor, rounded up. Both are below 2^39. A successor with one
 * countdown is sized for turn_ids, not for twice as many: half of them cost it p / 2.
 */
static inline __u64 dedup_scale(const struct dedup_config *before, const struct dedup_config *cfg)
{
	bool is_single = cfg->memory.layout == DEDUP_COUNTDOWN && cfg->memory.places == 1;
	__u64 ids = (before->memory.turn_ids << DEDUP_SCALE_SHIFT) * (1 + is_single);

	return (ids + cfg->memory.turn_ids - 1) / cfg->memory.turn_ids;
}

/* How many ids a successor may learn at first: what comes until its hand steps. They are fewer than
 * turn_ids is above the capacity, so the predecessor's hand passes nothing early for them.
 */
static __always_inline __u64 dedup_told_ahead(const volatile struct dedup_config *cfg)
{
	return cfg->memory.turn_ids / 256;
}

/* Tells the predecessor that its successor has learned, or may learn, so many ids in all. Rounds
 * the sum up, not each part of it: low steps would count for many times their ids.
 */
static __always_inline void dedup_tell(struct dedup_state *st, struct dedup_state *before,
				       __u64 scale, __u64 ids)
{
	__u64 mask = (1 << DEDUP_SCALE_SHIFT) - 1, paid = -(st->told * scale) & mask;

	__sync_fetch_and_add(&before->learned,
			     ((ids - st->told) * scale + mask - paid) >> DEDUP_SCALE_SHIFT);
	st->told = ids;
}

/* How many ids its successor, in charge, may learn beyond those that the predecessor was told of. */
static __always_inline __u64 dedup_room_of(const struct dedup_state *before,
					   const volatile struct dedup_config *cfg)
{
	__s64 room = READ_ONCE(before->limit) - READ_ONCE(before->learned);

	return room > 0 ? ((__u64)room << DEDUP_SCALE_SHIFT) / cfg->predecessor_scale : 0;
}

/* The hand, at each step, while there is a predecessor: tells it what has been learned since the
 * step before, and returns the new value of state.limit, which is `limit` or less: as many more ids
 * as the predecessor has room for.
 */
static __always_inline __u64 dedup_tell_predecessor(struct dedup_state *st,
						    struct dedup_state *before,
						    const volatile struct dedup_config *cfg,
						    __u64 limit)
{
	bool in_charge = READ_ONCE(before->successor);
	__u64 ids = READ_ONCE(st->learned);

	if (!in_charge)
		ids += dedup_told_ahead(cfg);
	if (ids > st->told)
		dedup_tell(st, before, cfg->predecessor_scale, ids);
	ids = st->told;
	if (in_charge)
		ids += dedup_room_of(before, cfg);
	return ids < limit ? ids : limit;
}

/* At the end of a step that came since_ns after the one before it, by which `told` and `limit` were
 * those of the state: should the next step come soon? Ids have room only as both hands step: the
 * successor's tells, and the predecessor's passes places for it. So yes for a predecessor in which
 * little room is left; and for a successor if ids did not fit, or if at this pace a quarter of the
 * room would be used by a tick, or if there is none.
 */
static __always_inline bool dedup_is_pressed(const struct dedup_state *st,
					     const volatile struct dedup_config *cfg, __u64 told,
					     __u64 limit, __u64 since_ns)
{
	__s64 room = READ_ONCE(st->limit) - READ_ONCE(st->learned);

	if (READ_ONCE(st->successor))
		return room < (__s64)(cfg->memory.full_ids / 32);
	if (!cfg->has_predecessor)
		return false;
	return st->told + cfg->memory.claim > limit ||
	       (st->told - told) * cfg->memory.tick_ns >= (st->limit - st->told) / 4 * since_ns;
}

/* The value of state.passed from which on a filter that learns no more has forgotten every id. */
static inline __u64 dedup_forgotten_at(const struct dedup_state *st, const struct dedup_config *cfg)
{
	__u64 turns = cfg->memory.layout == DEDUP_COUNTDOWN ? 1 : 2;

	return READ_ONCE(st->passed) + turns * cfg->memory.places;
}

/* Has a predecessor forgotten every id? */
static __always_inline bool dedup_is_forgotten(const struct dedup_state *st)
{
	__u64 at = READ_ONCE(st->forgotten_at);

	return at && (__s64)(READ_ONCE(st->passed) - at) >= 0;
}

#endif
