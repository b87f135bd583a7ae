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

/* Where an id is looked for. */
struct sighting {
	struct dedup_probe probe;
	struct dedup_block *block;
};

/* The hand beats once a tick; jiffies are read for nothing where the time is not. It
 * may beat between the two reads: then none is since.
 */
static __always_inline bool clock_stopped(void)
{
	__s64 since = bpf_jiffies64() - dedup_read(&state.beat_jiffies);

	return since > (__s64)config.stale_jiffies;
}

/* Layout `blocked`. Is the id in the window? 1 yes, 0 no; -ENOENT if there is no such block. */
static __always_inline int blocked_test(const struct dedup_id *id, struct sighting *s)
{
	dedup_probe(&s->probe, dedup_hash(id, &config), config.blocks, config.words, config.bits);
	s->block = dedup_block_at(NULL, s->probe.block);
	if (!s->block)
		return -ENOENT;
	return dedup_block_holds(s->block, &s->probe, config.words);
}

/* Layout `blocked`. Learns an id that blocked_test did not find: as filter_see. */
static __always_inline int blocked_learn(struct sighting *s, struct dedup_counters *cpu)
{
	__u64 current = dedup_hand_half(dedup_read(&state.hand), s->probe.block);
	int err = take_credit(cpu);

	if (err)
		return err;
	return !dedup_half_learn(dedup_half(s->block, current), &s->probe, config.words);
}

/* Is the id in the window? 1 yes, 0 no, or a negative errno. */
static __always_inline int filter_test(const struct dedup_id *id)
{
	struct sighting s;

	if (config.layout != DEDUP_BLOCKED)
		return exact_see(id->word[0], id->word[1], id->word[2], id->word[3], false);
	return blocked_test(id, &s);
}

/* Looks an id up and, unless that is the application's part, learns it if it is fresh. 1 if
 * it was known, or a copy on another CPU was faster; 0 if it was not; -ENOSPC if it was not
 * and there is no room for it now.
 */
static __always_inline int filter_see(const struct dedup_id *id, struct dedup_counters *cpu)
{
	struct sighting s;
	int known;

	if (config.layout != DEDUP_BLOCKED)
		return exact_see(id->word[0], id->word[1], id->word[2], id->word[3],
				 !config.learn_app);
	known = blocked_test(id, &s);
	if (known)
		return known;
	if (config.learn_app)
		return 0;
	return blocked_learn(&s, cpu);
}

#endif
