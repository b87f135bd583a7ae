// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Results of replay as JSON, for programs. */

#include "json_out.h"
#include "misread.h"
#include "plan.h"
#include "replay_print.h"
#include "tunnels.h"

static json_object *json_reasons(const struct replay_stream *s)
{
	json_object *o = json_object_new_object();

#define X(name, help) ADD(#name, json_u64(s->reasons[DEDUP_REASON_##name]));
	DEDUP_REASONS(X)
#undef X
	return o;
}

json_object *replay_json_timeline(const struct timeline *t)
{
	json_object *o = json_object_new_object();

	ADD("first_ns", json_u64(t->first_ns));
	ADD("width_ns", json_u64(t->width_ns));
	ADD("packets", JSON_LIST(i, t->cnt, t->bins[i].packets));
	ADD("duplicates", JSON_LIST(i, t->cnt, t->bins[i].duplicates));
	return o;
}

json_object *replay_json_ages(const struct histogram *a)
{
	json_object *list = json_object_new_array();
	uint64_t below = 0;

	for (uint64_t ns = 1024; below < a->cnt; ns *= 2) {
		uint64_t to = ns - 1, cnt = histogram_within(a, to) - below;

		if (cnt) {
			json_object *pair = json_object_new_array();

			json_object_array_add(pair, json_u64(to < a->greatest ? to : a->greatest));
			json_object_array_add(pair, json_u64(cnt));
			json_object_array_add(list, pair);
		}
		below += cnt;
	}
	return list;
}

static json_object *json_ages(const struct histogram *a)
{
	json_object *o = json_object_new_object();

	ADD("median_ns", json_u64(histogram_part(a, 0.5)));
	ADD("p99_ns", json_u64(histogram_part(a, 0.99)));
	ADD("greatest_ns", json_u64(a->greatest));
	ADD("histogram", replay_json_ages(a));
	return o;
}

static json_object *json_count(const char *key, const char *name, uint64_t packets,
			       uint64_t duplicates)
{
	json_object *o = json_object_new_object();

	ADD(key, json_text(name));
	ADD("packets", json_u64(packets));
	ADD("duplicates", json_u64(duplicates));
	return o;
}

json_object *replay_json_sources(struct sources *s)
{
	struct source top[REPLAY_TOP];
	int cnt = sources_top(s, top, REPLAY_TOP);
	char name[SOURCE_TEXT_MAX];

	return JSON_LIST(i, cnt,
			 json_count("address", source_text(&top[i], name), top[i].packets,
				    top[i].duplicates));
}

static json_object *json_interfaces(const struct capture *c, const struct replay_stream *s)
{
	return JSON_LIST(i, capture_iface_cnt(c),
			 json_count("name", capture_iface_name(c, i), s->iface_packets[i],
				    s->iface_duplicates[i]));
}

static json_object *json_replayed_stream(const struct capture *c, const struct dedup_config *cfg,
					 const struct replay_result *r, uint32_t n)
{
	const struct replay_stream *s = &r->streams[n];
	json_object *o = json_object_new_object();

	ADD("name", json_text(cfg->policy.streams[n].name));
	ADD("tunnels", json_text(FORMAT_TUNNELS(&cfg->tunnels, cfg->policy.opens[n])));
	ADD("counters", json_reasons(s));
	ADD("bytes", json_u64(s->bytes));
	ADD("duplicate_bytes", json_u64(s->duplicate_bytes));
	ADD("ids", json_u64(s->ids));
	ADD("copies", json_u64(s->copies));
	ADD("most_copies", json_u64(s->most_copies));
	ADD("missed", json_u64(s->missed));
	ADD("false_drops", json_u64(s->dropped_first));
	ADD("misread", json_bool(misread_is(cfg, r, n)));
	ADD("ages", json_ages(&s->ages));
	ADD("timeline", replay_json_timeline(&s->timeline));
	ADD("sources", replay_json_sources(s->sources));
	ADD("interfaces", json_interfaces(c, s));
	return o;
}

json_object *replay_json(const char *path, const struct capture *c, const struct dedup_config *cfg,
			 const struct replay_result *r, bool complete)
{
	json_object *o = json_object_new_object();
	struct senders_view senders = replay_senders(c, cfg, r, UINT32_MAX);

	ADD("file", json_text(path));
	ADD("complete", json_bool(complete));
	ADD("packets", json_u64(r->packets));
	ADD("bytes", json_u64(r->bytes));
	ADD("outgoing", json_u64(r->outgoing));
	ADD("snapped", json_u64(r->snapped));
	ADD("foreign", json_u64(r->foreign));
	ADD("backwards", json_u64(r->backwards));
	ADD("first_ns", json_u64(r->first_ns));
	ADD("last_ns", json_u64(r->last_ns));
	ADD("window_ns", json_u64(cfg->memory.window_ns));
	ADD("capacity", json_u64(cfg->memory.capacity));
	ADD("fpr", json_double(plan_fpr(cfg)));
	ADD("early", json_u64(r->early));
	ADD("known_since_ns", json_u64(r->known_since_ns));
	ADD("other_order", json_text(!r->other.found   ? "none"
				     : r->other.little ? "little"
						       : "big"));
	ADD("other_found", json_u64(r->other.found));
	ADD("other_copies", json_u64(r->other.copies));
	ADD("streams", JSON_LIST(n, r->streams_cnt, json_replayed_stream(c, cfg, r, n)));
	ADD("senders", senders_json(&senders));
	return o;
}
