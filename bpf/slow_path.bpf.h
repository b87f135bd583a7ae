/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hand's side of the slow path. include/slow_path.h explains how the hand and user space work
 * together.
 */
#pragma once

#include "slow_path.h"
#include "maps.bpf.h"
#include "predecessor.bpf.h"
#include "sample.h"
#include "wanted.bpf.h"

/* The hand walks through the reasons once in this time at most. Where `wanted` is full it takes
 * 0.25 ms.
 */
#define WALK_NS 100000000

/* After each step of the hand: walks through the reasons if that is due. last_ns: the step before. */
static __always_inline void walk_reasons(__u64 last_ns, __u64 now_ns)
{
	bool any;

	if (!(READ_ONCE(state.stale_at) & DEDUP_SLOW_PATH) || last_ns / WALK_NS == now_ns / WALK_NS)
		return;
	/* Exchanges are full barriers: no other CPU sees a part of the walk outside of the two. */
	__sync_lock_test_and_set(&state.walks, state.walks + 1);
	any = forget_wanted();
	if (!any && !dedup_sampler_listens(&state.sampler, now_ns) &&
	    !READ_ONCE(state.exchanging) && !living_predecessor())
		__sync_fetch_and_and(&state.stale_at, ~DEDUP_SLOW_PATH);
	__sync_lock_test_and_set(&state.walks, state.walks + 1);
}
