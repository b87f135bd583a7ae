// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* status for programs. */
#include <arpa/inet.h>
#include <string.h>

#include "config_streams.h"
#include "json_out.h"
#include "plan.h"
#include "prefixes.h"
#include "profile.h"
#include "status_view.h"
#include "stream_numbers.h"
#include "tunnels.h"

json_object *iface_json(const struct status_iface *f)
{
	bool attached = f->state == IFACE_ATTACHED;
	json_object *o = json_object_new_object();

	ADD("name", json_text(f->name));
	ADD("state", json_text(iface_state_name(f->state)));
	ADD("mode", json_text(attached ? attach_mode_name(f->mode) : NULL));
	return o;
}

static json_object *json_ifaces(const struct status *s)
{
	json_object *list = json_object_new_array();

	for (int i = 0; i < s->ifaces_cnt; i++) {
		json_object *o = iface_json(&s->ifaces[i]);

		ADD("shared", json_bool(s->ifaces[i].shared));
		ADD("link_id",
		    s->ifaces[i].link_id ? json_object_new_int64(s->ifaces[i].link_id) : NULL);
		json_object_array_add(list, o);
	}
	return list;
}

static json_object *json_ports(const struct dedup_ports *ports, uint32_t cnt)
{
	json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < cnt; i++) {
		json_object *range = json_object_new_array();

		json_object_array_add(range, json_object_new_int(ports[i].lo));
		json_object_array_add(range, json_object_new_int(ports[i].hi));
		json_object_array_add(list, range);
	}
	return list;
}

/* Destinations, of which the first cnt4 are IPv4. */
static json_object *json_to(const struct dedup_prefix *to, uint32_t cnt4, uint32_t cnt)
{
	json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < cnt; i++)
		json_object_array_add(list, json_text(FORMAT_PREFIX(&to[i], i < cnt4)));
	return list;
}

static json_object *json_counters(const struct filter_counters *c)
{
	json_object *o = json_object_new_object();

#define X(name, help) ADD(#name, json_u64(c->name));
	DEDUP_COUNTERS(X)
#undef X
	return o;
}

/* What a numbered stream has. */
static json_object *json_sequence(const struct dedup_numbered *numbered)
{
	json_object *o = json_object_new_object();

	ADD("bits", json_u64(numbered->width));
	ADD("history", json_u64(dedup_history(&numbered->recovery)));
	ADD("reset_ns", json_u64(numbered->reset_ns));
	ADD("counts_messages", json_bool(numbered->count.bytes));
	return o;
}

/* Stream n: which packets are its, what their id is, and its counters. */
static json_object *json_stream(const struct status *s, uint32_t n)
{
	static const char *const DIGESTS[] = {
		[DEDUP_DIGEST_NONE] = "none",
		[DEDUP_DIGEST_PAYLOAD] = "payload",
		[DEDUP_DIGEST_PACKET] = "packet",
		[DEDUP_DIGEST_FRAME] = "frame",
	};
	const struct dedup_config *c = s->filter.config;
	const struct dedup_stream *st = &c->policy.streams[n];
	json_object *o = json_object_new_object();

	ADD("name", json_text(st->name));
	ADD("layer",
	    json_text(st->layer < PROFILE_LAYERS_CNT ? PROFILE_LAYERS[st->layer] : "unknown"));
	ADD("decoder", json_text(st->decoder == DEDUP_GSP ? "gsp" : "fields"));
	ADD("ethertype", json_object_new_int(ntohs(st->ethertype)));
	ADD("ports", json_ports(&c->policy.ports[st->ports_first], st->ports_cnt));
	ADD("to", json_to(&c->policy.to[st->to_first], st->to4_cnt, st->to_cnt));
	ADD("tunnels", json_text(FORMAT_TUNNELS(&c->tunnels, c->tunnels.stream[n])));
	ADD("forwarded", json_bool(st->forwarded));
	ADD("realm", json_object_new_int((int)st->realm));
	ADD("id_bytes", json_object_new_int((int)stream_fields_bytes(st)));
	ADD("digest", json_text(st->digest < 4 ? DIGESTS[st->digest] : "unknown"));
	ADD("sequence", c->numbered[n].width ? json_sequence(&c->numbered[n]) : NULL);
	ADD("deliver", json_text(c->policy.deliver >> n & 1 ? "xsk" : "stack"));
	ADD("counters", json_counters(&s->streams[n]));
	return o;
}

static json_object *json_streams(const struct status *s)
{
	json_object *list = json_object_new_array();

	for (uint32_t n = 0; n < s->filter.config->policy.streams_cnt; n++)
		json_object_array_add(list, json_stream(s, n));
	return list;
}

/* A list of one pair; an empty one if there is none. */
static json_object *json_pair(const struct receivers_pair *pair)
{
	json_object *list = json_object_new_array(), *o;

	if (*pair->upper) {
		o = json_object_new_object();
		ADD("upper", json_text(pair->upper));
		ADD("lower", json_text(pair->lower));
		json_object_array_add(list, o);
	}
	return list;
}

/* Which packets the filter looks at, and what is wrong with its interfaces. */
static void json_receiver(json_object *o, const struct status *s)
{
	const struct dedup_config *c = s->filter.config;
	json_object *stale = json_object_new_array();

	for (int i = 0; i < s->faults.stale_cnt; i++)
		json_object_array_add(stale, json_text(s->faults.stale[i]));
	ADD("forwarded", json_bool(c->policy.forwarded));
	ADD("to",
	    json_to(c->policy.to, c->policy.to4_cnt, c->policy.gsp_alone ? c->policy.to_cnt : 0));
	ADD("tunnels", json_text(FORMAT_TUNNELS(&c->tunnels, c->tunnels.kinds)));
	ADD("outer_to",
	    json_to(&c->policy.to[c->tunnels.to_first], c->tunnels.to4_cnt, c->tunnels.to_cnt));
	ADD("vlans", json_ports(c->policy.vlans, c->policy.vlans_cnt));
	ADD("macs_changed", stale);
	ADD("same_index", json_text(*s->same_index.here ? s->same_index.here : NULL));
	ADD("stacked", json_pair(&s->faults.stacked));
	ADD("merged", json_pair(&s->faults.merging));
}

/* With --for: the time, and how much is left, or how long ago it ended; else null. */
static void json_drop_time(json_object *o, const struct status *s)
{
	const struct dedup_config *c = s->filter.config;

	ADD("drop_for_ns", c->policy.drop_ns ? json_u64(c->policy.drop_ns) : NULL);
	ADD("drop_left_ns", c->policy.drop_ns ? json_u64(s->drop_left_ns) : NULL);
	ADD("counting_ns", s->counting_ns ? json_u64(s->counting_ns) : NULL);
}

/* One that listens, or has left something. */
static json_object *json_sampler(const struct sampling_process *sampler)
{
	json_object *o = json_object_new_object();

	ADD("process", json_u64(sampler->pid));
	ADD("listens", json_bool(sampler->listens));
	ADD("rate", sampler->listens ? json_u64(sampler->wish.rate) : NULL);
	ADD("snap_bytes", sampler->listens ? json_u64(sampler->wish.snap) : NULL);
	ADD("ring_bytes", json_u64(SAMPLING_RING_BYTES));
	return o;
}

/* Queues that have a socket, or had one, of a filter that delivers. */
static json_object *json_sockets(const struct status *s)
{
	json_object *list = json_object_new_array(), *o;
	char room[IF_NAMESIZE];

	for (int i = 0; i < s->sockets->cnt; i++) {
		const struct socket_seen *k = &s->sockets->list[i];
		const char *name = status_iface_name(s, k->queue.ifindex, room);

		o = json_object_new_object();
		ADD("interface", json_text(name));
		ADD("ifindex", json_u64(k->queue.ifindex));
		ADD("queue", json_u64(k->queue.queue));
		ADD("process", k->pid ? json_u64(k->pid) : NULL);
		ADD("reads", json_bool(k->is_read));
		ADD("zerocopy", json_bool(k->zerocopy));
		ADD("frames_taken", json_u64(k->frames_taken));
		ADD("frames_free", json_u64(k->frames_free));
		ADD("unreturned", json_u64(k->unreturned));
		json_object_array_add(list, o);
	}
	return list;
}

static json_object *json_senders(const struct status *s)
{
	struct senders_view v;
	json_object *list;

	status_read_senders(s, UINT32_MAX, &v);
	list = senders_json(&v);
	sender_list_free(&v.list);
	return list;
}

/* The filter's size and parameters. */
static void json_size(json_object *o, const struct status *s)
{
	const struct dedup_config *c = s->filter.config;
	struct layout_fact facts[LAYOUT_FACTS_MAX];
	int cnt = s->layout->facts(NULL, c, facts);

	ADD("sources", json_u64(c->sources.sources));
	ADD("source_bytes", json_u64(plan_source_bytes(c)));
	ADD("sources_used", json_u64(numbers_sources(&s->filter)));
	ADD("paths", json_u64(c->sources.paths));
	ADD("senders", json_senders(s));
	ADD("blocks", json_u64(c->memory.blocks));
	for (int i = 0; i < cnt; i++)
		ADD(facts[i].key, json_u64(facts[i].value));
}

/* What is in the filter's memory. */
static void json_fill(json_object *o, const struct status *s)
{
	const struct fill *f = &s->fill;
	json_object *list;

	if (s->layout->approx_count) {
		ADD("fill", json_double(f->current));
		ADD("cells_set", json_u64(f->set_current));
		ADD("approx_count", json_u64(s->approx_count));
		list = s->histogram ? json_object_new_array() : NULL;
		for (uint32_t i = 0; list && i <= s->filter.config->memory.places; i++)
			json_object_array_add(list, json_u64(s->histogram[i]));
		ADD("life_expectancy_histogram", list);
		return;
	}
	ADD("fill", json_double((f->current + f->previous) / 2));
	ADD("fill_current", json_double(f->current));
	ADD("fill_previous", json_double(f->previous));
	ADD("set_bits", json_u64(f->set_current));
	ADD("set_bits_previous", json_u64(f->set_previous));
	if (s->layout->has_occupancy) {
		ADD("occupancy", json_double(f->current));
		ADD("occupancy_previous", json_double(f->previous));
	}
}

static json_object *json_predecessor(const struct status *s)
{
	const struct status_predecessor *b = &s->predecessor;
	const struct dedup_config *c = s->filter.predecessor->config;
	json_object *o = json_object_new_object();

	ADD("layout", json_text(layout_of(c->memory.layout)->name));
	ADD("capacity", json_u64(c->memory.capacity));
	ADD("fpr", json_double(plan_fpr(c)));
	ADD("window_ns", json_u64(c->memory.window_ns));
	ADD("filter_bytes", json_u64(plan_bytes(c)));
	ADD("learns", json_bool(b->leads));
	ADD("asked", json_bool(b->asked));
	ADD("forgotten", json_bool(b->forgotten));
	ADD("left_ns", json_u64(b->left_ns));
	ADD("ids_estimate", json_double(b->fill.ids));
	ADD("fpr_estimate", json_double(b->fill.fpr));
	return o;
}

json_object *advice_json(const struct advice *advice, int cnt)
{
	json_object *list = json_object_new_array();

	for (int i = 0; i < cnt; i++) {
		json_object *o = json_object_new_object();

		ADD("key", json_text(advice[i].key));
		ADD("text", json_text(advice[i].text));
		json_object_array_add(list, o);
	}
	return list;
}

json_object *status_json(const struct status *s)
{
	const struct dedup_config *c = s->filter.config;
	json_object *o = json_object_new_object();
	struct advice list[ADVICE_MAX];
	int cnt = status_advice(s, NULL, list);

	ADD("name", json_text(s->filter.name));
	ADD("interfaces", json_ifaces(s));
	ADD("mode", json_text(s->mode));
	ADD("ports", json_ports(c->policy.ports, c->policy.ports_cnt));
	ADD("streams", json_streams(s));
	ADD("action", json_text(status_drops(s) ? "drop" : "count"));
	json_drop_time(o, s);
	ADD("learn", json_text(c->policy.learn_app ? "app" : "kernel"));
	ADD("ihave", json_text(c->policy.ihave_pass ? "pass" : "drop"));
	ADD("layout", json_text(s->layout->name));
	ADD("hash", json_text(hash_name(c->memory.hash)));
	ADD("sampler", s->sampler.listens || s->sampler.has_left ? json_sampler(&s->sampler) : NULL);
	ADD("sockets", s->sockets ? json_sockets(s) : NULL);
	ADD("delivery_bytes", json_u64(plan_delivery_bytes(c)));
	json_receiver(o, s);
	json_size(o, s);
	ADD("capacity", json_u64(c->memory.capacity));
	ADD("fpr", json_double(plan_fpr(c)));
	ADD("window_ns", json_u64(c->memory.window_ns));
	ADD("filter_bytes", json_u64(plan_bytes(c)));
	ADD("stopped", json_bool(s->stopped));
	ADD("hand_position", json_double(s->hand));
	ADD("hand_turns", json_u64(s->turns));
	ADD("oldest_id_ns", json_u64(s->oldest_ns));
	ADD("late_max_ns", json_u64(READ_ONCE(s->filter.state->late_max_ns)));
	json_fill(o, s);
	ADD("fill_sampled", json_bool(s->fill.read_part < 1));
	ADD("fill_read_part", json_double(s->fill.read_part));
	ADD("ids_estimate", json_double(s->fill.ids));
	ADD("ids_estimate_error", json_double(s->fill.ids_error));
	ADD("fpr_estimate", json_double(s->fpr));
	ADD("predecessor", s->filter.predecessor ? json_predecessor(s) : NULL);
	ADD("format", json_u64(c->format));
	ADD("exchanging", json_bool(s->exchanging));
	ADD("advice", advice_json(list, cnt));
	ADD("bytes_kept_away", json_u64(s->counters.dropped_bytes));
	ADD("counters", json_counters(&s->counters));
	return o;
}
