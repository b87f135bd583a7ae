// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "kept.h"

#include <string.h>

#include "numbered.h"

#define SUFFIX_MAX 4 /* bytes of "-16", with the 0 */

static bool is_load_alike(const struct dedup_load *a, const struct dedup_load *b)
{
	return a->mask == b->mask && a->at == b->at && a->base == b->base && a->shift == b->shift &&
	       a->bytes == b->bytes;
}

/* A stream, its numbers, and whether the user gave it its name. */
struct ids {
	const struct dedup_stream *stream;
	const struct dedup_numbered *numbered;
	bool named;
};

static struct ids ids_of(const struct dedup_config *c, uint32_t n)
{
	return (struct ids){ &c->policy.streams[n], &c->numbered[n], c->asked.streams[n].named };
}

/* Returns whether both make one id of a packet. */
static bool are_ids_alike(struct ids ids, struct ids others)
{
	const struct dedup_stream *a = ids.stream, *b = others.stream;
	bool alike = numbered_alike(ids.numbered, others.numbered) &&
		     ids.numbered->shift == others.numbered->shift && a->decoder == b->decoder &&
		     a->words == b->words && a->loads_cnt == b->loads_cnt && a->digest == b->digest &&
		     a->digest_skip == b->digest_skip && a->digest_trailer == b->digest_trailer &&
		     (!a->digest || a->digest_max == b->digest_max);

	for (uint32_t i = 0; i < a->loads_cnt && i < DEDUP_ID_WORDS_MAX && alike; i++)
		alike = is_load_alike(&a->loads[i], &b->loads[i]);
	return alike;
}

/* Returns the length of the name without a number at its end: two streams of profile gsp without a
 * given name are gsp and gsp-2, and the second one becomes gsp when the first is removed.
 */
static size_t stem(const char *name)
{
	size_t len = strlen(name), end = len;

	while (end && name[end - 1] >= '0' && name[end - 1] <= '9')
		end--;
	return end > 1 && end < len && name[end - 1] == '-' ? end - 1 : len;
}

static bool is_stem_shared(const struct dedup_stream *a, const struct dedup_stream *b)
{
	size_t len_a = stem(a->name), len_b = stem(b->name);
	size_t len = len_a < len_b ? len_a : len_b;

	/* A long name was cut to make room for the number. */
	return !memcmp(a->name, b->name, len) &&
	       (len_a == len_b || len + SUFFIX_MAX >= DEDUP_STREAM_NAME);
}

/* The packets that belong to a stream. */
struct packets {
	uint32_t layer, ethertype, ports_cnt, to_cnt, to4_cnt;
	const struct dedup_ports *ports;
	const struct dedup_prefix *to;
};

static struct packets packets_of_stream(const struct dedup_config *c, const struct dedup_stream *s)
{
	return (struct packets){
		.layer = s->layer,
		.ethertype = s->ethertype,
		.ports_cnt = s->ports_cnt,
		.to_cnt = s->to_cnt,
		.to4_cnt = s->to4_cnt,
		.ports = &c->policy.ports[s->ports_first],
		.to = &c->policy.to[s->to_first],
	};
}

static bool are_packets_alike(struct packets a, struct packets b)
{
	return a.layer == b.layer && a.ethertype == b.ethertype && a.ports_cnt == b.ports_cnt &&
	       a.to_cnt == b.to_cnt && a.to4_cnt == b.to4_cnt &&
	       !memcmp(a.ports, b.ports, a.ports_cnt * sizeof(*a.ports)) &&
	       !memcmp(a.to, b.to, a.to_cnt * sizeof(*a.to));
}

/* Returns the stream of *c with this one's given name and ids that are made alike; -1: none. */
static int find_named(const struct dedup_config *c, struct ids s)
{
	for (uint32_t n = 0; n < c->policy.streams_cnt && s.named; n++) {
		struct ids other = ids_of(c, n);

		if (other.named && !strcmp(other.stream->name, s.stream->name) &&
		    are_ids_alike(other, s))
			return (int)n;
	}
	return -1;
}

/* Returns whether stream n of *c may be this one, without a given name that tells. others: the
 * other configuration, in which no stream has the given name of stream n.
 */
static bool may_be(const struct dedup_config *c, uint32_t n, const struct dedup_config *others,
		   struct ids s)
{
	struct ids of = ids_of(c, n);

	return (!of.named || !s.named || of.stream == s.stream) && are_ids_alike(of, s) &&
	       is_stem_shared(of.stream, s.stream) && find_named(others, of) < 0;
}

static uint32_t count_candidates(const struct dedup_config *c, const struct dedup_config *others,
				 struct ids s)
{
	uint32_t cnt = 0;

	for (uint32_t n = 0; n < c->policy.streams_cnt; n++)
		cnt += may_be(c, n, others, s);
	return cnt;
}

int kept_stream(const struct dedup_config *old, const struct dedup_config *c,
		const struct dedup_stream *stream)
{
	struct ids s = ids_of(c, stream - c->policy.streams);
	struct packets packets = packets_of_stream(c, stream);
	int named = find_named(old, s);
	bool by_name;

	if (dedup_is_gsp(old) && dedup_is_gsp(c))
		return 0;
	if (named >= 0)
		return named;
	by_name = count_candidates(old, c, s) == 1 && count_candidates(c, old, s) == 1;
	for (uint32_t n = 0; n < old->policy.streams_cnt; n++) {
		const struct dedup_stream *of_old = &old->policy.streams[n];

		if (may_be(old, n, c, s) &&
		    (by_name ? !strcmp(of_old->name, stream->name)
			     : are_packets_alike(packets_of_stream(old, of_old), packets)))
			return (int)n;
	}
	return -1;
}

bool kept_is_realm(const struct dedup_config *old, uint32_t i, const struct dedup_config *c,
		   uint32_t n)
{
	const struct dedup_stream *a = &old->policy.streams[i], *b = &c->policy.streams[n];

	return a->realm_key == b->realm_key && a->words == b->words && a->bytes == b->bytes;
}

bool kept_knows_its_own(const struct dedup_config *old, const struct dedup_config *c, uint32_t n)
{
	int was = kept_stream(old, c, &c->policy.streams[n]);

	return was >= 0 && kept_is_realm(old, was, c, n);
}

int kept_of_slot(const struct dedup_config *c, uint32_t slot)
{
	for (uint32_t n = 0; n < c->policy.streams_cnt; n++)
		if (c->policy.streams[n].slot == slot)
			return (int)n;
	return -1;
}

void kept_slots(const struct dedup_config *old, struct dedup_config *c)
{
	uint32_t used = 0;

	for (uint32_t n = 0; n < old->policy.streams_cnt; n++)
		used |= 1U << old->policy.streams[n].slot % DEDUP_SLOTS;
	for (uint32_t n = 0; n < c->policy.streams_cnt; n++) {
		int was = kept_stream(old, c, &c->policy.streams[n]);
		/* A slot that no stream has had, and unlike others modulo DEDUP_SLOTS. */
		uint32_t new = (uint32_t)c->serial *DEDUP_SLOTS + (uint32_t)__builtin_ctz(~used);

		c->policy.streams[n].slot = was < 0 ? new : old->policy.streams[was].slot;
		used |= 1U << c->policy.streams[n].slot % DEDUP_SLOTS;
	}
}
