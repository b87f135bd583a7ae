// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* status as JSON, for programs. */
#include <arpa/inet.h>
#include <string.h>

#include "config_streams.h"
#include "facts.h"
#include "json_out.h"
#include "plan.h"
#include "prefixes.h"
#include "profile.h"
#include "status_view.h"
#include "stream_numbers.h"
#include "tunnels.h"

json_object *iface_json(const struct status_iface *f)
{
	return JSON_OBJECT(IFACE_FACTS(ADD_FACT));
}

static json_object *json_iface(const struct status_iface *f)
{
	json_object *o = iface_json(f);

	IFACE_LINK_FACTS(ADD_FACT)
	return o;
}

static json_object *json_range(const struct dedup_ports *range)
{
	return JSON_LIST(i, 2, i ? range->hi : range->lo);
}

static json_object *json_ports(const struct dedup_ports *ports, uint32_t cnt)
{
	return JSON_LIST(i, cnt, json_range(&ports[i]));
}

/* Makes a list of destinations, of which the first cnt4 are IPv4. */
static json_object *json_to(const struct dedup_prefix *to, uint32_t cnt4, uint32_t cnt)
{
	return JSON_LIST(i, cnt, FORMAT_PREFIX(&to[i], i < cnt4));
}

static json_object *json_counters(const struct filter_counters *c)
{
	json_object *o = json_object_new_object();

#define X(name, help) ADD(#name, json_u64(c->name));
	DEDUP_COUNTERS(X)
#undef X
	return o;
}

static json_object *json_sequence(const struct dedup_numbered *numbered)
{
	return numbered->width ? JSON_OBJECT(SEQUENCE_FACTS(ADD_FACT)) : NULL;
}

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

	return JSON_OBJECT(STREAM_FACTS(ADD_FACT));
}

/* Makes a list with the pair, or an empty list if there is none. */
static json_object *json_pair(const struct receivers_pair *pair)
{
	return JSON_LIST(i, *pair->upper != '\0', JSON_OBJECT(PAIR_FACTS(ADD_FACT)));
}

static json_object *json_sampler(const struct sampling_process *p)
{
	return p->listens || p->has_left ? JSON_OBJECT(SAMPLER_FACTS(ADD_FACT)) : NULL;
}

static json_object *json_socket(const struct status *s, const struct socket_seen *k)
{
	char buf[IF_NAMESIZE];
	const char *name = status_iface_name(s, k->queue.ifindex, buf);

	return JSON_OBJECT(SOCKET_FACTS(ADD_FACT, ADD_GAUGE));
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

void add_layout_facts(json_object *o, const struct filter_spec *spec, const struct dedup_config *c)
{
	struct layout_fact facts[LAYOUT_FACTS_MAX];
	int cnt = layout_of(c->memory.layout)->facts(spec, c, facts);

	for (int i = 0; i < cnt; i++)
		ADD(facts[i].key, json_u64(facts[i].value));
}

static json_object *json_predecessor(const struct status *s)
{
	const struct status_predecessor *b = &s->predecessor;
	const struct dedup_config *c = s->filter.predecessor ? s->filter.predecessor->config : NULL;

	return c ? JSON_OBJECT(PREDECESSOR_FACTS(ADD_FACT, ADD_GAUGE)) : NULL;
}

static json_object *json_one_advice(const struct advice *a)
{
	return JSON_OBJECT(ADVICE_FACTS(ADD_FACT));
}

json_object *advice_json(const struct advice *advice, int cnt)
{
	return JSON_LIST(i, cnt, json_one_advice(&advice[i]));
}

static json_object *json_losses(const struct status_behind *b)
{
	return JSON_OBJECT(LOSS_FACTS(ADD_FACT));
}

static json_object *json_receiver(const struct stack_socket *k)
{
	return JSON_OBJECT(RECEIVER_FACTS(ADD_FACT));
}

json_object *behind_json(const struct status_behind *b)
{
	return JSON_OBJECT(BEHIND_FACTS(ADD_FACT));
}

json_object *status_json(const struct status *s)
{
	const struct dedup_config *c = s->filter.config;
	json_object *o = json_object_new_object();
	struct advice advice[ADVICE_MAX];
	int advice_cnt = status_advice(s, NULL, advice);

	STATUS_PACKETS(ADD_FACT)
	add_layout_facts(o, NULL, c);
	STATUS_MEMORY(ADD_FACT, ADD_GAUGE, NO_FACT)
	if (s->layout->has_generations) {
		STATUS_FILL_GENERATIONS(ADD_FACT)
	} else {
		STATUS_FILL_COUNTDOWN(ADD_FACT)
	}
	if (s->layout->has_occupancy) {
		STATUS_FILL_FLAT(ADD_FACT)
	}
	STATUS_ESTIMATES(ADD_FACT, ADD_GAUGE)
	return o;
}
