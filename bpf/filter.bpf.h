/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The filter as a packet meets it: an id is looked up, and learned if it is fresh. */
#ifndef XDP_DEDUP_FILTER_BPF_H
#define XDP_DEDUP_FILTER_BPF_H

#include <linux/errno.h>

#include "block.h"
#include "credit.bpf.h"
#include "exact.bpf.h"
#include "hand.h"
#include "maps.bpf.h"
#include "wanted.h"

/* Where an id is looked for. */
struct sighting {
	struct dedup_probe probe;
	struct dedup_block *block;
	__u64 words; /* w; 64 bits: what is spilled with fewer, the verifier forgets */
};

/* The hand puts this off once a tick. Jiffies are read for nothing where the time is not. */
static __always_inline bool clock_stopped(void)
{
	return bpf_jiffies64() > (dedup_read(&state.stale_at) & ~DEDUP_RARE);
}

/* Is something rare under way (top bit)? */
static __always_inline bool is_rare(void)
{
	return dedup_read(&state.stale_at) & DEDUP_RARE;
}

/* Either of the two, by one comparison: with the top bit it is a time long ago. */
static __always_inline bool is_out_of_the_ordinary(void)
{
	return (__s64)bpf_jiffies64() > (__s64)dedup_read(&state.stale_at);
}

/* Layout `blocked`. Finds the id's block; -ENOENT if there is none. */
static __always_inline int blocked_find(const struct dedup_config *cfg, const struct dedup_id *id,
					struct sighting *s)
{
	__u64 hash = dedup_hash(id, cfg);

	/* The block first: its line is on the way meanwhile, and the call has little to save. */
	s->probe.block = dedup_probe_block(hash, cfg->blocks);
	s->block = dedup_block_at(NULL, s->probe.block);
	if (!s->block)
		return -ENOENT;
	s->words = cfg->words;
	dedup_probe_masks(&s->probe, hash, s->words, cfg->bits);
	return 0;
}

/* Is the id in the window? 1 yes, 0 no, or a negative errno. */
static __always_inline int filter_test(const struct dedup_id *id)
{
	const struct dedup_config *cfg = configuration();
	struct sighting s;
	int err;

	if (unlikely(cfg->layout != DEDUP_BLOCKED))
		return exact_see(id->word[0], id->word[1], id->word[2], id->word[3], false);
	err = blocked_find(cfg, id, &s);
	return err ? err : dedup_block_holds(s.block, &s.probe, s.words);
}

/* Layouts flat and countdown: looks an id up and, unless that is the application's part, learns it
 * if it is fresh. 1 if it was known, or a copy on another CPU was faster; 0 if it was not; -ENOSPC
 * if it was not and there is no room for it now.
 */
static __always_inline int exact_learn(const struct dedup_id *id)
{
	return exact_see(id->word[0], id->word[1], id->word[2], id->word[3], !config.learn_app);
}

/* Layout `blocked`. Learns an id that its block does not hold: as exact_learn. */
static __always_inline int blocked_learn(struct sighting *s, struct dedup_counters *cpu)
{
	__u64 current = dedup_hand_half(dedup_read(&state.hand), s->probe.block);
	int err = take_credit(cpu);

	if (err)
		return err;
	return !dedup_half_learn(dedup_half(s->block, current), &s->probe, s->words);
}

#endif
