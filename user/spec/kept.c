// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "kept.h"

#include <string.h>

#include "config_streams.h"
#include "streams.h"

static bool is_load_alike(const struct dedup_load *a, const struct dedup_load *b)
{
	return a->mask == b->mask && a->at == b->at && a->base == b->base && a->shift == b->shift &&
	       a->bytes == b->bytes;
}

/* Do both make the same id of a packet? */
static bool are_ids_alike(const struct dedup_stream *a, const struct dedup_stream *b)
{
	bool alike = a->decoder == b->decoder && a->words == b->words &&
		     a->loads_cnt == b->loads_cnt && a->digest == b->digest &&
		     (!a->digest || a->digest_max == b->digest_max);

	for (uint32_t i = 0; i < a->loads_cnt && i < DEDUP_ID_WORDS_MAX && alike; i++)
		alike = is_load_alike(&a->loads[i], &b->loads[i]);
	return alike;
}

int kept_stream(const struct dedup_config *old, const struct dedup_stream *s)
{
	for (uint32_t n = 0; n < streams_cnt(old); n++) {
		const struct dedup_stream of_old = stream_of(old, n);

		if (!strcmp(of_old.name, s->name) && are_ids_alike(&of_old, s))
			return (int)n;
	}
	return -1;
}

uint64_t kept_realm_key(const struct dedup_config *c, uint32_t n)
{
	return c->streams_cnt ? c->streams[n].realm_key : 0;
}

int kept_known(const struct dedup_config *old, const struct dedup_config *c, uint32_t n)
{
	const struct dedup_stream s = stream_of(c, n);
	int was = kept_stream(old, &s);

	return was >= 0 && kept_realm_key(old, was) == kept_realm_key(c, n) ? was : -1;
}

uint32_t kept_slot(const struct dedup_config *c, uint32_t n)
{
	return c->streams_cnt && c->format >= DEDUP_FORMAT_SLOTS ? c->streams[n].slot : n;
}

int kept_of_slot(const struct dedup_config *c, uint32_t slot)
{
	for (uint32_t n = 0; n < streams_cnt(c); n++)
		if (kept_slot(c, n) == slot)
			return (int)n;
	return -1;
}

/* A slot that no stream has had yet, and that differs from those used modulo DEDUP_SLOTS. */
static uint32_t new_slot(const struct dedup_config *c, uint32_t used)
{
	return (uint32_t)c->serial * DEDUP_SLOTS + (uint32_t)__builtin_ctz(~used);
}

void kept_slots(const struct dedup_config *old, struct dedup_config *c)
{
	uint32_t used = 0;

	for (uint32_t n = 0; n < streams_cnt(old); n++)
		used |= 1U << kept_slot(old, n) % DEDUP_SLOTS;
	for (uint32_t n = 0; n < c->streams_cnt; n++) {
		int was = kept_stream(old, &c->streams[n]);

		c->streams[n].slot = was < 0 ? new_slot(c, used) : kept_slot(old, was);
		used |= 1U << c->streams[n].slot % DEDUP_SLOTS;
	}
}

int kept_before(const struct dedup_config *c, uint32_t n)
{
	return c->format < DEDUP_FORMAT_SLOTS ? (int)n : c->before[n] - 1;
}

/* Did a filter without streams know the ids of this stream as *old does? */
static bool is_key_0(const struct dedup_config *old, const struct dedup_stream *s)
{
	int was = kept_stream(old, s);

	return was >= 0 && !kept_realm_key(old, was);
}

void kept_plan_gsp(const struct dedup_config *old, struct filter_spec *spec)
{
	if (!old->streams_cnt || !streams_are_gsp(spec))
		return;
	if (!spec->streams_cnt)
		streams_make_gsp(spec);
	spec->gsp_is_stream = !is_key_0(old, &spec->streams[0].stream);
}
