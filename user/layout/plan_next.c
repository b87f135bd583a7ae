// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Configurations of programs and filters that go on with the memory of others. */
#include "plan.h"

#include <errno.h>
#include <string.h>

#include "kept.h"
#include "predecessor.h"
#include "secrets.h"

/* The schemes without a key, which have one realm, know ids by their bytes alone: would those of a
 * new realm be taken for those that are in the memory?
 */
static bool would_mix(const struct dedup_config *old, const struct dedup_config *c)
{
	return c->memory.hash >= DEDUP_COLIBRI &&
	       (c->policy.streams[0].realm_key != old->policy.streams[0].realm_key ||
		c->policy.id_bytes != old->policy.id_bytes);
}

/* Gives the numbered streams of *c the table of *old. -ENOSPC if that has too little for each source. */
static int keep_sources(const struct dedup_config *old, struct dedup_config *c)
{
	const struct dedup_sources *is = &old->sources;

	if (c->sources.sources && (!is->sources || is->slot_blocks < c->sources.slot_blocks ||
				   is->number_bits < c->sources.number_bits))
		return -ENOSPC;
	for (uint32_t n = 0; n < c->policy.streams_cnt; n++)
		c->numbered[n].recovery.number_bits = is->number_bits;
	c->sources = *is;
	return 0;
}

int plan_next_program(const struct dedup_config *old, struct dedup_config *c)
{
	int err;

	c->memory = old->memory;
	c->frags = old->frags;
	c->serial = old->serial + 1;
	c->earlier_stats = 1;
	c->has_predecessor = old->has_predecessor;
	c->predecessor_scale = old->predecessor_scale;
	err = keep_sources(old, c) ?: secrets_set(old, c);
	if (err)
		return err;
	kept_slots(old, c);
	for (uint32_t n = 0; n < c->policy.streams_cnt; n++) {
		int was = old->has_predecessor ? kept_known(old, c, n) : -1;

		c->predecessor_stream[n] = was < 0 ? 0 : old->predecessor_stream[was];
	}
	return would_mix(old, c) ? -ENOTUNIQ : 0;
}

bool plan_is_same_memory(const struct dedup_config *old, const struct dedup_config *c)
{
	return !memcmp(&old->memory, &c->memory, sizeof(c->memory)) &&
	       !memcmp(&old->sources, &c->sources, sizeof(c->sources));
}

int plan_next_filter(const struct dedup_config *old, struct dedup_config *c)
{
	int err = secrets_set(old, c);

	if (err)
		return err;
	c->serial = old->serial + 1;
	kept_slots(old, c);
	for (uint32_t n = 0; n < c->policy.streams_cnt; n++)
		c->predecessor_stream[n] = kept_known(old, c, n) + 1;
	c->earlier_stats = 1;
	c->has_predecessor = 1;
	c->predecessor_scale = dedup_scale(old, c);
	return 0;
}
