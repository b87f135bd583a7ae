// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config_streams.h"

#include <string.h>

#include "integers.h"
#include "memory.h"
#include "tunnels.h"

int stream_number(const struct dedup_config *c, const char *name)
{
	for (uint32_t n = 0; n < c->policy.streams_cnt; n++)
		if (!strcmp(c->policy.streams[n].name, name))
			return (int)n;
	return -1;
}

bool stream_is_gsp(const struct dedup_config *c, uint32_t n)
{
	return c->policy.streams[n].decoder == DEDUP_GSP;
}

uint32_t stream_fields_bytes(const struct dedup_stream *s)
{
	uint32_t bytes = 0;

	if (s->decoder == DEDUP_GSP)
		return 8 * s->words;
	for (uint32_t i = 0; i < s->loads_cnt; i++)
		bytes += s->loads[i].bytes;
	return bytes;
}

/* Returns whether a profile can give these values to a numbered stream. */
static bool are_numbers_sound(const struct dedup_numbered *n, uint32_t source_words)
{
	const struct dedup_recovery *r = &n->recovery;

	if (!n->width)
		return !r->ring_shift; /* by which the plan tells whether there is a table */
	return n->width >= DEDUP_WIDTH_MIN && n->width <= 64 && n->shift < 64 &&
	       n->count_shift < 64 && n->count.base < DEDUP_BASES && n->count.shift < 64 &&
	       source_words + (n->width > DEDUP_WIDTH_MAX) <= DEDUP_SOURCE_WORDS &&
	       r->width == lesser(n->width, DEDUP_WIDTH_MAX) && r->ring_shift >= DEDUP_WIDTH_MIN &&
	       r->ring_shift <= DEDUP_RING_MAX && r->ring_shift <= r->width;
}

bool stream_sound(const struct dedup_stream *s, const struct dedup_numbered *n)
{
	uint32_t digests = s->digest != DEDUP_DIGEST_NONE;

	if (!s->words || s->words > DEDUP_ID_WORDS_MAX || s->gates_cnt > DEDUP_GATES_MAX ||
	    dedup_digest_max(s) > DEDUP_DIGEST_MAX || !memchr(s->name, 0, sizeof(s->name)) ||
	    (s->bytes + 7) / 8 != s->words || !are_numbers_sound(n, s->words - 1))
		return false;
	if (s->decoder == DEDUP_GSP)
		return true;
	for (uint32_t i = 0; i < s->loads_cnt && i < DEDUP_ID_WORDS_MAX; i++)
		if (!s->loads[i].bytes || s->loads[i].bytes > 8)
			return false;
	return s->loads_cnt + digests == s->words;
}

/* Returns whether the stream's numbers fit into the table of sources. */
static bool do_numbers_fit(const struct dedup_config *c, uint32_t n)
{
	const struct dedup_recovery *r = &c->numbered[n].recovery;
	uint32_t bits = c->sources.number_bits;

	return !c->numbered[n].width ||
	       (r->number_bits == bits && r->width <= bits &&
		DEDUP_SLOT_BLOCKS + dedup_ring_blocks(r->ring_shift) <= c->sources.account &&
		r->reset_jiffies >= 2);
}

/* Returns whether each source has room for a ring, and then for an account. */
static bool are_slots_sound(const struct dedup_sources *t)
{
	for (uint32_t shift = DEDUP_WIDTH_MIN; shift <= DEDUP_RING_MAX; shift++)
		if (t->account == DEDUP_SLOT_BLOCKS + dedup_ring_blocks(shift))
			return t->paths <= DEDUP_PATHS_MAX &&
			       t->slot_blocks == t->account + dedup_account_blocks(t->paths, shift);
	return false;
}

/* Returns whether the table of sources, if one is needed, is after the layout's blocks. */
static bool are_sources_sound(const struct dedup_config *c)
{
	const struct dedup_sources *t = &c->sources;
	bool any = false;

	for (uint32_t n = 0; n < c->policy.streams_cnt; n++) {
		any |= c->numbered[n].width != 0;
		if (!do_numbers_fit(c, n))
			return false;
	}
	if (!t->sources)
		return !any;
	return t->first == c->memory.blocks && t->buckets &&
	       t->slots == (uint64_t)t->first + t->buckets + 1 && are_slots_sound(t) &&
	       (t->number_bits == 32 || t->number_bits == DEDUP_WIDTH_MAX) &&
	       dedup_blocks(c) <= UINT32_MAX;
}

bool streams_any_numbered(const struct dedup_config *c)
{
	return c->sources.sources;
}

bool streams_any_hashed(const struct dedup_config *c)
{
	for (uint32_t n = 0; n < c->policy.streams_cnt; n++)
		if (!c->numbered[n].width)
			return true;
	return false;
}

bool streams_sound(const struct dedup_config *c)
{
	if (!c->policy.streams_cnt || c->policy.streams_cnt > DEDUP_STREAMS_MAX)
		return false;
	for (uint32_t i = 0; i < c->policy.streams_cnt; i++)
		if (!stream_sound(&c->policy.streams[i], &c->numbered[i]))
			return false;
	return are_sources_sound(c) && tunnels_sound(&c->tunnels);
}
