// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Configurations of programs and filters that continue running ones. */
#include "plan.h"

#include <errno.h>
#include <string.h>

#include "config_streams.h"
#include "kept.h"
#include "predecessor.h"
#include "secrets.h"

/* Returns whether ids of a new realm would be taken for ids in the memory: schemes without a key
 * have one realm, and know ids only by their bytes.
 */
static bool would_mix(const struct dedup_config *old, const struct dedup_config *c)
{
	return c->memory.hash >= DEDUP_COLIBRI &&
	       (c->policy.streams[0].realm_key != old->policy.streams[0].realm_key ||
		c->policy.id_bytes != old->policy.id_bytes);
}

/* Returns whether *old has memory for the ids of *c: with numbered streams alone, for one id. */
static bool has_room_for_ids(const struct dedup_config *old, const struct dedup_config *c)
{
	return streams_any_hashed(old) || !streams_any_hashed(c) ||
	       old->memory.capacity >= c->memory.capacity;
}

/* Returns whether a table has what the sources need. The hand goes on with its idle_jiffies. */
static bool has_room_for_sources(const struct dedup_sources *is, const struct dedup_sources *need)
{
	return !need->sources ||
	       (is->sources && is->account >= need->account && is->paths == need->paths &&
		is->number_bits >= need->number_bits && is->idle_jiffies >= need->idle_jiffies);
}

/* Gives the numbered streams of *c the table of *old. */
static void keep_sources(const struct dedup_config *old, struct dedup_config *c)
{
	for (uint32_t n = 0; n < c->policy.streams_cnt; n++)
		c->numbered[n].recovery.number_bits = old->sources.number_bits;
	c->sources = old->sources;
}

/* Returns config.predecessor_stream of stream n of *c, which keeps the predecessor of *old. */
static uint8_t inherited_stream(const struct dedup_config *old, const struct dedup_config *c,
				uint32_t n)
{
	for (uint32_t i = 0; i < old->policy.streams_cnt && old->has_predecessor; i++)
		if (old->predecessor_stream[i] && kept_is_realm(old, i, c, n))
			return old->predecessor_stream[i];
	return 0;
}

int plan_next_program(const struct dedup_config *old, struct dedup_config *c)
{
	int err;

	if (!has_room_for_ids(old, c) || !has_room_for_sources(&old->sources, &c->sources))
		return -ENOSPC;
	c->memory = old->memory;
	c->serial = old->serial + 1;
	c->earlier_stats = 2;
	c->has_predecessor = old->has_predecessor;
	c->predecessor_scale = old->predecessor_scale;
	keep_sources(old, c);
	err = secrets_set(old, c);
	if (err)
		return err;
	kept_slots(old, c);
	for (uint32_t n = 0; n < c->policy.streams_cnt; n++)
		c->predecessor_stream[n] = inherited_stream(old, c, n);
	return would_mix(old, c) ? -ENOTUNIQ : 0;
}

bool plan_is_same_memory(const struct dedup_config *old, const struct dedup_config *c)
{
	return !memcmp(&old->memory, &c->memory, sizeof(c->memory)) &&
	       !memcmp(&old->sources, &c->sources, sizeof(c->sources));
}

/* Returns config.predecessor_stream of stream n of *c, whose predecessor is *old. */
static uint8_t old_stream(const struct dedup_config *old, const struct dedup_config *c, uint32_t n)
{
	for (uint32_t i = 0; i < old->policy.streams_cnt; i++)
		if (kept_is_realm(old, i, c, n))
			return i + 1;
	return 0;
}

int plan_next_filter(const struct dedup_config *old, struct dedup_config *c)
{
	int err = secrets_set(old, c);

	if (err)
		return err;
	c->serial = old->serial + 1;
	kept_slots(old, c);
	for (uint32_t n = 0; n < c->policy.streams_cnt; n++)
		c->predecessor_stream[n] = old_stream(old, c, n);
	c->earlier_stats = 2;
	c->has_predecessor = 1;
	c->predecessor_scale = dedup_scale(old, c);
	return 0;
}
