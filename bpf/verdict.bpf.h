/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What becomes of a packet: its id is looked up, and learned if it is fresh; the packet is counted,
 * and passes or is dropped.
 */
#ifndef XDP_DEDUP_VERDICT_BPF_H
#define XDP_DEDUP_VERDICT_BPF_H

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

/* Delivers a packet with one id, of stream n, that has been counted under this enum dedup_reason,
 * if that does not say a duplicate, and the stream's are delivered. Returns the XDP verdict:
 * `verdict` if not. ctx may be NULL where nothing is delivered.
 */
static __always_inline int pass_on(struct xdp_md *ctx, const struct dedup_id *id, __u32 words,
				   __u32 n, int reason, int verdict)
{
	if (!ctx || !config.policy.deliver || !(config.policy.deliver >> (n & 31) & 1))
		return verdict;
	if (reason == DEDUP_REASON_duplicate)
		return verdict;
	return deliver(ctx, id, words, n);
}

/* A packet with one id, in layout `blocked`. If the id is fresh it is learned; if it is known, the
 * packet is a duplicate. Counted in stream n. Returns the XDP verdict.
 */
static __always_inline int see_id_blocked(struct xdp_md *ctx, const struct packet *pkt,
					  const struct dedup_lookup_key *s, __u32 n)
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
	cpu = cpu_counters(0);
	/* Until here known is 0. */
	if (!config.asked.learn_app && cpu)
		known = blocked_learn(&lookup, cpu);
	if (n) /* the credit is with the first stream's counters */
		cpu = cpu_counters(n);
	if (!ctx) /* nothing is delivered: one instruction less than by pass_on() */
		return conclude(pkt, cpu, reason_of(known));
	return pass_on(ctx, s->id, s->words, n, reason_of(known),
		       conclude(pkt, cpu, reason_of(known)));
}

/* Does what see_id_blocked() does, in any layout. */
static __always_inline int see_id(struct xdp_md *ctx, const struct packet *pkt,
				  const struct dedup_lookup_key *s, __u32 n)
{
	int known;

	if (likely(!in_arrays(configuration())))
		return see_id_blocked(ctx, pkt, s, n);
	known = array_look(s, !config.asked.learn_app);
	if (likely(known == 1)) /* a constant reason */
		return conclude(pkt, cpu_counters(n), DEDUP_REASON_duplicate);
	return pass_on(ctx, s->id, s->words, n, reason_of(known),
		       conclude(pkt, cpu_counters(n), reason_of(known)));
}

/* Looks up and learns an id of stream n, in any layout, on the slow path: a packet of a known id
 * that is wanted passes, once. Returns an enum dedup_reason.
 */
static __always_inline int slow_path_judge(const struct dedup_lookup_key *s, __u32 n)
{
	int known = slow_path_lookup(s, n, !config.asked.learn_app);

	if (known == 1 && is_wanted(s->id, s->words, s->realm_key, true))
		return DEDUP_REASON_wanted;
	return reason_of(known);
}

/* conclude() in stream n of any reason. Here the compiler knows the reasons that there can be, so
 * that it would leave out a test that the verifier needs.
 */
static __always_inline int conclude_any(const struct packet *pkt, __u32 n, __u64 reason)
{
	barrier_var(reason);
	return conclude(pkt, cpu_counters(n), reason);
}

#endif
