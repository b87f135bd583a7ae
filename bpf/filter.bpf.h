/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The filter as a packet meets it: an id is looked up, and learned if it is fresh. */
#ifndef XDP_DEDUP_FILTER_BPF_H
#define XDP_DEDUP_FILTER_BPF_H

#include <linux/errno.h>

#include "gsp.h"
#include "hand.h"
#include "maps.bpf.h"

#define ID_WORDS (GSP_ID_BYTES / 8)

struct event_id {
	__u64 word[ID_WORDS]; /* as on the wire, read in host order */
};

/* Where an id is looked for, and what was found there. */
struct sighting {
	struct dedup_probe probe;
	__u64 *current; /* its block's current half */
};

static __always_inline bool is_no_id(const struct event_id *id)
{
	return !(id->word[0] | id->word[1] | id->word[2] | id->word[3]);
}

/* The hand beats once a tick; jiffies are read for nothing where the time is not. It
 * may beat between the two reads: then none is since.
 */
static __always_inline bool clock_stopped(void)
{
	__s64 since = bpf_jiffies64() - dedup_read(&state.beat_jiffies);

	return since > (__s64)config.stale_jiffies;
}

/* Is the id in the window? 1 yes, 0 no; -ENOENT if there is no such block. */
static __always_inline int filter_test(const struct event_id *id, struct sighting *s)
{
	__u64 hand = dedup_read(&state.hand);
	struct dedup_block *block;
	__u64 *previous;
	__u64 cur;

	dedup_probe(&s->probe, dedup_hash(id->word, ID_WORDS, config.key), config.blocks,
		    config.words, config.bits);
	block = bpf_map_lookup_elem(&filter, &s->probe.block);
	if (!block)
		return -ENOENT;
	cur = dedup_hand_half(hand, s->probe.block);
	s->current = dedup_half(block, cur);
	previous = dedup_half(block, cur ^ 1);
	/* One line holds both: reading it twice is cheaper than a missed branch. */
	return (int)dedup_half_holds(s->current, &s->probe, config.words) |
	       (int)dedup_half_holds(previous, &s->probe, config.words);
}

/* Takes one id of learning credit. A CPU claims several at once, so that the shared
 * counter is touched rarely; what it claims counts as learned at once. -ENOSPC when
 * the hand must move first.
 */
static __always_inline int take_credit(struct dedup_counters *stats)
{
	if (stats->credit <= 0) {
		if (dedup_read(&state.learned) + config.claim > dedup_read(&state.limit))
			return -ENOSPC;
		__sync_fetch_and_add(&state.learned, config.claim);
		stats->credit = config.claim;
	}
	stats->credit--;
	return 0;
}

/* Learns an id that filter_test did not find. 1 if it was learned here, 0 if a copy
 * on another CPU was faster, -ENOSPC if there is no room for it now.
 */
static __always_inline int filter_learn(struct sighting *s, struct dedup_counters *stats)
{
	int err = take_credit(stats);

	return err ?: dedup_half_learn(s->current, &s->probe, config.words);
}

#endif
