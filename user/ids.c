// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ids.h"

#include <errno.h>
#include <string.h>

#include "hand.h"

#define ID_WORDS (GSP_ID_BYTES / 8)

struct place {
	struct dedup_probe probe;
	__u64 *current, *previous;
};

/* Where the id belongs; 0, or -EINVAL for the all-zero id, which is nowhere. */
static int find_place(const struct filter *f, const uint8_t id[GSP_ID_BYTES], struct place *p)
{
	static const uint8_t NO_ID[GSP_ID_BYTES];
	uint64_t hand = dedup_read(&f->state->hand);
	const struct dedup_config *c = f->config;
	struct dedup_block *block;
	__u64 words[ID_WORDS];
	uint32_t cur;

	if (!memcmp(id, NO_ID, sizeof(NO_ID)))
		return -EINVAL;
	memcpy(words, id, sizeof(words));
	dedup_probe(&p->probe, dedup_hash(words, ID_WORDS, c->key), c->blocks, c->words, c->bits);
	block = &f->blocks[p->probe.block];
	cur = dedup_hand_half(hand, p->probe.block);
	p->current = block->half[cur];
	p->previous = block->half[cur ^ 1];
	return 0;
}

static int is_known(const struct filter *f, const struct place *p)
{
	return dedup_half_holds(p->current, &p->probe, f->config->words) ||
	       dedup_half_holds(p->previous, &p->probe, f->config->words);
}

int ids_test(const struct filter *f, const uint8_t id[GSP_ID_BYTES])
{
	struct place p;

	return find_place(f, id, &p) ? 0 : is_known(f, &p);
}

int ids_add(struct filter *f, const uint8_t id[GSP_ID_BYTES])
{
	struct dedup_state *st = f->state;
	struct place p;
	int err = find_place(f, id, &p);

	if (err)
		return err;
	if (is_known(f, &p))
		return 0;
	if (dedup_read(&st->learned) >= dedup_read(&st->limit))
		return -ENOSPC;
	__sync_fetch_and_add(&st->learned, 1);
	return dedup_half_learn(p.current, &p.probe, f->config->words);
}
