// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "spec.h"

#include <string.h>

#include "config_streams.h"
#include "streams.h"

/* A stream as it was asked for: what the plan has filled in is taken out again. */
static void spec_of_stream(const struct dedup_config *c, uint32_t n, struct spec_stream *out)
{
	struct dedup_stream *st = &out->stream;

	*st = c->streams[n];
	out->ports_cnt = st->ports_cnt;
	out->to_cnt = st->to_cnt;
	out->to4_cnt = st->to4_cnt;
	memcpy(out->ports, &c->ports[st->ports_first], st->ports_cnt * sizeof(*out->ports));
	memcpy(out->to, &c->to[st->to_first], st->to_cnt * sizeof(*out->to));
	st->ports_first = st->ports_cnt = st->to_first = st->to_cnt = st->to4_cnt = 0;
	out->deliver = c->deliver >> n & 1;
	st->realm_key = st->slot = 0;
	st->direct = st->need = st->adjacent = 0;
	for (uint32_t i = 0; i < st->loads_cnt; i++)
		st->loads[i].whole = 0;
}

void spec_of_config(const struct dedup_config *c, struct filter_spec *out)
{
	*out = (struct filter_spec){
		.id_bytes = c->streams_cnt ? 0 : c->id_bytes,
		.capacity = c->capacity,
		.fpr = c->fpr_e18 / 1e18,
		.window_ns = c->window_ns,
		.layout = c->layout,
		.hash = c->hash,
		.streams_cnt = c->streams_cnt,
		.forwarded = !c->streams_cnt && c->forwarded,
		.several = c->several,
		.count_only = c->action == DEDUP_COUNT,
		.drop_ns = c->drop_ns,
		.learn_app = c->learn_app,
		.ihave_pass = c->ihave_pass,
		.deliver = c->deliver && c->deliver == streams_all(c),
	};
	out->vlans_cnt = c->vlans_cnt;
	memcpy(out->vlans, c->vlans, sizeof(out->vlans));
	for (uint32_t n = 0; n < c->streams_cnt; n++)
		spec_of_stream(c, n, &out->streams[n]);
	out->gsp_is_stream = c->streams_cnt && streams_are_gsp(out);
	if (c->streams_cnt)
		return;
	out->ports_cnt = c->ports_cnt;
	out->to_cnt = c->to_cnt;
	out->to4_cnt = c->to4_cnt;
	memcpy(out->ports, c->ports, sizeof(out->ports));
	memcpy(out->to, c->to, sizeof(out->to));
}

void spec_fix_shape(const struct dedup_config *c, struct filter_spec *spec)
{
	if (c->layout == DEDUP_BLOCKED)
		return;
	spec->hashes = c->k;
	if (c->layout == DEDUP_FLAT) {
		spec->bits = c->m;
		return;
	}
	spec->index_bits = __builtin_ctz(c->m);
	spec->countdown_bits = __builtin_ctz(c->places + 1);
}
