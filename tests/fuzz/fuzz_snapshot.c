// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Snapshots of filters: any head, with the right checksum. One that is taken can be aged without a
 * step beyond its memory, and comes to an end: its ids are forgotten, or their time is yet to come.
 */
#include "fuzz.h"
#include "hand.h"
#include "snapshot.h"
#include "predecessor.h"

#define BLOCKS_MAX 4096
#define PLACES_MAX 65536 /* countdowns, each of which is a step */
#define NOW_NS (1ULL << 60)

static struct snapshot_head h;

/* For so long after the snapshot was taken. */
static void age(uint64_t elapsed_ns)
{
	struct dedup_block *blocks = aligned_alloc(64, h.config.memory.blocks * sizeof(*blocks));
	struct dedup_state st;

	must(blocks);
	memset(blocks, 0xa5, h.config.memory.blocks * sizeof(*blocks));
	snapshot_state(&h, NOW_NS, elapsed_ns, &st);
	snapshot_age(&h, NOW_NS, elapsed_ns, &st, blocks);
	must(dedup_is_forgotten(&st) || (__s64)(dedup_hand_due_ns(&st, &h.config) - NOW_NS) > 0);
	must(dedup_hand_pos(st.hand) < h.config.memory.places);
	snapshot_rewind(&h, st.hand, blocks, h.config.memory.blocks);
	free(blocks);
}

/* As a file has it. */
static void refuse_raw(const uint8_t *data, size_t size)
{
	char says[SNAPSHOT_REFUSAL_MAX];
	const char *refusal;

	memset(&h, 0, sizeof(h));
	memcpy(&h, data, size < sizeof(h) ? size : sizeof(h));
	refusal = snapshot_refusal(&h, size < sizeof(h) ? size : sizeof(h), size, says);
	must(refusal && *refusal); /* there are no blocks */
}

/* Eight bytes are the time, the others the head, its configuration first; what is missing is 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t BEFORE_CONFIG = offsetof(struct snapshot_head, config);
	char says[SNAPSHOT_REFUSAL_MAX];
	uint64_t elapsed_ns;
	size_t part;

	if (size < sizeof(elapsed_ns))
		return 0;
	memcpy(&elapsed_ns, data, sizeof(elapsed_ns));
	data += sizeof(elapsed_ns);
	size -= sizeof(elapsed_ns);
	refuse_raw(data, size);
	memset(&h, 0, sizeof(h));
	part = size < sizeof(h.config) ? size : sizeof(h.config);
	memcpy(&h.config, data, part);
	memcpy(&h, data + part, size - part < BEFORE_CONFIG ? size - part : BEFORE_CONFIG);
	memcpy(h.magic, SNAPSHOT_MAGIC, sizeof(h.magic));
	h.version = SNAPSHOT_VERSION;
	h.format = h.config.format = DEDUP_FORMAT;
	h.head_bytes = sizeof(h);
	h.file_bytes = sizeof(h) + h.config.memory.blocks * (uint64_t)sizeof(struct dedup_block);
	h.sum = snapshot_head_sum(&h);
	if (!snapshot_refusal(&h, sizeof(h), h.file_bytes, says) &&
	    h.config.memory.blocks <= BLOCKS_MAX && h.config.memory.places <= PLACES_MAX)
		age(elapsed_ns);
	return 0;
}
