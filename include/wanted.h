/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ids that the application knows to be missing though the filter knows them: the next EVENT
 * of such an id passes, once.
 *
 * They are the keys of a hash map, so the answer is exact. Whoever deletes a key there, which
 * the kernel lets one caller do, may let its packet pass: of simultaneous copies one. An
 * entry holds for a window by the hand's clock, last_ns of the state, so that readers need no
 * clock.
 *
 * Packets look at the map only while there is something in it. That they learn from a word
 * that they test anyway, and so for nothing: stale_at of the state, a time; with the top bit,
 * DEDUP_RARE, it is negative and so in the past, and packets take a closer look.
 *
 * - want() puts the id into the map, then sets DEDUP_RARE.
 * - The hand now and then walks through the map, deletes what has expired, and takes
 *   DEDUP_RARE away if there is nothing else. `walks` of the state grows as a walk begins, and
 *   as it ends: it is odd in between.
 * - So want() does its two things again, after the walk, if one was under way meanwhile: it
 *   may have missed the id, or met an entry of it that had expired and deleted the new one.
 *
 * Nothing is lost then: the entry and DEDUP_RARE were both there before the next walk began,
 * which keeps them until the id has come or its window is over. A want() that is killed in
 * between leaves at most an entry that nobody looks for, which expires.
 */
#ifndef XDP_DEDUP_WANTED_H
#define XDP_DEDUP_WANTED_H

#include "config.h"

#define DEDUP_WANTED_MAX 4096	/* ids at once; their memory is taken at load: 0.6 MB */
#define DEDUP_RARE (1ULL << 63) /* in stale_at: packets must take a closer look */

/* A value of the map `wanted`, whose keys are ids. */
struct dedup_wanted {
	__u64 until_ns; /* as of dedup_state.last_ns; never changed */
};

/* For an id that is asked for now. */
static __always_inline __u64 dedup_want_until(const struct dedup_config *cfg,
					      const struct dedup_state *st)
{
	return READ_ONCE(st->last_ns) + cfg->window_ns;
}

static __always_inline bool dedup_want_expired(const struct dedup_wanted *wanted,
					       const struct dedup_state *st)
{
	return READ_ONCE(wanted->until_ns) <= READ_ONCE(st->last_ns);
}

#endif
