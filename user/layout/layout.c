// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "layout.h"

#include "hand.h"

static const struct layout *const LAYOUTS[] = {
	[DEDUP_BLOCKED] = &LAYOUT_BLOCKED,
	[DEDUP_FLAT] = &LAYOUT_FLAT,
	[DEDUP_COUNTDOWN] = &LAYOUT_COUNTDOWN,
};
static const char *const HASHES[] = { "fast", "siphash", "colibri", "fips", "fnv1a", "tezos" };

#define CNT(a) (sizeof(a) / sizeof((a)[0]))

const struct layout *layout_of(uint32_t layout)
{
	return layout < CNT(LAYOUTS) ? LAYOUTS[layout] : NULL;
}

const char *hash_name(uint32_t hash)
{
	return hash < CNT(HASHES) ? HASHES[hash] : NULL;
}

double layout_turn_ids(const struct dedup_config *c, double ids, double longer)
{
	(void)c;
	return ids * (1 + longer);
}

void layout_find_positions(const struct dedup_config *c, const struct dedup_lookup_key *s,
			   struct id_lookup *p)
{
	dedup_positions(&p->positions, s->id, s->bytes, c, s->realm_key);
}

double layout_hand_passed(const struct dedup_config *c, struct dedup_state *st, uint64_t now_ns)
{
	(void)now_ns;
	return (double)dedup_hand_pos(READ_ONCE(st->hand)) / c->memory.places;
}
