/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Looking up ids while there is a predecessor (include/predecessor.h), and judging each packet once
 * while the program is exchanged (include/exchange.h). Only packets that are looked at closely come
 * here.
 */
#ifndef XDP_DEDUP_PREDECESSOR_BPF_H
#define XDP_DEDUP_PREDECESSOR_BPF_H

#include <linux/errno.h>

#include "exchange.h"
#include "lookup.bpf.h"
#include "maps.bpf.h"
#include "predecessor.h"

/* Shared by all programs that a filter has had. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dedup_handled);
} handled SEC(".maps");

/* Is the packet not this program's to judge? Its filter's successor is in charge, or the other one
 * of two programs, which saw it before, has judged it.
 */
static __always_inline bool is_others(struct xdp_md *ctx, const struct dedup_id *id, __u32 words)
{
	struct dedup_handled *last;
	__u32 zero = 0;
	__u64 packet, print, serial;

	if (READ_ONCE(state.successor))
		return true;
	if (!READ_ONCE(state.exchanging))
		return false;
	last = bpf_map_lookup_elem(&handled, &zero);
	if (!last)
		return false;
	packet = last->packet;
	print = last->id;
	serial = last->serial;
	last->packet = 0;
	last->id = dedup_handled_id(id, words); /* for note_handled() */
	last->serial = config.serial;
	return packet == ctx->data && print == last->id && serial != config.serial;
}

/* Notes, while the program is exchanged, that this one has judged the packet of is_others().
 * Returns its verdict.
 */
static __always_inline int note_handled(struct xdp_md *ctx, int verdict)
{
	struct dedup_handled *last;
	__u32 zero = 0;

	if (!READ_ONCE(state.exchanging) || verdict != XDP_PASS)
		return verdict;
	last = bpf_map_lookup_elem(&handled, &zero);
	if (last)
		last->packet = ctx->data;
	return verdict;
}

/* The predecessor's state while it knows ids; NULL if it does not, or there is none. */
static __always_inline struct dedup_state *living_predecessor(void)
{
	struct state_map *states;
	struct dedup_state *st;
	__u32 zero = 0;

	if (!config.has_predecessor)
		return NULL;
	states = (void *)bpf_map_lookup_elem(&before_state, &zero);
	st = states ? bpf_map_lookup_elem(states, &zero) : NULL;
	return st && !dedup_is_forgotten(st) ? st : NULL;
}

/* Claims learning credit (credit.bpf.h) for one id of the predecessor's. */
static __always_inline int claim_of_predecessor(struct dedup_state *st)
{
	if (READ_ONCE(st->learned) >= READ_ONCE(st->limit))
		return -ENOSPC;
	__sync_fetch_and_add(&st->learned, 1);
	return 0;
}

/* Is stream n one that the predecessor had, too? If so, *realm_key is that of its realm there. */
static __always_inline bool predecessor_realm(__u32 n, __u64 *realm_key)
{
	__u64 i = n;

	DEDUP_BOUND(i, DEDUP_STREAMS_MAX - 1);
	i = configuration()->before[i];
	if (!i)
		return false;
	i--;
	DEDUP_BOUND(i, DEDUP_STREAMS_MAX - 1);
	*realm_key = predecessor_config.streams_cnt
			     ? predecessor_configuration()->streams[i].realm_key
			     : 0;
	return true;
}

/* What predecessor_see() returns of an id that the predecessor has learned now: it is in charge; or
 * the charge is changing, and the filter must learn it, too.
 */
#define LEARNED 2
#define LEARNED_FIRST 3

/* What predecessor_see() returns of an id that this call, or another one, has just made known. The
 * charge may have moved on since it was found that the predecessor is to learn: then the filter is
 * asked, too, which does no harm.
 */
static __always_inline int learned_as(bool won, const struct dedup_state *st)
{
	if (!won)
		return 1;
	return READ_ONCE(st->successor) == DEDUP_PREDECESSOR_IN_CHARGE ? LEARNED : LEARNED_FIRST;
}

/* Has the filter a predecessor, in layout `blocked` or in another one? As in has_arrays(): without,
 * the functions that ask it end before they use any of the stack.
 */
static __always_inline bool has_predecessor(bool blocked)
{
	bool has = config.has_predecessor && (predecessor_config.layout == DEDUP_BLOCKED) == blocked;

	DEDUP_KEEP_BRANCH();
	return has;
}

/* The predecessor's state if it is to be asked, else NULL. *teach stays true unless its successor is
 * in charge. If its clock has stopped, it may know ids for longer than it should, and is not asked.
 */
static __always_inline struct dedup_state *asked_predecessor(bool *teach)
{
	struct dedup_state *st = living_predecessor();

	if (!st || clock_of_stopped(st))
		return NULL;
	*teach = *teach && READ_ONCE(st->successor) != DEDUP_SUCCESSOR_IN_CHARGE;
	return st;
}

/* predecessor_see() in layout `blocked`. A global function: verified once. */
__noinline int predecessor_see_block(__u32 n, bool teach)
{
	struct dedup_state *st;
	struct lookup *l;
	struct block_lookup lookup;
	struct dedup_sought s;
	__u64 current, realm_key;

	if (!has_predecessor(true) || !predecessor_realm(n, &realm_key))
		return 0;
	st = asked_predecessor(&teach);
	l = cpu_lookup();
	if (!st || !l)
		return 0;
	s = (struct dedup_sought){
		.id = &l->id,
		.words = dedup_id_words(lookup_bytes(l)),
		.realm_key = realm_key,
	};
	if (blocked_find(predecessor_configuration(), PREDECESSOR, &s, &lookup))
		return 0;
	if (dedup_block_holds(lookup.block, &lookup.probe, lookup.words))
		return 1;
	if (!teach)
		return 0;
	current = dedup_hand_half(READ_ONCE(st->hand), lookup.probe.block);
	if (claim_of_predecessor(st))
		return -ENOSPC;
	return learned_as(
		dedup_half_learn(dedup_half(lookup.block, current), &lookup.probe, lookup.words), st);
}

/* The same in the other layouts: apart, as the stack has not room for both. */
__noinline int predecessor_see_array(__u32 n, bool teach)
{
	const volatile struct dedup_config *cfg = &predecessor_config; /* read again at each use */
	struct dedup_state *st;
	struct lookup *l;
	struct dedup_positions *p;
	__u64 hand, realm_key;
	__s64 left;
	int learned;

	if (!has_predecessor(false) || !predecessor_realm(n, &realm_key))
		return 0;
	st = asked_predecessor(&teach);
	l = cpu_lookup();
	if (!st || !l)
		return 0;
	p = &l->positions;
	hand = READ_ONCE(st->hand);
	dedup_positions(p, &l->id, lookup_bytes(l), predecessor_configuration(), realm_key);
	if (cfg->layout == DEDUP_FLAT)
		left = dedup_flat_known_until(PREDECESSOR, cfg->places, hand, p, cfg->k);
	else
		left = dedup_countdown_left(PREDECESSOR, dedup_countdowns(hand, cfg->places),
					    cfg->places, p, cfg->k);
	if (left > 0)
		return 1;
	if (!teach || left)
		return 0;
	if (claim_of_predecessor(st))
		return -ENOSPC;
	if (cfg->layout == DEDUP_FLAT)
		learned = dedup_flat_learn(PREDECESSOR, cfg->places, dedup_flat_current(hand), p,
					   cfg->k);
	else
		learned = dedup_countdown_learn(PREDECESSOR, dedup_countdowns(hand, cfg->places),
						cfg->places, p, cfg->k);
	return learned < 0 ? 0 : learned_as(learned, st);
}

/* Is the id in cpu_lookup(), of stream n, known to the predecessor? 1 yes, also if a copy on
 * another CPU was faster; 0 no. With `teach`, unless its successor is in charge: LEARNED or
 * LEARNED_FIRST if it has learned the id now; -ENOSPC if it could not.
 */
static __always_inline int predecessor_see(__u32 n, bool teach)
{
	return predecessor_config.layout == DEDUP_BLOCKED ? predecessor_see_block(n, teach)
							  : predecessor_see_array(n, teach);
}

/* filter_test() of an id of stream n, where there may be a predecessor. */
static __always_inline int test_closely(const struct dedup_sought *s, __u32 n)
{
	if (config.has_predecessor && !array_seek(s, false) && predecessor_see(n, false) == 1)
		return 1;
	return filter_test(s);
}

/* filter_see() likewise. As long as the predecessor is in charge it alone learns. */
static __always_inline int see_closely(const struct dedup_sought *s, __u32 n)
{
	if (config.has_predecessor && !array_seek(s, false)) {
		int known = predecessor_see(n, !config.learn_app);

		if (known && known != LEARNED_FIRST)
			return known == LEARNED ? 0 : known;
	}
	return filter_see(s);
}

#endif
