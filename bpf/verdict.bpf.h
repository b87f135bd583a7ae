/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What becomes of a packet: its id is looked up, and learned if it is fresh; the packet is counted,
 * and passes or is dropped.
 */
#pragma once

#include <linux/bpf.h>

#include "deliver.bpf.h"
#include "link.bpf.h"
#include "lookup.bpf.h"
#include "predecessor.bpf.h"
#include "wanted.bpf.h"

/* A duplicate of a filter that drops for a time: counts it if that is not over, and returns its XDP
 * verdict.
 */
static __always_inline int drop_for_a_time(const struct packet *pkt, struct dedup_counters *cpu)
{
	if (READ_ONCE(state.counting))
		return XDP_PASS;
	cpu->timed_drops++;
	cpu->timed_bytes += pkt->len;
	return XDP_DROP;
}

/* Counts the packet under this enum dedup_reason, and returns its XDP verdict. `cpu` may be NULL;
 * both tests are for the verifier.
 */
static __always_inline int conclude(const struct packet *pkt, struct dedup_counters *cpu, __u64 reason)
{
	if (!cpu || reason >= DEDUP_REASONS_CNT)
		return XDP_PASS;
	((__u64 *)cpu)[reason]++;
	if (reason != DEDUP_REASON_duplicate &&
	    (reason != DEDUP_REASON_ihave_duplicate || config.asked.ihave_pass))
		return XDP_PASS;

	cpu->duplicate_bytes += pkt->len;
	switch (config.policy.action) {
	case DEDUP_DROP:
		return XDP_DROP;
	case DEDUP_DROP_FOR:
		return drop_for_a_time(pkt, cpu);
	default:
		return XDP_PASS;
	}
}

/* known: 1 the id was known; 0 it was fresh, and is learned (asked.learn_app: by the application);
 * negative: it was fresh, and could not be learned.
 */
static __always_inline int reason_of(int known)
{
	return known == 1   ? DEDUP_REASON_duplicate
	       : known == 0 ? DEDUP_REASON_new
			    : DEDUP_REASON_unlearned;
}

/* conclude() in stream n of any reason. Here the compiler knows the reasons that there can be, so
 * that it would leave out a test that the verifier needs.
 */
static __always_inline int conclude_any(const struct packet *pkt, __u32 n, __u64 reason)
{
	barrier_var(reason);
	return conclude(pkt, cpu_counters(n), reason);
}

/* Ends the delivery of a packet with one id, of stream n. It has been judged and counted under this
 * enum dedup_reason. If take_room() found room, *room is it. Returns the XDP verdict.
 */
static __always_inline int end_delivery(struct xdp_md *ctx, const struct room *room,
					const struct dedup_id *id, __u32 words, __u32 n, int reason,
					int verdict)
{
	if (!room->frames)
		return verdict;
	if (likely(reason != DEDUP_REASON_duplicate))
		return hand_over(ctx, room, id, words, n);
	give_back(room);
	return verdict;
}

/* A fresh id of a stream that is delivered, in layout `blocked`: it is learned if a socket has room
 * for its packet. Returns as see_id_blocked().
 */
static __always_inline int deliver_blocked(struct xdp_md *ctx, const struct packet *pkt,
					   const struct dedup_lookup_key *s, __u32 n,
					   struct block_lookup *lookup)
{
	struct dedup_counters *cpu = cpu_counters(0);
	int reason = DEDUP_REASON_untaken, verdict;
	struct room room;

	if (take_room(ctx, &room, n))
		reason = reason_of(config.asked.learn_app || !cpu ? 0 : blocked_learn(lookup, cpu));
	if (n) /* the credit is with the first stream's counters */
		cpu = cpu_counters(n);
	verdict = conclude(pkt, cpu, reason);
	return end_delivery(ctx, &room, s->id, s->words, n, reason, verdict);
}

/* Are ids of stream n learned as soon as they are found to be fresh? */
static __always_inline bool is_taught_at_once(const struct xdp_md *ctx, __u32 n)
{
	return !config.asked.learn_app && !is_delivered(ctx, n);
}

/* Learns the id that array_see() has found to be fresh, unless the application learns. Returns as
 * array_see().
 */
static __always_inline int learn_found(void)
{
	struct lookup *l = cpu_lookup();

	if (config.asked.learn_app || !l)
		return 0;
	l->teach = TEACH_FOUND;
	return array_see();
}

/* Does deliver_blocked() in the other layouts, for an id for which array_see() has returned
 * `known`: 0, or an errno.
 */
static __always_inline int deliver_found(struct xdp_md *ctx, const struct packet *pkt,
					 const struct dedup_id *id, __u32 words, __u32 n, int known)
{
	int reason = DEDUP_REASON_untaken, verdict;
	struct room room;

	if (take_room(ctx, &room, n))
		reason = reason_of(known ?: learn_found());
	verdict = conclude_any(pkt, n, reason);
	return end_delivery(ctx, &room, id, words, n, reason, verdict);
}

/* What the short cut (direct.bpf.h) returns for a frame that it has left alone: an XDP verdict is 0
 * or more.
 */
#define NOT_DIRECT (-7)

/* A packet with one id, in layout `blocked`. If the id is fresh it is learned; if it is known, the
 * packet is a duplicate. Counted in stream n. Returns the XDP verdict; or with `direct` NOT_DIRECT
 * for a fresh one that is to be delivered.
 */
static __always_inline int see_id_blocked(struct xdp_md *ctx, const struct packet *pkt,
					  const struct dedup_lookup_key *s, __u32 n, bool direct)
{
	const struct dedup_config *cfg = configuration();
	struct dedup_counters *cpu;
	struct block_lookup lookup;
	int known;

	known = blocked_find(cfg, NULL, s, &lookup);
	if (unlikely(known))
		return conclude(pkt, cpu_counters(n), DEDUP_REASON_unlearned);
	if (ctx) /* else clang spills the lower half alone */
		barrier_var(lookup.words);
	/* A duplicate: most packets. The constant reason gives its counter a fixed offset. */
	if (likely(dedup_block_holds(lookup.block, &lookup.probe, lookup.words)))
		return conclude(pkt, cpu_counters(n), DEDUP_REASON_duplicate);
	/* The counters are looked up on either branch. With one lookup before the branch, the
	 * compiler would save across that call, for duplicates too, what only learning needs.
	 */
	DEDUP_KEEP_BRANCH();
	if (is_delivered(ctx, n))
		return direct ? NOT_DIRECT : deliver_blocked(ctx, pkt, s, n, &lookup);
	cpu = cpu_counters(0);
	/* Until here known is 0. */
	if (!config.asked.learn_app && cpu)
		known = blocked_learn(&lookup, cpu);
	if (n) /* the credit is with the first stream's counters */
		cpu = cpu_counters(n);
	return conclude(pkt, cpu, reason_of(known));
}

/* Does what see_id_blocked() does, in any layout. */
static __always_inline int see_id(struct xdp_md *ctx, const struct packet *pkt,
				  const struct dedup_lookup_key *s, __u32 n)
{
	int known;

	if (likely(!in_arrays(configuration())))
		return see_id_blocked(ctx, pkt, s, n, false);
	known = array_look(s, is_taught_at_once(ctx, n));
	if (likely(known == 1)) /* a constant reason */
		return conclude(pkt, cpu_counters(n), DEDUP_REASON_duplicate);
	if (is_delivered(ctx, n))
		return deliver_found(ctx, pkt, s->id, s->words, n, known);
	return conclude(pkt, cpu_counters(n), reason_of(known));
}

int slow_path_numbers(__u64 n, bool teach);

/* Looks up an id of stream n, in any layout, on the slow path. With `teach` a fresh id is learned.
 * In a numbered stream the id is that of the frame in cpu_frame(). numbered: may the filter have
 * such streams? If not, the program is smaller, and loaded faster. Returns an enum dedup_reason.
 */
static __always_inline int slow_path_see(const struct dedup_lookup_key *s, __u32 n, bool numbered,
					 bool teach)
{
	if (numbered && is_numbered(n))
		return slow_path_numbers(n, teach);
	return reason_of(slow_path_lookup(s, n, teach && !config.asked.learn_app));
}

/* Judges an id of stream n on the slow path: a packet of a known id that is wanted passes, once.
 * numbered: see slow_path_see(). Returns an enum dedup_reason.
 */
static __always_inline int slow_path_judge(const struct dedup_lookup_key *s, __u32 n, bool numbered)
{
	int reason = slow_path_see(s, n, numbered, true);

	if (reason == DEDUP_REASON_duplicate && is_wanted(s->id, s->words, s->realm_key, true))
		return DEDUP_REASON_wanted;
	return reason;
}

/* Does what slow_path_judge() does, in a stream that is delivered. Without room in a socket an id
 * is not learned, and a wanted id stays wanted.
 */
static __always_inline int slow_path_judge_delivered(struct xdp_md *ctx, struct room *room,
						     const struct dedup_lookup_key *s, __u32 n,
						     bool numbered)
{
	int reason = slow_path_see(s, n, numbered, false);
	bool is_known = reason == DEDUP_REASON_duplicate;

	room->frames = 0;
	if (is_known && !is_wanted(s->id, s->words, s->realm_key, false))
		return DEDUP_REASON_duplicate;
	if (!take_room(ctx, room, n))
		return is_known ? DEDUP_REASON_wanted : DEDUP_REASON_untaken;
	if (!is_known)
		return slow_path_see(s, n, numbered, true);
	return is_wanted(s->id, s->words, s->realm_key, true) ? DEDUP_REASON_wanted
							      : DEDUP_REASON_duplicate;
}
