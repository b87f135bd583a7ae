/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Looking up a packet's id in the filter, and learning it if it is fresh. */
#pragma once

#include <linux/errno.h>

#include "array.bpf.h"
#include "block.h"
#include "slow_path.h"
#include "credit.bpf.h"
#include "hand.h"
#include "maps.bpf.h"

/* Sets the realm of stream n. */
static __always_inline void set_realm(struct dedup_lookup_key *s, __u32 n)
{
	const struct dedup_config *cfg = configuration();
	__u64 i = n;

	DEDUP_BOUND(i, DEDUP_STREAMS_MAX - 1);
	s->realm_key = cfg->policy.streams[i].realm_key;
}

/* Layout `blocked`: where an id's bits are. */
struct block_lookup {
	struct dedup_probe probe;
	struct dedup_block *block;
	__u64 words; /* config.words; of 64 bits, as the verifier forgets a smaller one that is spilled */
};

/* Has the window's clock stopped, that is, has the hand not stepped for config.stale_ns? Each step
 * sets stale_at to a later time. It is in jiffies, which a program reads without a call; reading
 * the time in ns takes 17 to 33 ns.
 */
static __always_inline bool clock_of_stopped(const struct dedup_state *st)
{
	return bpf_jiffies64() > (READ_ONCE(st->stale_at) & ~DEDUP_SLOW_PATH);
}

static __always_inline bool clock_stopped(void)
{
	return clock_of_stopped(&state);
}

/* Has the clock stopped, or may there be a reason for the slow path (slow_path.h)? One signed
 * comparison tells: with DEDUP_SLOW_PATH, the top bit, stale_at is negative, and so in the past.
 */
static __always_inline bool clock_stopped_or_slow_path(void)
{
	return (__s64)bpf_jiffies64() > (__s64)READ_ONCE(state.stale_at);
}

/* Layout `blocked`. Fills in the positions of an id's bits: with `blocks` NULL and the filter's
 * own configuration, or PREDECESSOR and its configuration. Returns 0; -ENOENT if the block does
 * not exist. dedup_block_holds() tells whether the id is known.
 */
static __always_inline int blocked_find(const struct dedup_config *cfg, struct dedup_block *blocks,
					const struct dedup_lookup_key *s, struct block_lookup *lookup)
{
	__u64 hash = dedup_hash(s->id, s->words, cfg, s->realm_key);

	/* The block is looked up before the masks are computed: the CPU then fetches its cache line
	 * meanwhile, and the compiler need not save masks across the call.
	 */
	lookup->probe.block = dedup_probe_block(hash, cfg->memory.blocks);
	lookup->block = dedup_block_at(blocks, lookup->probe.block);
	if (!lookup->block)
		return -ENOENT;
	lookup->words = cfg->memory.words;
	dedup_probe_masks(&lookup->probe, hash, lookup->words, cfg->memory.bits);
	return 0;
}

/* Layouts `flat` and `countdown`: tells array_see() which id to look up, and whether to learn it.
 * 0; -ENOENT, which does not happen.
 */
static __always_inline int array_seek(const struct dedup_lookup_key *s, bool teach)
{
	struct lookup *lookup = cpu_lookup();

	if (!lookup)
		return -ENOENT;
	lookup->id = dedup_id_copy(s->id, s->words);
	lookup->teach = teach;
	if (!dedup_is_gsp(configuration())) {
		lookup->bytes = s->bytes;
		lookup->realm_key = s->realm_key;
	}
	return 0;
}

/* Does array_seek(), then array_see(), whose answer it returns. */
static __always_inline int array_look(const struct dedup_lookup_key *s, bool teach)
{
	int err = array_seek(s, teach);

	return err ? err : array_see();
}

/* Is the id known, in any layout? 1 yes, 0 no, or a negative errno. */
static __always_inline int filter_test(const struct dedup_lookup_key *s)
{
	const struct dedup_config *cfg = configuration();
	struct block_lookup lookup;
	int err;

	if (unlikely(in_arrays(cfg)))
		return array_look(s, false);
	err = blocked_find(cfg, NULL, s, &lookup);
	return err ? err : dedup_block_holds(lookup.block, &lookup.probe, lookup.words);
}

/* Layout `blocked`. Learns an id that its block does not hold. 0 if it is new by this packet, 1 if
 * it is known by now, as a copy on another CPU was faster, -ENOSPC if nothing may be learned at
 * present (take_credit()). If the hand passes the block between the caller's test and the claim, a
 * copy on another CPU is learned in the block's other half, and both are new: some 100 machine
 * instructions are open to that. To read the hand before the test and again after the claim, as
 * user space does (ids.c), would take 3 instructions of each duplicate and 10 of each fresh id.
 */
static __always_inline int blocked_learn(struct block_lookup *lookup, struct dedup_counters *cpu)
{
	__u64 current = dedup_hand_half(READ_ONCE(state.hand), lookup->probe.block);
	int err = take_credit(cpu);

	if (err)
		return err;
	return !dedup_half_learn(dedup_half(lookup->block, current), &lookup->probe, lookup->words);
}
