// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "spec.h"

#include <string.h>

#include "tunnels.h"

bool spec_is_gsp(const struct filter_spec *spec)
{
	return spec->streams_cnt == 1 && spec->streams[0].stream.decoder == DEDUP_GSP;
}

/* A stream as it was asked for: what the plan has filled in is taken out again. */
static void spec_of_stream(const struct dedup_config *c, uint32_t n, struct spec_stream *out)
{
	struct dedup_stream *st = &out->stream;

	*st = c->policy.streams[n];
	out->numbered = c->numbered[n];
	out->named = c->named >> n & 1;
	out->ports_cnt = st->ports_cnt;
	out->to_cnt = st->to_cnt;
	out->to4_cnt = st->to4_cnt;
	memcpy(out->ports, &c->policy.ports[st->ports_first], st->ports_cnt * sizeof(*out->ports));
	memcpy(out->to, &c->policy.to[st->to_first], st->to_cnt * sizeof(*out->to));
	st->ports_first = st->ports_cnt = st->to_first = st->to_cnt = st->to4_cnt = 0;
	out->deliver = c->policy.deliver >> n & 1;
	st->realm_key = st->slot = 0;
	st->direct = st->need = st->adjacent = 0;
	for (uint32_t i = 0; i < st->loads_cnt; i++)
		st->loads[i].whole = 0;
}

void spec_of_config(const struct dedup_config *c, struct filter_spec *out)
{
	*out = (struct filter_spec){
		.capacity = c->asked.capacity,
		.fpr = c->asked.fpr_e18 / 1e18,
		.window_ns = c->memory.window_ns,
		.layout = c->memory.layout,
		.hash = c->memory.hash,
		.bits = c->asked.bits,
		.hashes = c->asked.hashes,
		.index_bits = c->asked.index_bits,
		.countdown_bits = c->asked.countdown_bits,
		.sources = c->sources.sources,
		.paths = c->sources.paths,
		.streams_cnt = c->policy.streams_cnt,
		.several = c->policy.several,
		.count_only = c->policy.action == DEDUP_COUNT,
		.drop_ns = c->policy.drop_ns,
		.learn_app = c->policy.learn_app,
		.ihave_pass = c->policy.ihave_pass,
		.deliver = c->asked.deliver_all,
		.vlans_cnt = c->policy.vlans_cnt,
	};
	memcpy(out->vlans, c->policy.vlans, sizeof(out->vlans));
	for (uint32_t n = 0; n < c->policy.streams_cnt; n++)
		spec_of_stream(c, n, &out->streams[n]);
	tunnels_of_config(c, out);
}
