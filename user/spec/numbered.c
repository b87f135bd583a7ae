// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "numbered.h"

#include <stdio.h>

#include "streams.h"

bool numbered_alike(const struct dedup_numbered *a, const struct dedup_numbered *b)
{
	return a->width == b->width && a->little == b->little &&
	       a->recovery.ring_shift == b->recovery.ring_shift && a->reset_ns == b->reset_ns;
}

/* Returns an earlier stream in the realm of the i-th one that has other numbers, or NULL. */
static const struct dedup_stream *find_other(const struct filter_spec *spec, uint32_t i)
{
	for (uint32_t j = 0; j < i; j++)
		if (spec->streams[i].stream.realm == spec->streams[j].stream.realm &&
		    !numbered_alike(&spec->streams[i].numbered, &spec->streams[j].numbered))
			return &spec->streams[j].stream;
	return NULL;
}

const char *numbered_refusal(const struct filter_spec *spec, char *says)
{
	for (uint32_t i = 0; i < spec->streams_cnt; i++) {
		const char *name = spec->streams[i].stream.name;
		const struct dedup_stream *other = find_other(spec, i);

		if (other)
			snprintf(says, STREAMS_SAYS_MAX,
				 "%s and %s cannot share a realm: their numbers differ in width, byte order, history or reset",
				 other->name, name);
		else if (spec->streams[i].numbered.width && spec->learn_app)
			snprintf(says, STREAMS_SAYS_MAX,
				 "--learn app is not for %s: packets alone teach the numbers of a numbered stream",
				 name);
		else if (spec->streams[i].numbered.width && spec->hash >= DEDUP_COLIBRI)
			snprintf(says, STREAMS_SAYS_MAX,
				 "--hash colibri, fips, fnv1a and tezos are not for %s: it is a numbered stream",
				 name);
		else
			continue;
		return says;
	}
	return NULL;
}

/* The table has as many sources, and rings as long, as any stream needs. */
void numbered_plan(struct dedup_config *c)
{
	const struct filter_spec *asked = &c->asked;
	uint32_t ring_shift = 0, number_bits = 32;

	for (uint32_t i = 0; i < c->policy.streams_cnt; i++) {
		const struct dedup_numbered *n = &c->numbered[i];

		if (n->width > 32)
			number_bits = DEDUP_WIDTH_MAX;
		if (n->recovery.ring_shift > ring_shift)
			ring_shift = n->recovery.ring_shift;
	}
	if (!ring_shift)
		return;
	c->sources.sources = asked->sources ? asked->sources : SPEC_SOURCES_DEFAULT;
	c->sources.buckets = DEDUP_BUCKET_BLOCKS * c->sources.sources;
	c->sources.paths = asked->paths;
	c->sources.account = DEDUP_SLOT_BLOCKS + dedup_ring_blocks(ring_shift);
	c->sources.slot_blocks = c->sources.account + dedup_account_blocks(asked->paths, ring_shift);
	c->sources.number_bits = number_bits;
	for (uint32_t i = 0; i < c->policy.streams_cnt; i++)
		c->numbered[i].recovery.number_bits = number_bits;
}

bool numbered_any(const struct filter_spec *spec)
{
	bool any = false;

	for (uint32_t i = 0; i < spec->streams_cnt; i++)
		any |= spec->streams[i].numbered.width != 0;
	return any;
}

bool numbered_alone(const struct filter_spec *spec)
{
	bool alone = spec->streams_cnt;

	for (uint32_t i = 0; i < spec->streams_cnt; i++)
		alone &= spec->streams[i].numbered.width != 0;
	return alone;
}
