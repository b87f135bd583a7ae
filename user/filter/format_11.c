// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "format_11.h"

#include <string.h>

#include "config_streams.h"
#include "streams.h"

#define COPY(to, from)                                                              \
	do {                                                                        \
		_Static_assert(sizeof(to) == sizeof(from), "arrays of one length"); \
		memcpy(to, from, sizeof(to));                                       \
	} while (0)

static struct dedup_memory memory_of(const struct dedup_config_11 *old)
{
	return (struct dedup_memory){
		.layout = old->layout,
		.hash = old->hash,
		.blocks = old->blocks,
		.places = old->places,
		.words = old->words,
		.bits = old->bits,
		.m = old->m,
		.k = old->k,
		.recent = old->recent,
		.claim = old->claim,
		.replay = old->replay,
		.segment_places = old->segment_places,
		.window_ns = old->window_ns,
		.countdown_ns = old->countdown_ns,
		.tick_ns = old->tick_ns,
		.busy_tick_ns = old->busy_tick_ns,
		.late_ns = old->late_ns,
		.stale_ns = old->stale_ns,
		.stale_jiffies = old->stale_jiffies,
		.capacity = old->capacity,
		.fpr_e18 = old->fpr_e18,
		.turn_ids = old->turn_ids,
		.full_ids = old->full_ids,
	};
}

static void set_policy(const struct dedup_config_11 *old, struct dedup_policy *out)
{
	*out = (struct dedup_policy){
		.action = old->action,
		.learn_app = old->learn_app,
		.ihave_pass = old->ihave_pass,
		.deliver = old->deliver,
		.drop_ns = old->drop_ns,
		.receiver = old->receiver,
		.several = old->several,
		.forwarded = old->forwarded,
		.frames = old->frames,
		.id_bytes = old->id_bytes,
		.any_direct = old->any_direct,
		.ports_cnt = old->ports_cnt,
		.to_cnt = old->to_cnt,
		.to4_cnt = old->to4_cnt,
		.vlans_cnt = old->vlans_cnt,
		.streams_cnt = old->streams_cnt,
	};
	COPY(out->ports, old->ports);
	COPY(out->direct, old->direct);
	COPY(out->to, old->to);
	COPY(out->vlans, old->vlans);
	COPY(out->streams, old->streams);
	if (old->streams_cnt)
		return;
	out->gsp_alone = out->streams_cnt = 1;
	out->streams[0] = (struct dedup_stream){
		.name = STREAM_GSP,
		.decoder = DEDUP_GSP,
		.forwarded = old->forwarded,
		.ports_cnt = old->ports_cnt,
		.to4_cnt = old->to4_cnt,
		.to_cnt = old->to_cnt,
		.words = dedup_id_words(old->id_bytes),
		.bytes = old->id_bytes,
	};
}

void config_from_11(const struct dedup_config_11 *old, struct dedup_config *out)
{
	*out = (struct dedup_config){
		.format = old->format,
		.frags = old->frags,
		.memory = memory_of(old),
		.serial = old->serial,
		.earlier_stats = old->earlier_stats,
		.has_predecessor = old->has_predecessor,
		.predecessor_scale = old->predecessor_scale,
		.asked = { .capacity = old->capacity, .fpr_e18 = old->fpr_e18 },
	};
	set_policy(old, &out->policy);
	COPY(out->secrets.key, old->key);
	COPY(out->secrets.digest_key, old->digest_key);
	COPY(out->before, old->before);
	if (streams_sound(out))
		out->asked.deliver_all = old->deliver == streams_all(out);
}
