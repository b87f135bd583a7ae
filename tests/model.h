/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the packet program should make of gossip, said plainly: the same array of bits,
 * and where an id has its bits from include/block.h as user space compiles it. Nothing
 * is stale, and there is room to learn.
 */
#ifndef XDP_DEDUP_TESTS_MODEL_H
#define XDP_DEDUP_TESTS_MODEL_H

#include "block.h"
#include "config.h"
#include "counters.h"
#include "packet.h"

struct model {
	const struct dedup_config *cfg;
	uint64_t hand; /* as in struct dedup_state */
	struct dedup_block *blocks;
};

void model_start(struct model *m, const struct dedup_config *cfg);
void model_clear(struct model *m);
void model_stop(struct model *m);

/* Takes a packet in: why it passes or drops. */
enum dedup_reason model_judge(struct model *m, enum gsp_type type, const struct id *ids, int count);

#endif
