// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tunnels.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/if_ether.h>

#include "streams.h"
#include "text.h"
#include "units.h"

#define NAME_MAX_BYTES 16

/* A kind's name, and its usual UDP ports; 0: none. */
static const struct tunnel_name {
	const char *name;
	uint16_t ports[2];
} NAMES[DEDUP_TUNNELS_CNT] = {
#define X(name, port, other) [DEDUP_TUNNEL_##name] = { #name, { port, other } },
	DEDUP_TUNNELS(X)
#undef X
};

const char *tunnel_name(uint32_t kind)
{
	return NAMES[kind].name;
}

/* Adds a port to the kind. Returns what parse_tunnels() does. */
static int add_port(struct dedup_tunnels *t, uint32_t kind, uint16_t port)
{
	for (uint32_t i = 0; i < t->ports_cnt; i++)
		if (t->ports[i].port == port)
			return t->ports[i].kind == kind ? 0 : port;
	if (t->ports_cnt == DEDUP_TUNNEL_PORTS_MAX)
		return -E2BIG;
	t->ports[t->ports_cnt++] = (struct dedup_tunnel_port){ port, kind };
	return 0;
}

static bool has_ports(const struct dedup_tunnels *t, uint32_t kind)
{
	for (uint32_t i = 0; i < t->ports_cnt; i++)
		if (t->ports[i].kind == kind)
			return true;
	return false;
}

/* Gives kinds without ports their usual ones. */
static int add_usual_ports(struct dedup_tunnels *t)
{
	int err = 0;

	for (uint32_t kind = 0; kind < DEDUP_TUNNELS_CNT; kind++) {
		if (!(t->kinds >> kind & 1) || has_ports(t, kind))
			continue;
		for (int i = 0; i < 2 && NAMES[kind].ports[i] && !err; i++)
			err = add_port(t, kind, NAMES[kind].ports[i]);
	}
	return err;
}

/* Adds the kind of this name. Returns its number, DEDUP_TUNNELS_CNT for "all"; or -EINVAL. */
static int add_kind(struct dedup_tunnels *t, const char *name, size_t len)
{
	if (len == 3 && !memcmp(name, "all", 3)) {
		t->kinds = DEDUP_TUNNELS_ALL;
		return DEDUP_TUNNELS_CNT;
	}
	for (int kind = 0; kind < DEDUP_TUNNELS_CNT; kind++) {
		if (strlen(NAMES[kind].name) != len || memcmp(NAMES[kind].name, name, len))
			continue;
		t->kinds |= 1U << kind;
		return kind;
	}
	return -EINVAL;
}

/* Adds "8472", a text of `len` characters, as a port of the kind. */
static int parse_kind_port(struct dedup_tunnels *t, int kind, const char *text, size_t len)
{
	char word[NAME_MAX_BYTES];
	struct dedup_ports port[DEDUP_PORTS_MAX];
	uint32_t cnt;

	if (kind < 0 || kind >= DEDUP_TUNNELS_CNT || !NAMES[kind].ports[0] || len >= sizeof(word))
		return -EINVAL;
	memcpy(word, text, len);
	word[len] = 0;
	if (parse_ports(word, port, &cnt) || cnt != 1 || port->lo != port->hi)
		return -EINVAL;
	return add_port(t, kind, port->lo);
}

int parse_tunnels(const char *text, struct dedup_tunnels *out)
{
	struct dedup_tunnels t = { 0 };
	bool ports = false; /* a number is one more port of `kind` */
	int kind = -1, err = 0;

	if (!strcmp(text, "none")) {
		*out = t;
		return 0;
	}
	for (;; text++) {
		size_t len = strcspn(text, ","), name = strcspn(text, ",:");

		if (ports && *text >= '0' && *text <= '9') {
			err = parse_kind_port(&t, kind, text, len);
		} else {
			kind = add_kind(&t, text, name);
			ports = name < len;
			err = kind < 0 ? kind
			      : ports  ? parse_kind_port(&t, kind, text + name + 1, len - name - 1)
				       : 0;
		}
		if (err)
			return err;
		text += len;
		if (!*text)
			break;
	}
	err = add_usual_ports(&t);
	if (!err)
		*out = t;
	return err;
}

/* Returns whether the kind has its usual ports, and no others. */
static bool are_ports_usual(const struct dedup_tunnels *t, uint32_t kind)
{
	uint32_t usual = 0, all = 0, expected = !!NAMES[kind].ports[0] + !!NAMES[kind].ports[1];

	for (uint32_t i = 0; i < t->ports_cnt; i++) {
		if (t->ports[i].kind != kind)
			continue;
		all++;
		usual += t->ports[i].port == NAMES[kind].ports[0] ||
			 t->ports[i].port == NAMES[kind].ports[1];
	}
	return all == usual && usual == expected;
}

const char *format_tunnels(const struct dedup_tunnels *t, uint32_t kinds, char buf[TUNNELS_TEXT_MAX])
{
	bool all = kinds == DEDUP_TUNNELS_ALL;

	*buf = 0;
	if (!kinds || all)
		text_append(buf, TUNNELS_TEXT_MAX, "%s", all ? "all" : "none");
	for (uint32_t kind = 0; kind < DEDUP_TUNNELS_CNT; kind++) {
		char sign = ':';

		if (!(kinds >> kind & 1) || (all && are_ports_usual(t, kind)))
			continue;
		text_append(buf, TUNNELS_TEXT_MAX, "%s%s", *buf ? "," : "", NAMES[kind].name);
		for (uint32_t i = 0; i < t->ports_cnt && !are_ports_usual(t, kind); i++) {
			if (t->ports[i].kind != kind)
				continue;
			text_append(buf, TUNNELS_TEXT_MAX, "%c%u", sign, t->ports[i].port);
			sign = ',';
		}
	}
	return buf;
}

struct dedup_tunnels tunnels_choose(const struct dedup_tunnels *of, uint32_t kinds)
{
	struct dedup_tunnels out = { .kinds = of->kinds & kinds };

	for (uint32_t i = 0; i < of->ports_cnt; i++)
		if (out.kinds >> of->ports[i].kind & 1)
			out.ports[out.ports_cnt++] = of->ports[i];
	return out;
}

/* Returns the tunnels that the stream opens: by the option, or else by its profile. */
static const struct dedup_tunnels *tunnels_of(const struct filter_spec *spec, uint32_t n)
{
	return spec->given.tunnels ? &spec->tunnels : &spec->streams[n].tunnels;
}

uint32_t tunnels_kinds(const struct filter_spec *spec)
{
	uint32_t kinds = 0;

	for (uint32_t n = 0; n < spec->streams_cnt; n++)
		kinds |= tunnels_of(spec, n)->kinds;
	return kinds;
}

static bool is_outer(const struct dedup_load *load)
{
	return load->base == DEDUP_OUTER;
}

/* Returns whether the field may lie before a packet in a tunnel, in the tunnel's header. The
 * shortest packet of a stream is an Ethernet header.
 */
static bool is_far_from_end(const struct dedup_load *load)
{
	return load->base == DEDUP_END && -load->at - (int32_t)load->shift / 8 > ETH_HLEN;
}

static bool has_field(const struct spec_stream *s, bool (*is)(const struct dedup_load *load))
{
	bool has = s->numbered.count.bytes && is(&s->numbered.count);

	for (uint32_t i = 0; i < s->stream.loads_cnt; i++)
		has |= is(&s->stream.loads[i]);
	for (uint32_t i = 0; i < s->stream.gates_cnt; i++)
		has |= is(&s->stream.gates[i].load);
	return has;
}

/* Returns NULL if the stream's fields are possible with its tunnels; else a sentence. */
static const char *refuse_fields(const struct spec_stream *s, uint32_t kinds, char *says)
{
	if (!kinds && has_field(s, is_outer))
		snprintf(says, STREAMS_SAYS_MAX,
			 "%s reads the header of a tunnel (outer), and opens none: say which, as in --tunnels vxlan",
			 s->stream.name);
	else if (kinds & ~DEDUP_TUNNEL_BIT(vlan) && has_field(s, is_far_from_end))
		snprintf(says, STREAMS_SAYS_MAX,
			 "%s has a field that begins more than 14 bytes before the end, where a short packet in a tunnel has none: leave out the field or --tunnels",
			 s->stream.name);
	else
		return NULL;
	return says;
}

/* Puts the ports of all streams together. */
static int join_ports(const struct filter_spec *spec, struct dedup_tunnels *all)
{
	int err = 0;

	for (uint32_t n = 0; n < spec->streams_cnt && !err; n++) {
		const struct dedup_tunnels *t = tunnels_of(spec, n);

		all->kinds |= t->kinds;
		for (uint32_t i = 0; i < t->ports_cnt && !err; i++)
			err = add_port(all, t->ports[i].kind, t->ports[i].port);
	}
	return err;
}

const char *tunnels_refusal(const struct filter_spec *spec, char *says)
{
	struct dedup_tunnels all = { 0 };
	bool deliver = spec->deliver;
	int clash;

	for (uint32_t n = 0; n < spec->streams_cnt; n++) {
		deliver |= spec->streams[n].deliver;
		if (refuse_fields(&spec->streams[n], tunnels_of(spec, n)->kinds, says))
			return says;
	}
	clash = join_ports(spec, &all);
	if (clash > 0) {
		snprintf(says, STREAMS_SAYS_MAX, TUNNELS_CLASH, clash);
		return says;
	}
	if (clash)
		return "the tunnels of all streams have more than 8 UDP ports";
	if (spec->outer_to_cnt && !all.kinds)
		return "--outer-to is for filters that open tunnels: say which, as in --tunnels vxlan";
	if (deliver && all.kinds)
		return "--deliver xsk delivers datagrams, and not what is in tunnels: leave one of --deliver and --tunnels out";
	return NULL;
}

void tunnels_plan(struct dedup_config *c)
{
	const struct filter_spec *spec = &c->asked;
	struct dedup_policy *p = &c->policy;

	join_ports(spec, &c->tunnels);
	for (uint32_t n = 0; n < spec->streams_cnt; n++)
		p->opens[n] = tunnels_of(spec, n)->kinds;
	p->outer_to_first = p->to_cnt;
	p->outer_to_cnt = spec->outer_to_cnt;
	p->outer_to4_cnt = spec->outer_to4_cnt;
	memcpy(&p->to[p->to_cnt], spec->outer_to, p->outer_to_cnt * sizeof(*spec->outer_to));
	p->to_cnt += p->outer_to_cnt;
}

bool tunnels_sound(const struct dedup_tunnels *t)
{
	if (t->kinds & ~DEDUP_TUNNELS_ALL || t->ports_cnt > DEDUP_TUNNEL_PORTS_MAX)
		return false;
	for (uint32_t i = 0; i < t->ports_cnt; i++)
		if (t->ports[i].kind >= DEDUP_TUNNELS_CNT)
			return false;
	return true;
}
