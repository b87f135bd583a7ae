/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Learning credit: bounds how many ids are learned until the hand moves (state.limit). */
#pragma once

#include <linux/errno.h>

#include "maps.bpf.h"

/* Takes this CPU's credit for one id. Where it has none left it claims credit for config.claim ids,
 * so that the counter that all CPUs share is written rarely; these ids count as learned from then
 * on. 0, or -ENOSPC if the limit is reached: nothing may be learned until the hand has moved.
 */
static __always_inline int take_credit(struct dedup_counters *cpu)
{
	if (cpu->credit <= 0) {
		if (READ_ONCE(state.learned) + config.memory.claim > READ_ONCE(state.limit))
			return -ENOSPC;
		__sync_fetch_and_add(&state.learned, config.memory.claim);
		cpu->credit = config.memory.claim;
	}
	cpu->credit--;
	return 0;
}
