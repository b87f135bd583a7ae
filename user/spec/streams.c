// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "streams.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "numbered.h"
#include "tunnels.h"

#define TEXT_OF(macro) TEXT_OF_WORD(macro)
#define TEXT_OF_WORD(word) #word
#define TOO_MANY_TO "all streams together have at most " TEXT_OF(DEDUP_TO_MAX) " destinations"

/* Returns whether the ids are one segment without a mask, which other systems' hashes need. */
static bool is_plain(const struct dedup_stream *st)
{
	if (st->decoder == DEDUP_GSP)
		return true;
	for (uint32_t i = 0; i < st->loads_cnt; i++) {
		const struct dedup_load *l = &st->loads[i], *first = &st->loads[0];
		bool last = i + 1 == st->loads_cnt;

		if (l->base != first->base || l->mask != UINT64_MAX >> (64 - 8 * l->bytes) ||
		    (!last && l->bytes != 8))
			return false;
		if (l->at + l->shift / 8 != first->at + first->shift / 8 + 8 * (int32_t)i)
			return false;
	}
	return st->digest == DEDUP_DIGEST_NONE;
}

static bool is_keyless(enum dedup_hash_scheme hash)
{
	return hash >= DEDUP_COLIBRI;
}

static const char *refuse_realms(const struct filter_spec *spec, char *says)
{
	for (uint32_t i = 0; i < spec->streams_cnt; i++) {
		const struct dedup_stream *a = &spec->streams[i].stream;

		for (uint32_t j = 0; j < i; j++) {
			const struct dedup_stream *b = &spec->streams[j].stream;

			if (a->realm == b->realm && a->words != b->words) {
				snprintf(says, STREAMS_SAYS_MAX,
					 "%s and %s cannot share a realm: an id has %u words of 8 bytes in one and %u in the other",
					 b->name, a->name, b->words, a->words);
				return says;
			}
		}
	}
	return NULL;
}

static const char *refuse_keyless_hash(const struct filter_spec *spec, char *says)
{
	if (!is_keyless(spec->hash))
		return NULL;
	for (uint32_t i = 0; i < spec->streams_cnt; i++) {
		const struct dedup_stream *st = &spec->streams[i].stream;

		if (st->realm != spec->streams[0].stream.realm) {
			snprintf(says, STREAMS_SAYS_MAX,
				 "--hash colibri, fips, fnv1a and tezos have no key, and so one realm: %s and %s would share their ids",
				 spec->streams[0].stream.name, st->name);
			return says;
		}
		if (st->bytes != spec->streams[0].stream.bytes) {
			snprintf(says, STREAMS_SAYS_MAX,
				 "--hash colibri, fips, fnv1a and tezos take ids of one length: those of %s have %u bytes, those of %s %u",
				 spec->streams[0].stream.name, spec->streams[0].stream.bytes,
				 st->name, st->bytes);
			return says;
		}
		if (!is_plain(st)) {
			snprintf(says, STREAMS_SAYS_MAX,
				 "--hash colibri, fips, fnv1a and tezos take ids of one unmasked segment: those of %s are others",
				 st->name);
			return says;
		}
	}
	return NULL;
}

/* Puts the stream's port ranges into the pool, unless it has them: streams with equal ranges share
 * them. Returns their index; -E2BIG if they do not fit.
 */
static int place_ports(struct dedup_config *c, const struct spec_stream *s)
{
	size_t bytes = s->ports_cnt * sizeof(*s->ports);

	for (uint32_t at = 0; at + s->ports_cnt <= c->policy.ports_cnt; at++)
		if (!memcmp(&c->policy.ports[at], s->ports, bytes))
			return (int)at;
	if (c->policy.ports_cnt + s->ports_cnt > DEDUP_PORTS_MAX)
		return -E2BIG;
	memcpy(&c->policy.ports[c->policy.ports_cnt], s->ports, bytes);
	c->policy.ports_cnt += s->ports_cnt;
	return (int)(c->policy.ports_cnt - s->ports_cnt);
}

/* Puts the stream's destinations into their pool, as place_ports() does with port ranges. */
static int place_to(struct dedup_config *c, const struct spec_stream *s)
{
	size_t bytes = s->to_cnt * sizeof(*s->to);

	for (uint32_t i = 0; i < c->policy.streams_cnt; i++) {
		const struct dedup_stream *other = &c->policy.streams[i];

		if (other->to_cnt == s->to_cnt && other->to4_cnt == s->to4_cnt &&
		    !memcmp(&c->policy.to[other->to_first], s->to, bytes))
			return (int)other->to_first;
	}
	if (c->policy.to_cnt + s->to_cnt > DEDUP_TO_MAX)
		return -E2BIG;
	memcpy(&c->policy.to[c->policy.to_cnt], s->to, bytes);
	c->policy.to_cnt += s->to_cnt;
	return (int)(c->policy.to_cnt - s->to_cnt);
}

/* Adds a stream with its ports and destinations. Returns NULL; or a sentence that says why not. */
static const char *place_stream(struct dedup_config *c, const struct spec_stream *from)
{
	struct dedup_stream *st = &c->policy.streams[c->policy.streams_cnt];
	int ports = place_ports(c, from), to = place_to(c, from);

	if (ports < 0)
		return "all streams together have at most " TEXT_OF(DEDUP_PORTS_MAX) " ports or ranges";
	if (to < 0)
		return TOO_MANY_TO;
	*st = from->stream;
	st->ports_first = ports;
	st->ports_cnt = from->ports_cnt;
	st->to_first = to;
	st->to_cnt = from->to_cnt;
	st->to4_cnt = from->to4_cnt;
	c->policy.streams_cnt++;
	return NULL;
}

static const char *refuse_pools(const struct filter_spec *spec)
{
	struct dedup_config pools = { 0 };
	const char *says = NULL;

	for (uint32_t i = 0; i < spec->streams_cnt && !says; i++)
		says = place_stream(&pools, &spec->streams[i]);
	if (!says && pools.policy.to_cnt + spec->outer_to_cnt > DEDUP_TO_MAX)
		return TOO_MANY_TO;
	return says;
}

const char *streams_refusal(const struct filter_spec *spec, char *says)
{
	return numbered_refusal(spec, says) ?: refuse_realms(spec, says) ?:
	       refuse_keyless_hash(spec, says) ?: tunnels_refusal(spec, says) ?: refuse_pools(spec);
}

bool streams_has_name(const struct filter_spec *spec, uint32_t i, const char *name,
		      const bool given[DEDUP_STREAMS_MAX])
{
	for (uint32_t k = 0; k < spec->streams_cnt; k++)
		if (k != i && given[k] && !strcmp(spec->streams[k].stream.name, name))
			return true;
	return false;
}

void streams_choose_names(struct filter_spec *spec, bool given[DEDUP_STREAMS_MAX])
{
	for (uint32_t i = 0; i < spec->streams_cnt; i++) {
		char *name = spec->streams[i].stream.name, number[8];
		size_t len = strlen(name);

		if (given[i])
			continue;
		for (int n = 2; streams_has_name(spec, i, name, given); n++) {
			int digits = snprintf(number, sizeof(number), "-%d", n);

			if (len > DEDUP_STREAM_NAME - 1 - (size_t)digits)
				len = DEDUP_STREAM_NAME - 1 - (size_t)digits;
			memset(name + len, 0, DEDUP_STREAM_NAME - len);
			memcpy(name + len, number, digits);
		}
		given[i] = true;
	}
}

/* Returns the number of the stream's realm: realms in use are numbered without gaps. */
static uint32_t realm_number(const struct dedup_config *c, uint32_t stream)
{
	const struct spec_stream *asked = c->asked.streams;
	uint32_t next = 0;

	for (uint32_t i = 0; i < stream; i++) {
		if (asked[i].stream.realm == asked[stream].stream.realm)
			return c->policy.streams[i].realm;
		if (c->policy.streams[i].realm >= next)
			next = c->policy.streams[i].realm + 1;
	}
	return next;
}

/* Returns whether all the stream's fields are in the UDP payload, and nothing else is checked. A
 * digest must cover the whole payload.
 */
static bool is_direct(const struct dedup_stream *st, const struct dedup_load *count)
{
	bool direct = st->layer == DEDUP_UDP && st->decoder == DEDUP_FIELDS && !st->to_cnt &&
		      !(st->digest_max & DEDUP_DIGEST_PART);

	for (uint32_t i = 0; i < st->loads_cnt; i++)
		direct &= st->loads[i].base == DEDUP_PAYLOAD;
	for (uint32_t i = 0; i < st->gates_cnt; i++)
		direct &= st->gates[i].load.base == DEDUP_PAYLOAD;
	return direct && (!count->bytes || count->base == DEDUP_PAYLOAD);
}

/* Returns whether the id's words are consecutive in the packet. */
static bool is_adjacent(const struct dedup_stream *st)
{
	bool adjacent = st->loads_cnt && !st->digest;

	for (uint32_t i = 0; i < st->loads_cnt; i++)
		adjacent &= st->loads[i].form == DEDUP_WHOLE &&
			    st->loads[i].base == st->loads[0].base &&
			    st->loads[i].at == st->loads[0].at + 8 * (int32_t)i;
	return adjacent;
}

static uint32_t needed_bytes(const struct dedup_stream *st)
{
	uint32_t need = 0;

	for (uint32_t i = 0; i < st->loads_cnt; i++)
		if ((int64_t)st->loads[i].at + 8 > need)
			need = st->loads[i].at + 8;
	return need;
}

/* Returns whether this range of config.ports is one of the stream's. */
static bool has_range(const struct dedup_stream *st, uint32_t range)
{
	return st->layer == DEDUP_UDP && range >= st->ports_first &&
	       range < st->ports_first + st->ports_cnt;
}

static bool overlap(struct dedup_ports a, struct dedup_ports b)
{
	return a.lo <= b.hi && b.lo <= a.hi;
}

/* Returns the stream that config.direct has for a range: the only one that can have packets to it.
 * A stream that is not of UDP might have them, too.
 */
static uint8_t direct_stream(const struct dedup_config *c, uint32_t range)
{
	uint8_t found = DEDUP_STREAMS_MAX;

	for (uint32_t i = 0; i < c->policy.streams_cnt; i++)
		if (c->policy.streams[i].layer != DEDUP_UDP)
			return DEDUP_STREAMS_MAX;
	for (uint32_t r = 0; r < c->policy.ports_cnt; r++) {
		if (!overlap(c->policy.ports[r], c->policy.ports[range]))
			continue;
		for (uint32_t i = 0; i < c->policy.streams_cnt; i++) {
			if (!has_range(&c->policy.streams[i], r))
				continue;
			if ((found != DEDUP_STREAMS_MAX && found != i) || !c->policy.streams[i].direct)
				return DEDUP_STREAMS_MAX;
			found = i;
		}
	}
	return found;
}

/* Returns whether a tunnel can have a port of the range. */
static bool has_tunnel(const struct dedup_config *c, uint32_t range)
{
	for (uint32_t i = 0; i < c->tunnels.ports_cnt; i++)
		if (overlap(c->policy.ports[range], (struct dedup_ports){ c->tunnels.ports[i].port,
									  c->tunnels.ports[i].port }))
			return true;
	return false;
}

/* Fills in the fields for the short cut of bpf/direct.bpf.h. A filter's only stream takes it for
 * all of its ports or for none.
 */
static void plan_direct(struct dedup_config *c)
{
	bool same = true; /* the short cut checks once whether frames for other hosts count */
	bool all = true;

	for (uint32_t i = 0; i < c->policy.streams_cnt; i++) {
		struct dedup_stream *st = &c->policy.streams[i];

		st->direct = is_direct(st, &c->numbered[i].count);
		st->need = needed_bytes(st);
		for (uint32_t j = 0; j < st->loads_cnt; j++)
			if (!~st->loads[j].mask)
				st->loads[j].form = DEDUP_WHOLE;
		st->adjacent = is_adjacent(st);
		same &= st->forwarded == c->policy.streams[0].forwarded;
	}
	for (uint32_t r = 0; r < c->policy.ports_cnt; r++) {
		c->policy.direct[r] = same && c->memory.layout == DEDUP_BLOCKED &&
						      !c->asked.vlans_cnt && !has_tunnel(c, r)
					      ? direct_stream(c, r)
					      : DEDUP_STREAMS_MAX;
		c->policy.any_direct |= c->policy.direct[r] != DEDUP_STREAMS_MAX;
		all &= c->policy.direct[r] != DEDUP_STREAMS_MAX;
	}
	if (c->policy.streams_cnt == 1 && !all)
		c->policy.any_direct = 0;
}

/* Returns whether any field of the stream may lie outside the IP packet. */
static bool needs_frame(const struct dedup_stream *st, const struct dedup_load *count)
{
	bool needs = st->layer != DEDUP_UDP ||
		     (count->bytes && count->base != DEDUP_PAYLOAD && count->base != DEDUP_NETWORK);

	for (uint32_t i = 0; i < st->loads_cnt; i++)
		needs |= st->loads[i].base != DEDUP_PAYLOAD && st->loads[i].base != DEDUP_NETWORK;
	for (uint32_t i = 0; i < st->gates_cnt; i++)
		needs |= st->gates[i].load.base != DEDUP_PAYLOAD &&
			 st->gates[i].load.base != DEDUP_NETWORK;
	return needs;
}

static void plan_stream(struct dedup_config *c, uint32_t i)
{
	const struct filter_spec *spec = &c->asked;
	const struct spec_stream *from = &spec->streams[i];
	struct dedup_stream *st = &c->policy.streams[i];
	uint32_t bytes = is_keyless(spec->hash) ? from->stream.bytes : 8 * from->stream.words;

	place_stream(c, from);
	st->realm = realm_number(c, i);
	st->slot = i;
	st->forwarded |= spec->forwarded;
	c->policy.forwarded &= st->forwarded;
	if (needs_frame(st, &from->numbered.count))
		c->policy.frames = DEDUP_FRAMES_WHOLE;
	c->numbered[i] = from->numbered;
	if (spec->deliver || from->deliver)
		c->policy.deliver |= 1U << i;
	if (c->policy.id_bytes < bytes)
		c->policy.id_bytes = bytes;
}

uint32_t streams_all(const struct dedup_config *c)
{
	return (1U << c->policy.streams_cnt) - 1;
}

void streams_choose_entry(struct dedup_config *c)
{
	const struct dedup_stream *first = c->policy.streams;
	bool gsp = c->policy.streams_cnt == 1 && first->decoder == DEDUP_GSP && !first->realm_key &&
		   !c->tunnels.kinds;

	if (gsp)
		c->policy.entry = c->policy.deliver ? DEDUP_ENTRY_GSP_DELIVER : DEDUP_ENTRY_GSP;
	else
		c->policy.entry = c->sources.sources ? DEDUP_ENTRY_NUMBERED : DEDUP_ENTRY_STREAMS;
	if (gsp && (c->policy.to_cnt || c->asked.vlans_cnt))
		c->policy.receiver = DEDUP_NAMED;
	else if (c->policy.forwarded)
		c->policy.receiver = DEDUP_ANYONE;
	else
		c->policy.receiver =
			c->asked.several ? DEDUP_SEVERAL_INTERFACES : DEDUP_ONE_INTERFACE;
}

void streams_plan(struct dedup_config *c)
{
	c->policy.forwarded = 1; /* if all are */
	for (uint32_t i = 0; i < c->asked.streams_cnt; i++)
		plan_stream(c, i);
	tunnels_plan(c);
	if (c->tunnels.kinds)
		c->policy.frames = DEDUP_FRAMES_INSIDE;
	plan_direct(c);
	numbered_plan(c);
	streams_choose_entry(c);
}

bool streams_go_to_sockets(const struct filter_spec *spec, const struct spec_stream *s)
{
	return s->stream.layer == DEDUP_UDP && !s->deliver && !spec->deliver;
}

bool streams_have_socket_port(const struct filter_spec *spec, uint16_t port)
{
	for (uint32_t i = 0; i < spec->streams_cnt; i++) {
		const struct spec_stream *s = &spec->streams[i];

		for (uint32_t p = 0; p < s->ports_cnt && streams_go_to_sockets(spec, s); p++)
			if (port >= s->ports[p].lo && port <= s->ports[p].hi)
				return true;
	}
	return false;
}
