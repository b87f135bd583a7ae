/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The filter as a packet meets it: an id is looked up, and learned if it is fresh. */
#ifndef XDP_DEDUP_LOOKUP_BPF_H
#define XDP_DEDUP_LOOKUP_BPF_H

#include <linux/errno.h>

#include "array.bpf.h"
#include "block.h"
#include "credit.bpf.h"
#include "hand.h"
#include "maps.bpf.h"
#include "wanted.h"

/* Layout `blocked`: where an id is looked for. */
struct block_lookup {
	struct dedup_probe probe;
	struct dedup_block *block;
	__u64 words; /* w; of 64 bits, as the verifier forgets a smaller one that is spilled */
};

/* Has the hand not stepped for config.stale_ns? Each step puts stale_at off. In jiffies, which a
 * program reads by one instruction; the time in ns takes 17 to 33 ns.
 */
static __always_inline bool clock_stopped(void)
{
	return bpf_jiffies64() > (READ_ONCE(state.stale_at) & ~DEDUP_RARE);
}

/* Is anything wanted (wanted.h), or will other rare things be under way? */
static __always_inline bool is_rare(void)
{
	return READ_ONCE(state.stale_at) & DEDUP_RARE;
}

/* clock_stopped() or is_rare(), by one signed comparison: with DEDUP_RARE, the top bit, stale_at is
 * negative and so in the past.
 */
static __always_inline bool is_out_of_the_ordinary(void)
{
	return (__s64)bpf_jiffies64() > (__s64)READ_ONCE(state.stale_at);
}

/* Layout `blocked`. Finds the id's block; -ENOENT if there is none. */
static __always_inline int blocked_find(const struct dedup_config *cfg, const struct dedup_id *id,
					__u32 words, struct block_lookup *s)
{
	__u64 hash = dedup_hash(id, words, cfg);

	/* Before the masks are computed: the processor fetches the block meanwhile, and no mask has
	 * to be saved across the call.
	 */
	s->probe.block = dedup_probe_block(hash, cfg->blocks);
	s->block = dedup_block_at(NULL, s->probe.block);
	if (!s->block)
		return -ENOENT;
	s->words = cfg->words;
	dedup_probe_masks(&s->probe, hash, s->words, cfg->bits);
	return 0;
}

/* Layouts flat and countdown: array_see() for a packet's id. */
static __always_inline int array_look(const struct dedup_id *id, __u32 words, bool teach)
{
	struct lookup *lookup = cpu_lookup();

	if (!lookup)
		return -ENOENT;
	lookup->id = dedup_id_copy(id, words);
	return array_see(teach);
}

/* Is the id in the window? 1 yes, 0 no, or a negative errno. */
static __always_inline int filter_test(const struct dedup_id *id, __u32 words)
{
	const struct dedup_config *cfg = configuration();
	struct block_lookup s;
	int err;

	if (unlikely(cfg->layout != DEDUP_BLOCKED))
		return array_look(id, words, false);
	err = blocked_find(cfg, id, words, &s);
	return err ? err : dedup_block_holds(s.block, &s.probe, s.words);
}

/* Layout `blocked`. Learns an id that its block does not hold. 0 if this packet is the first, 1 if
 * a copy on another CPU was faster, -ENOSPC if there is no room for it now.
 */
static __always_inline int blocked_learn(struct block_lookup *s, struct dedup_counters *cpu)
{
	__u64 current = dedup_hand_half(READ_ONCE(state.hand), s->probe.block);
	int err = take_credit(cpu);

	if (err)
		return err;
	return !dedup_half_learn(dedup_half(s->block, current), &s->probe, s->words);
}

#endif
