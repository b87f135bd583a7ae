/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Looking up ids while there is a predecessor (include/predecessor.h). Only packets on the slow
 * path come here.
 */
#pragma once

#include <linux/errno.h>

#include "lookup.bpf.h"
#include "maps.bpf.h"
#include "numbers.bpf.h"
#include "predecessor.h"

/* The predecessor's state while it knows ids; NULL if it does not, or there is none. */
static __always_inline struct dedup_state *living_predecessor(void)
{
	struct state_map *states;
	struct dedup_state *st;
	__u32 zero = 0;

	if (!config.has_predecessor)
		return NULL;
	states = (void *)bpf_map_lookup_elem(&outer_state, &zero);
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
	i = configuration()->predecessor_stream[i];
	if (!i)
		return false;
	i--;
	DEDUP_BOUND(i, DEDUP_STREAMS_MAX - 1);
	*realm_key = predecessor_configuration()->policy.streams[i].realm_key;
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

/* Has the filter a predecessor, with its ids in arrays or in blocks? As in has_arrays(): without,
 * the functions that ask it end before they use any of the stack.
 */
static __always_inline bool has_predecessor(bool arrays)
{
	bool has = config.has_predecessor && in_arrays(&predecessor_config) == arrays;

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
	struct dedup_lookup_key s;
	__u64 current, realm_key;

	if (!has_predecessor(false) || !predecessor_realm(n, &realm_key))
		return 0;
	st = asked_predecessor(&teach);
	l = cpu_lookup();
	if (!st || !l)
		return 0;
	s = (struct dedup_lookup_key){
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

/* As lookup_bytes(), of a stream that the predecessor had, too: if its scheme hashes bytes, all its
 * ids have as many.
 */
static __always_inline __u32 predecessor_bytes(const struct lookup *l)
{
	if (predecessor_config.memory.hash >= DEDUP_COLIBRI) {
		DEDUP_KEEP_BRANCH();
		return predecessor_config.policy.id_bytes;
	}
	return lookup_bytes(l);
}

/* In the other layouts, before predecessor_see_array(): computes the positions of the id in
 * cpu_lookup(), of stream n. False if the predecessor is not asked. Both are functions of their
 * own, as the stack has not room for more.
 */
__noinline bool predecessor_seek_array(__u32 n)
{
	struct lookup *l = cpu_lookup();
	__u64 realm_key;

	if (!has_predecessor(true) || !predecessor_realm(n, &realm_key) || !l)
		return false;
	dedup_positions(&l->positions, &l->id, predecessor_bytes(l), predecessor_configuration(),
			realm_key);
	return true;
}

/* predecessor_see() at these positions. */
__noinline int predecessor_see_array(bool teach)
{
	const volatile struct dedup_config *cfg = &predecessor_config; /* read again at each use */
	struct dedup_state *st;
	struct lookup *l;
	struct dedup_positions *p;
	struct dedup_claims claims;
	__u64 hand;
	__u64 unused;
	__s64 until;
	int learned;

	if (!has_predecessor(true))
		return 0;
	st = asked_predecessor(&teach);
	l = cpu_lookup();
	if (!st || !l)
		return 0;
	p = &l->positions;
	hand = READ_ONCE(st->hand);
	until = known_until(PREDECESSOR, cfg, hand, p);
	if (until > 0)
		return 1;
	if (!teach || until)
		return 0;
	if (claim_of_predecessor(st))
		return -ENOSPC;
	claims = (struct dedup_claims){ st->ties, hand };
	learned = learn(PREDECESSOR, cfg, &claims, p, &unused);
	return learned < 0 ? 0 : learned_as(learned, st);
}

/* Is the id in cpu_lookup(), of stream n, known to the predecessor? 1 yes, also if a copy on
 * another CPU was faster; 0 no. With `teach`, unless its successor is in charge: LEARNED or
 * LEARNED_FIRST if it has learned the id now; -ENOSPC if it could not.
 */
static __always_inline int predecessor_see(__u32 n, bool teach)
{
	if (!in_arrays(&predecessor_config))
		return predecessor_see_block(n, teach);
	return predecessor_seek_array(n) ? predecessor_see_array(teach) : 0;
}

/* predecessor_see() of the packet in *m. */
static __always_inline int predecessor_see_numbers(struct numbers *m, __u32 n, bool teach)
{
	struct dedup_state *st;
	__u64 realm_key, i = n;
	bool in_charge = true;
	int seen;

	if (!config.has_predecessor || !predecessor_config.sources.sources ||
	    !predecessor_realm(n, &realm_key))
		return 0;
	st = asked_predecessor(&in_charge);
	if (!st)
		return 0;
	DEDUP_BOUND(i, DEDUP_STREAMS_MAX - 1);
	dedup_source_of_realm(&m->key, predecessor_configuration(), realm_key,
			      READ_ONCE(st->sources_era));
	m->predecessor = 1;
	m->stream = configuration()->predecessor_stream[i] - 1;
	m->notes = in_charge;
	if (!teach || !in_charge)
		return knows_numbers();
	seen = see_numbers(m);
	return seen == DEDUP_FRESH ? learned_as(true, st) : seen == DEDUP_SEEN;
}

/* Looks up a packet of `cnt` messages with this id, of stream n, as slow_path_lookup() does.
 * Returns an enum dedup_reason. The caller then calls note_path().
 */
static __always_inline int slow_path_judge_numbers(const struct dedup_id *id, __u32 words, __u32 n,
						   __u64 realm_key, __u32 cnt, bool teach)
{
	struct numbers *m = cpu_numbers();
	int known;

	if (!m)
		return DEDUP_REASON_unlearned;
	read_numbers(m, id, words, numbered_of(n), cnt);
	known = predecessor_see_numbers(m, n, teach);
	if (config.sources.paths)
		find_known();
	/* This filter's account begins with the first fresh numbers. Some paths may bring nothing
	 * fresh after these: so duplicates are noted, too.
	 */
	aim_at_this_filter(m, n, realm_key);
	if (known == 1 || known == LEARNED)
		return known == 1 ? DEDUP_REASON_duplicate : DEDUP_REASON_new;
	m->notes = 1;
	if (!teach)
		return knows_numbers() ? DEDUP_REASON_duplicate : DEDUP_REASON_new;
	return reason_of_numbers(see_numbers(m));
}

/* The id in cpu_lookup(), in layout `blocked`: returns as array_see(). A global function beside
 * those that ask the predecessor, so that their stacks do not add up.
 */
__noinline int see_block(void)
{
	struct lookup *l = cpu_lookup();
	struct dedup_counters *cpu;
	struct block_lookup lookup;
	struct dedup_lookup_key s;
	int err;

	if (in_arrays(&config) || !l)
		return -ENOENT;
	s = (struct dedup_lookup_key){
		.id = &l->id,
		.words = dedup_id_words(lookup_bytes(l)),
		.realm_key = lookup_realm_key(l),
	};
	err = blocked_find(configuration(), NULL, &s, &lookup);
	if (err)
		return err;
	if (dedup_block_holds(lookup.block, &lookup.probe, lookup.words))
		return 1;
	if (!l->teach)
		return 0;
	cpu = cpu_counters(0);
	return cpu ? blocked_learn(&lookup, cpu) : -ENOENT;
}

/* Is an id of stream n known, to the filter or to a predecessor? If not, it is learned, with
 * `teach`: as long as the predecessor is in charge, there alone. 1 yes, 0 no, or a negative errno:
 * it is not, and could not be learned.
 */
static __always_inline int slow_path_lookup(const struct dedup_lookup_key *s, __u32 n, bool teach)
{
	int known = array_seek(s, teach);

	if (!known && config.has_predecessor)
		known = predecessor_see(n, teach);
	if (known && known != LEARNED_FIRST)
		return known == LEARNED ? 0 : known;
	return !in_arrays(&config) ? see_block() : array_see();
}
