/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How much may be learned: whoever learns pays with credit. */
#ifndef XDP_DEDUP_CREDIT_BPF_H
#define XDP_DEDUP_CREDIT_BPF_H

#include <linux/errno.h>

#include "maps.bpf.h"

/* Takes one id of learning credit. A CPU claims several at once, so that the shared
 * counter is touched rarely; what it claims counts as learned at once. -ENOSPC when
 * the hand must move first.
 */
static __always_inline int take_credit(struct dedup_counters *cpu)
{
	if (cpu->credit <= 0) {
		if (READ_ONCE(state.learned) + config.claim > READ_ONCE(state.limit))
			return -ENOSPC;
		__sync_fetch_and_add(&state.learned, config.claim);
		cpu->credit = config.claim;
	}
	cpu->credit--;
	return 0;
}

#endif
