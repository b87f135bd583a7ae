// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "survey_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool survey_ids_of_all_traffic(const struct survey *s, uint32_t stream)
{
	const struct dedup_stream *st = &s->profiles.list[stream].stream;

	return st->layer == DEDUP_IP || (st->layer == DEDUP_ETHERNET && !st->ethertype);
}

uint64_t survey_ids_digest(const struct survey *s, const void *bytes, uint32_t len)
{
	uint32_t cnt = len < DEDUP_DIGEST_MAX ? len : DEDUP_DIGEST_MAX;
	struct dedup_digest d;
	uint64_t word;

	dedup_digest_start(&d, len, s->digest_key);
	for (uint32_t i = 0; 8 * i < cnt; i++) {
		uint32_t left = cnt - 8 * i;

		word = 0;
		memcpy(&word, (const uint8_t *)bytes + 8 * (size_t)i, left < 8 ? left : 8);
		dedup_digest_word(&d, word, s->digest_key, i);
	}
	return dedup_digest_end(&d) ?: 1;
}

/* Finds the packet's id by this stream. Returns 1 if there is one, 0 if not; or -ENOMEM. */
static int find_id(struct survey *s, const struct survey_packet *seen, uint32_t stream,
		   struct survey_lookup *at)
{
	struct candidate **candidate =
		survey_ids_of_all_traffic(s, stream)
			? &s->all[stream]
			: &s->table.destinations[seen->destination].candidates[stream];
	struct program_id id;

	program_identify_as(stream, &id);
	if (id.reason != -1 && id.reason != DEDUP_REASON_exempt &&
	    id.reason != DEDUP_REASON_no_id && id.reason != DEDUP_REASON_ihave_new)
		return 0;
	if (!*candidate)
		*candidate = calloc(1, sizeof(**candidate));
	*at = (struct survey_lookup){ .stream = stream, .candidate = *candidate };
	if (!at->candidate)
		return -ENOMEM;
	if ((int)stream == s->rtp && !at->candidate->numbers) {
		at->candidate->numbers = calloc(1, sizeof(*at->candidate->numbers));
		if (!at->candidate->numbers)
			return -ENOMEM;
	}
	at->candidate->fit.packets++;
	if (id.extent > seen->have) {
		at->candidate->fit.snapped++;
		return 0;
	}
	if (id.reason != -1)
		return 0;
	if (survey_numbers_is(s, stream)) {
		at->candidate->ifaces[seen->iface / 64] |= 1ULL << seen->iface % 64;
		survey_numbers_read(s, &id, at);
		return 1;
	}
	at->key = id_table_key(s->ids, stream, &id.id, id.words);
	at->content = at->key;
	/* Equal packets to two ports of a host are for two sockets, and so not copies: only groups
	 * form feeds by equal bytes.
	 */
	if ((int)stream == s->payload && !seen->flow.multicast)
		at->key += seen->flow.number * UINT64_C(0x9e3779b97f4a7c15);
	id_table_prefetch(s->ids, at->key);
	return 1;
}

uint64_t survey_ids_masked_digest(struct survey *s, const struct survey_packet *seen,
				  const struct dedup_stream *st)
{
	const uint32_t base[DEDUP_BASES] = {
		[DEDUP_TAG] = seen->flow.tag_at,
		[DEDUP_NETWORK] = seen->flow.tag_at,
		[DEDUP_PAYLOAD] = seen->flow.payload_at,
		[DEDUP_END] = seen->len,
	};
	const struct path_bits *path;

	if (seen->have < seen->len)
		return 0;
	memcpy(s->padded, seen->frame, seen->len);
	path = path_bits_of(st->name);
	if (path)
		s->padded[base[path->base] + path->at] &= (uint8_t)~path->bits;
	for (uint32_t i = 0; i < st->loads_cnt; i++) {
		const struct dedup_load *l = &st->loads[i];
		uint64_t word, wanted = UINT64_MAX >> (64 - 8 * l->bytes) << l->shift;
		uint8_t *at = s->padded + base[l->base] + l->at;

		memcpy(&word, at, sizeof(word));
		word &= ~(wanted & ~(l->mask << l->shift));
		memcpy(at, &word, sizeof(word));
	}
	return survey_ids_digest(s, s->padded, seen->len);
}

/* Returns whether the frame may be of this stream, by layer and heuristic, without its rules. */
static bool may_be_of(const struct survey *s, const struct survey_packet *seen, uint32_t stream)
{
	const struct dedup_stream *st = &s->profiles.list[stream].stream;
	const struct flow *f = &seen->flow;
	uint32_t have = seen->have > f->payload_at ? seen->have - f->payload_at : 0;

	if (st->layer == DEDUP_IP)
		return f->ipv4 || f->ipv6;
	if (st->layer == DEDUP_ETHERNET)
		return seen->has_ethernet && (!st->ethertype || st->ethertype == f->ethertype);
	if (f->kind != SURVEY_UDP || !s->heuristics[stream])
		return f->kind == SURVEY_UDP;
	if (have > f->payload_len)
		have = f->payload_len;
	return s->heuristics[stream](seen->frame + f->payload_at, have, f->payload_len);
}

int survey_ids_find(struct survey *s, const struct survey_packet *seen, struct survey_lookup *out)
{
	int cnt = 0;

	program_parse(seen->frame, seen->len);
	for (uint32_t i = 0; i < s->streams; i++) {
		int found = may_be_of(s, seen, i) ? find_id(s, seen, i, &out[cnt]) : 0;

		if (found < 0)
			return found;
		cnt += found;
	}
	return cnt;
}
