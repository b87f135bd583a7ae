// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Random filters of random profiles, given random frames, beside a plain model of what profiles
 * mean: the same verdict, the same counter of the same stream, the same ids for applications. SEED
 * and FILTERS in the environment try others, or more.
 */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ids.h"
#include "protocol_packets.h"
#include "stream_ids.h"
#include "stream_model.h"
#include "stream_runner.h"
#include "want.h"

#define FILTERS 32
#define FRAMES 400 /* for each filter */
#define POOL 24
#define TEXT_MAX 16384
#define FRAME_LEAST 14
#define LINEAR_MAX 3000 /* bytes that a page has for a first buffer, and less */
#define LONGEST 9000

/* One filter, and the model beside it. */
struct run {
	uint64_t seed;
	struct stream_model model;
	char text[TEXT_MAX]; /* its profiles, for messages, too */
	struct filter_spec spec;
	bool plain; /* its ids are one unmasked segment, as hashes without a key need it */
	struct frame pool[POOL]; /* frames of late */
	uint32_t pool_cnt;
	struct frame frame;
	struct model_answer answer;
	uint64_t ignored;
	struct filter_counters seen[MODEL_STREAMS_MAX];
	uint64_t reasons[DEDUP_REASONS_CNT]; /* how often each came, in all filters */
	uint64_t in_buffers;		     /* duplicates that came in several */
};

static uint32_t any(struct run *r, uint32_t below)
{
	return random_next(&r->seed) % below;
}

static bool one_in(struct run *r, uint32_t n)
{
	return !any(r, n);
}

__attribute__((format(printf, 2, 3))) static void say(struct run *r, const char *format, ...)
{
	size_t len = strlen(r->text);
	va_list args;

	va_start(args, format);
	assert_true(vsnprintf(r->text + len, sizeof(r->text) - len, format, args) <
		    (int)(sizeof(r->text) - len));
	va_end(args);
}

static void say_hex(struct run *r, const uint8_t *bytes, uint32_t cnt)
{
	say(r, "0x");
	for (uint32_t i = 0; i < cnt; i++)
		say(r, "%02x", bytes[i]);
}

static const char *const BASES[] = { "frame", "tag", "ip", "payload", "end" };

static void say_segment(struct run *r, const struct model_segment *g, bool masked)
{
	say(r, "%s%c%d:%u", BASES[g->base], g->base == MODEL_END ? '-' : '+', abs(g->offset),
	    g->bytes);
	if (!masked)
		return;
	say(r, "/");
	say_hex(r, g->mask, g->bytes);
}

/* A base that the layer has. */
static enum model_base any_base(struct run *r, enum model_layer layer)
{
	static const enum model_base MOST[] = { MODEL_PAYLOAD, MODEL_NETWORK, MODEL_TAG };
	static const uint32_t HAS[] = { MODEL_BASES, MODEL_BASES - 1, MODEL_BASES - 2 };
	enum model_base base;

	if (!one_in(r, 3))
		return MOST[layer];
	do
		base = any(r, MODEL_BASES);
	while ((base == MODEL_PAYLOAD && HAS[layer] < MODEL_BASES) ||
	       (base == MODEL_NETWORK && HAS[layer] < MODEL_BASES - 1));
	return base;
}

static int32_t any_offset(struct run *r, enum model_base base, uint32_t bytes)
{
	uint32_t below = one_in(r, 12) ? LONGEST : one_in(r, 3) ? 70 : 24;

	if (base == MODEL_FRAME && one_in(r, 2))
		return any(r, 9);
	if (base == MODEL_END)
		return -(int32_t)(bytes + any(r, below));
	return any(r, below);
}

static struct model_segment any_segment(struct run *r, enum model_layer layer, uint32_t max,
					bool *masked)
{
	struct model_segment g = { .base = any_base(r, layer), .bytes = 1 + any(r, max) };
	uint32_t kind = any(r, 4);

	*masked = kind < 2 && !r->plain;
	g.offset = any_offset(r, g.base, g.bytes);
	memset(g.mask, 0xff, sizeof(g.mask));
	for (uint32_t i = 0; *masked && i < g.bytes; i++)
		g.mask[i] = kind == 0 ? any(r, 256) : 0xffU << any(r, 9);
	g.mask[any(r, g.bytes)] |= 1 << any(r, 8); /* something is left */
	return g;
}

/* Mostly of one bit, so that either answer comes often. */
static void add_gate(struct run *r, struct model_stream *s)
{
	struct model_gate *g = &s->gates[s->gates_cnt++];
	bool masked, one_bit = !one_in(r, 3);

	g->at = any_segment(r, s->layer, one_bit ? 1 : 8, &masked);
	g->exempt = one_in(r, 2);
	g->equal = one_in(r, 2);
	if (one_bit) {
		masked = true;
		memset(g->at.mask, 1 << any(r, 8), 1);
	}
	/* Long ones are rarely equal to anything. */
	if (g->at.bytes > 1)
		g->equal = g->exempt;
	for (uint32_t i = 0; i < g->at.bytes; i++)
		g->value[i] = one_in(r, 4) ? 0 : any(r, 256) & g->at.mask[i];
	say(r, "%s = ", g->exempt ? "exempt" : "require");
	say_segment(r, &g->at, masked);
	say(r, " %s ", g->equal ? "==" : "!=");
	say_hex(r, g->value, g->at.bytes);
	say(r, "\n");
}

static uint32_t words_of(const struct model_stream *s)
{
	uint32_t words = s->digest != MODEL_NO_DIGEST;

	if (s->gsp)
		return 4;
	for (uint32_t i = 0; i < s->segments_cnt; i++)
		words += (s->segments[i].bytes + 7) / 8;
	return words;
}

static void add_digest(struct run *r, struct model_stream *s)
{
	const char *name = s->layer == MODEL_UDP ? "payload" : "packet";

	s->digest = s->layer == MODEL_UDP ? MODEL_DIGEST_PAYLOAD : MODEL_DIGEST_PACKET;
	if (one_in(r, 3))
		s->digest_max =
			(s->layer == MODEL_UDP ? 1 : 60) + any(r, one_in(r, 3) ? LONGEST : 100);
	if (s->digest_max)
		say(r, "id = %s:%u\n", name, s->digest_max);
	else
		say(r, "id = %s\n", name);
}

static void add_id(struct run *r, struct model_stream *s)
{
	uint32_t bytes = 0, most = r->plain ? 1 : one_in(r, 3) ? 4 : 1 + one_in(r, 2);
	bool masked;

	if (s->layer != MODEL_ETHERNET && one_in(r, 3) && !r->plain)
		add_digest(r, s);
	if (s->digest && one_in(r, 2))
		return;
	for (uint32_t i = 0; i < most; i++) {
		struct model_segment g = any_segment(r, s->layer, one_in(r, 4) ? 64 : 12, &masked);

		if (bytes + g.bytes > 64 || words_of(s) + (g.bytes + 7) / 8 > 8)
			break;
		bytes += g.bytes;
		s->segments[s->segments_cnt++] = g;
		say(r, "id = ");
		say_segment(r, &g, masked);
		say(r, "\n");
	}
}

static void any_profile(struct run *r, struct model_stream *s)
{
	static const char *const LAYERS[] = { "udp", "ip", "ethernet" };
	static const uint16_t TYPES[] = { 0xf1c1, 0x892f, 0x0800, 0x86dd, 0x88b8 };
	static const enum model_layer MOST[] = { MODEL_UDP, MODEL_UDP, MODEL_IP, MODEL_ETHERNET };
	uint32_t gates = one_in(r, 2) ? 0 : one_in(r, 6) ? any(r, MODEL_GATES_MAX + 1) : any(r, 3);

	s->layer = MOST[any(r, ARRAY_SIZE(MOST))];
	say(r, "layer = %s\n", LAYERS[s->layer]);
	if (s->layer == MODEL_ETHERNET && one_in(r, 2)) {
		s->ethertype = TYPES[any(r, ARRAY_SIZE(TYPES))];
		say(r, "ethertype = 0x%04x\n", s->ethertype);
	}
	if (one_in(r, 3)) {
		s->forwarded = true;
		say(r, "forwarded = yes\n");
	}
	for (uint32_t i = 0; i < gates; i++)
		add_gate(r, s);
	add_id(r, s);
}

/* "8001,8003-8004" for --profile. */
static void any_ports(struct run *r, struct model_stream *s, char *text, size_t size)
{
	uint16_t port = GOSSIP_PORT;

	*text = 0;
	s->ports_cnt = 1 + any(r, MODEL_PORTS_MAX);
	for (uint32_t i = 0; i < s->ports_cnt; i++) {
		size_t len = strlen(text);

		s->ports[i][0] = port + (i ? 1 + any(r, 2) : one_in(r, 4));
		s->ports[i][1] = port = s->ports[i][0] + any(r, 2);
		port++;
		snprintf(text + len, size - len, "%s%u-%u", i ? "," : "", s->ports[i][0],
			 s->ports[i][1]);
	}
}

/* Around the addresses that frames have: 10.10.10.10 or 233.252.0.1, and of IPv6. */
static void any_to(struct run *r, struct model_stream *s, char *text, size_t size)
{
	static const struct {
		const char *text;
		struct model_prefix prefix;
	} SOME[] = {
		{ "233.252.0.1", { false, { 233, 252, 0, 1 }, 32 } },
		{ "233.252.0.2/31", { false, { 233, 252, 0, 2 }, 31 } },
		{ "10.0.0.0/8", { false, { 10 }, 8 } },
		{ "0.0.0.0/0", { false, { 0 }, 0 } },
		{ "fe00::/7", { true, { 0xfe }, 7 } },
		{ "ff05::1", { true, { 0xff, 5, [15] = 1 }, 128 } },
		{ "ff05::/127", { true, { 0xff, 5 }, 127 } },
	};
	uint32_t from = 0;

	*text = 0;
	while (s->to_cnt < MODEL_TO_MAX && from < ARRAY_SIZE(SOME)) {
		size_t len = strlen(text);

		from += any(r, 4);
		if (from >= ARRAY_SIZE(SOME))
			break;
		snprintf(text + len, size - len, "%s%s", s->to_cnt ? "," : "", SOME[from].text);
		s->to[s->to_cnt++] = SOME[from++].prefix;
	}
}

/* In the realm of an earlier one now and then, if its ids have as many words. */
static void any_realm(struct run *r, uint32_t n)
{
	struct model_stream *s = &r->model.streams[n];
	uint32_t with = any(r, n + 1);

	s->realm = n;
	if (words_of(&r->model.streams[with]) == words_of(s))
		s->realm = r->model.streams[with].realm;
}

static void add_stream(struct run *r)
{
	uint32_t n = r->model.streams_cnt++;
	struct model_stream *s = &r->model.streams[n];
	char name[16], ports[64] = "", to[96] = "";
	struct stream_wish wish = { .profile = name, .name = name };
	struct profiles all = { 0 };
	struct profile_error err = { 0 };
	const char *text = r->text + strlen(r->text);

	snprintf(name, sizeof(name), "p%u", n);
	s->gsp = one_in(r, 6) && !r->plain;
	say(r, "[profile %s]\n", name);
	if (s->gsp)
		say(r, "layer = udp\ndecoder = gsp\n");
	else
		any_profile(r, s);
	if (profiles_parse(&all, text, strlen(text), true, &err))
		fail_msg("%s%u:%u: %s", text, err.line, err.column, err.says);
	any_realm(r, n);
	if (s->layer == MODEL_UDP)
		any_ports(r, s, ports, sizeof(ports));
	if (s->layer != MODEL_ETHERNET && one_in(r, 3))
		any_to(r, s, to, sizeof(to));
	wish.ports = *ports ? ports : NULL;
	wish.to = *to ? to : NULL;
	wish.realm = s->realm;
	stream_add(&r->spec, &all, &wish);
	say(r, "; ports %s to %s realm %u\n", ports, to, s->realm);
	profiles_free(&all);
}

static void start(struct run *r)
{
	static const enum dedup_layout LAYOUTS[] = { DEDUP_BLOCKED, DEDUP_BLOCKED, DEDUP_FLAT,
						     DEDUP_COUNTDOWN };
	static const enum dedup_hash_scheme KEYLESS[] = { DEDUP_COLIBRI, DEDUP_FIPS, DEDUP_FNV1A };
	uint32_t streams = one_in(r, 3) ? 1 : 1 + any(r, one_in(r, 3) ? MODEL_STREAMS_MAX : 5);

	r->plain = one_in(r, 8);
	r->text[0] = 0;
	r->pool_cnt = 0;
	r->model = (struct stream_model){ 0 };
	r->spec = (struct filter_spec){
		.capacity = 10000,
		.fpr = 1e-12,
		.layout = LAYOUTS[any(r, ARRAY_SIZE(LAYOUTS))],
		.hash = one_in(r, 3) ? DEDUP_SIPHASH : DEDUP_FAST,
		.count_only = one_in(r, 8),
		.learn_app = one_in(r, 8),
	};
	if (r->plain) {
		streams = 1;
		r->spec.layout = DEDUP_FLAT;
		r->spec.hash = KEYLESS[any(r, ARRAY_SIZE(KEYLESS))];
		r->spec.fpr = 0.01; /* that m and k keep with enough ids */
		r->spec.bits = 1 << 24;
		r->spec.hashes = 9;
	}
	while (r->model.streams_cnt < streams)
		add_stream(r);
	/* A filter of GSP/1 alone has no streams. */
	if (streams == 1 && r->model.streams[0].gsp)
		add_stream(r);
	stream_load(&r->spec);
	if (one_in(r, 3)) { /* the host's MAC is another device's, on top of the interface */
		struct dedup_state *st = fixture.filter.state;

		st->macs[st->macs_cnt++] = st->own_mac;
		st->own_mac = DEDUP_MAC_NONE;
	}
	memset(r->seen, 0, sizeof(r->seen));
	r->ignored = 0;
}

static void any_around(struct run *r, struct protocol_packet *p)
{
	uint32_t tags = one_in(r, 3) ? any(r, TAGS_MAX + 1) : 0;

	for (uint32_t i = 0; i < tags; i++) {
		p->tags[i] = one_in(r, 2) ? 0x8100 : 0x88a8;
		p->tci[i] = any(r, 3);
	}
	p->from_mac = any(r, 2);
	p->ethertype = one_in(r, 4) ? 0x88fb : 0;
	p->padding = one_in(r, 3) ? any(r, 30) : 0;
	p->pads_with = any(r, 2);
	p->ipv6 = one_in(r, 3);
	p->tos = any(r, 3);
	p->ttl = any(r, 3);
	p->ip_id = any(r, 2);
	p->option_words = one_in(r, 4) ? any(r, 11) : 0;
	p->from = any(r, 2);
	p->port = one_in(r, 3) ? GOSSIP_PORT + any(r, 9) : GOSSIP_PORT;
	if (one_in(r, 16))
		p->fragment = any(r, 3) << 13 | any(r, 2);
	if (one_in(r, 16))
		p->sum_off = 1;
	if (one_in(r, 6))
		memcpy(p->to_mac, &(uint8_t[]){ any(r, 2), 2, 3, 4, 5, 6 }, 6);
	if (one_in(r, 2) && p->ipv6)
		memcpy(p->to, (uint8_t[]){ 0xff, 5, [15] = any(r, 3) }, 16);
	else if (one_in(r, 2))
		memcpy(p->to, (uint8_t[]){ 233, 252, 0, any(r, 4) }, 4);
}

static void any_gsp(struct run *r, struct frame *f)
{
	static const uint8_t EXTENSIONS[] = { 0, 43, 60, 51, 44, 59 };
	struct frame_plan plan = {
		.ipv6 = one_in(r, 2),
		.extensions_cnt = one_in(r, 2) ? any(r, EXTENSIONS_MAX + 1) : 0,
		.extension_len = any(r, 3),
		.type = 1 + any(r, one_in(r, 9) ? 4 : 3),
		.body = any(r, 20),
		.padding = any(r, 20),
	};
	struct id ids[3] = { 0 };

	for (int i = 0; i < EXTENSIONS_MAX; i++)
		plan.extensions[i] = EXTENSIONS[one_in(r, 9) ? any(r, 6) : any(r, 4)];
	plan.count = plan.type == GSP_EVENT && !one_in(r, 9) ? 1 : 1 + any(r, 3);
	for (int i = 0; i < 3; i++)
		ids[i].bytes[31 * any(r, 2)] = any(r, 4);
	frame_build(f, &plan, ids);
}

/* Few values, so that ids come again in other packets. */
static void any_frame(struct run *r, struct frame *f)
{
	struct protocol_packet p = { .protocol = DATAGRAM + any(r, OTHER_FRAME - DATAGRAM + 1) };

	if (one_in(r, 5))
		return any_gsp(r, f);
	if (one_in(r, 3))
		p.protocol = DATAGRAM;
	any_around(r, &p);
	p.body = one_in(r, 10) ? any(r, LONGEST - 200) : one_in(r, 3) ? any(r, 400) : any(r, 40);
	if (p.protocol == DISCV4)
		p.body %= 50;
	p.fill = any(r, 2);
	p.zeros = any(r, 4);
	if (one_in(r, 4))
		p.body = any(r, 2) * 8;
	p.variant = one_in(r, 2) ? 0x96 : any(r, 256);
	p.index = p.sequence = any(r, 3);
	p.count = any(r, 3);
	p.path = any(r, 2) + 10;
	p.behind = one_in(r, 8);
	if (p.protocol == MOLDUDP64)
		p.body %= 2000;
	if (p.protocol == OTHER_FRAME)
		p.ethertype = one_in(r, 2) ? 0x88b8 : one_in(r, 2) ? 0x0800 : 0x86dd;
	protocol_frame(f, &p);
}

/* In an IP header: version, lengths, what changes on the way. */
static void change_ip(struct run *r, struct frame *f)
{
	uint8_t *ip = f->data + f->ip;

	switch (f->ip ? any(r, 6) : 6) {
	case 0:
		ip[0] = (one_in(r, 2) ? 0x40 : 0x60) | any(r, 16);
		break;
	case 1:
		ip[2 + 2 * any(r, 2)] = 0;
		ip[3 + 2 * any(r, 2)] = any(r, 3) * 20;
		break;
	case 2: /* in IPv6, a jumbogram */
		ip[4] = ip[5] = ip[6] = 0;
		break;
	default:
		ip[1] ^= any(r, 2);
		ip[7 + any(r, 2)] ^= any(r, 16);
	}
}

/* Not much, somewhere. */
static void change(struct run *r, struct frame *f)
{
	uint32_t at = one_in(r, 2) ? any(r, f->len) : any(r, f->len < 90 ? f->len : 90);

	switch (any(r, 8)) {
	case 0 ... 2:
		f->data[at] ^= 1 << any(r, 8);
		break;
	case 3:
		f->data[at] = any(r, 256);
		break;
	case 4:
		f->len = FRAME_LEAST + any(r, f->len - FRAME_LEAST + 1);
		break;
	case 5:
		if (f->len < LONGEST)
			memset(f->data + f->len, 0, 8);
		f->len += f->len < LONGEST ? 1 + any(r, 8) : 0;
		break;
	case 6:
		if (f->len < LONGEST) {
			memmove(f->data + 16, f->data + 12, f->len - 12);
			memcpy(f->data + 12, (uint8_t[]){ 0x81, 0, 0, any(r, 3) }, 4);
			f->len += 4;
			f->ip += f->ip ? 4 : 0;
		}
		break;
	default:
		change_ip(r, f);
	}
	if (f->ip && !one_in(r, 4) && f->data[f->ip] >> 4 == 4)
		ipv4_sum(f);
}

static void next_frame(struct run *r)
{
	if (r->pool_cnt && !one_in(r, 3)) {
		r->frame = r->pool[any(r, r->pool_cnt)];
		for (uint32_t i = any(r, 3); i; i--)
			change(r, &r->frame);
	} else {
		any_frame(r, &r->frame);
		if (one_in(r, 6))
			change(r, &r->frame);
	}
	r->pool[r->pool_cnt < POOL ? r->pool_cnt++ : any(r, POOL)] = r->frame;
}

static void complain(const struct run *r, uint64_t began, uint32_t n, const char *what,
		     long long got, long long wanted)
{
	print_error("SEED=%llu FILTERS=1, frame %u: %s %lld, wanted %lld\n",
		    (unsigned long long)began, n, what, got, wanted);
	print_error("%s; layout %u hash %u%s%s\n", r->text, r->spec.layout, r->spec.hash,
		    r->spec.learn_app ? " app" : "", r->spec.count_only ? " count" : "");
	print_error("frame of %u bytes, first buffer %u, wanted stream %u reason %u:\n",
		    r->frame.len, fixture.linear, r->answer.stream, r->answer.reason);
	for (uint32_t i = 0; i < r->frame.len && i < 256; i++)
		print_error("%02x%s", r->frame.data[i], i % 16 == 15 ? "\n" : " ");
	print_error("\n");
	fail();
}

/* No counter has moved but this reason's in this stream, and the bytes with it. */
static void check_counters(struct run *r, uint64_t began, uint32_t n)
{
	bool is_duplicate = fixture_verdict(r->answer.reason) == XDP_DROP;

	for (uint32_t i = 0; i < r->model.streams_cnt; i++) {
		struct filter_counters now = { 0 }, *seen = &r->seen[i];
		const __u64 *got = (const __u64 *)&now;

		assert_int_equal(filter_stream_counters(&fixture.filter, i, &now), 0);
		if (i == r->answer.stream && r->answer.reason != DEDUP_REASON_ignored) {
			((__u64 *)seen)[r->answer.reason]++;
			seen->duplicate_bytes += is_duplicate ? r->answer.bytes : 0;
		}
		for (uint32_t j = 0; j < DEDUP_REASONS_CNT; j++) {
			char what[48];

			snprintf(what, sizeof(what), "stream %u, reason %u counted", i, j);
			if (got[j] != ((const __u64 *)seen)[j])
				complain(r, began, n, what, got[j], ((const __u64 *)seen)[j]);
		}
		if (now.duplicate_bytes != seen->duplicate_bytes)
			complain(r, began, n, "bytes of duplicates", now.duplicate_bytes,
				 seen->duplicate_bytes);
	}
	r->ignored += r->answer.reason == DEDUP_REASON_ignored; /* is of no stream */
	fixture_count();
	if (fixture.seen.ignored != r->ignored)
		complain(r, began, n, "ignored", fixture.seen.ignored, r->ignored);
}

/* An application knows of the id what the filter knows. Now and then it adds it, or wants it. */
static void ask_as_application(struct run *r, uint64_t began, uint32_t n)
{
	uint8_t id[DEDUP_ID_BYTES_MAX];
	char name[16];
	int known = stream_model_knows(&r->model, &r->answer.id), got;

	snprintf(name, sizeof(name), "p%u", r->answer.stream);
	assert_int_equal(stream_select(&fixture.filter, name), 0);
	assert_int_equal(stream_make_id(&fixture.filter, r->answer.input, r->answer.input_len, id),
			 0);
	got = ids_test(&fixture.filter, id);
	if (got != known)
		complain(r, began, n, "known to an application:", got, known);
	if (one_in(r, 5)) {
		assert_int_equal(want_id(&fixture.filter, id), known);
		if (known)
			stream_model_want(&r->model, &r->answer.id);
	}
	if (!one_in(r, 4))
		return;
	assert_int_equal(ids_add(&fixture.filter, id), known);
	stream_model_learn(&r->model, &r->answer.id);
}

static void judge(struct run *r)
{
	struct model_frame f = { .bytes = r->frame.data, .len = r->frame.len, .host = FRAME_MAC };

	f.first = fixture.linear ?: f.len;
	stream_model_judge(&r->model, &f, &r->answer);
}

static void try_frame(struct run *r, uint64_t began, uint32_t n)
{
	int verdict, got;

	next_frame(r);
	fixture.linear = 0;
	if (r->frame.len > LINEAR_MAX || one_in(r, 4))
		fixture.linear = FRAME_LEAST +
				 any(r, (r->frame.len < LINEAR_MAX ? r->frame.len : LINEAR_MAX) -
						FRAME_LEAST + 1);
	judge(r);
	if (r->answer.has_id && one_in(r, 6)) {
		ask_as_application(r, began, n);
		judge(r);
	}
	verdict = r->spec.count_only ? XDP_PASS : fixture_verdict(r->answer.reason);
	got = fixture_run(&r->frame);
	if (got != verdict)
		complain(r, began, n, "verdict", got, verdict);
	check_counters(r, began, n);
	r->reasons[r->answer.reason]++;
	r->in_buffers += r->answer.reason == DEDUP_REASON_duplicate && fixture.linear &&
			 fixture.linear < r->frame.len;
	if (r->answer.reason == DEDUP_REASON_wanted)
		stream_model_take(&r->model, &r->answer.id);
	if (r->answer.has_id && !r->spec.learn_app)
		stream_model_learn(&r->model, &r->answer.id);
	if (r->answer.has_id && one_in(r, 6))
		ask_as_application(r, began, n);
}

static uint64_t number_of(const char *name, uint64_t other)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : other;
}

/* The reasons that random frames must have come to, for the rest to mean something. */
static void check_reasons(const struct run *r)
{
	static const enum dedup_reason MUST[] = {
		DEDUP_REASON_ignored,	DEDUP_REASON_fragment,	DEDUP_REASON_truncated,
		DEDUP_REASON_bad_ip,	DEDUP_REASON_bad_udp,	DEDUP_REASON_bad_length,
		DEDUP_REASON_exempt,	DEDUP_REASON_no_id,	DEDUP_REASON_new,
		DEDUP_REASON_duplicate, DEDUP_REASON_ihave_new, DEDUP_REASON_ihave_duplicate,
		DEDUP_REASON_bad_magic, DEDUP_REASON_bad_type,	DEDUP_REASON_bad_count,
	};

	for (size_t i = 0; i < ARRAY_SIZE(MUST); i++)
		if (!r->reasons[MUST[i]])
			fail_msg("no frame has come to reason %d", MUST[i]);
	assert_true(r->in_buffers > 0);
}

static void agrees_with_a_plain_model(void **state)
{
	static struct run r;
	uint64_t seed = number_of("SEED", 1), filters = number_of("FILTERS", FILTERS);

	(void)state;
	for (uint64_t i = 0; i < filters; i++) {
		r.seed = seed + i;
		start(&r);
		for (uint32_t n = 0; n < FRAMES; n++)
			try_frame(&r, seed + i, n);
		stream_model_stop(&r.model);
		fixture_unload(NULL);
	}
	if (filters >= FILTERS)
		check_reasons(&r);
}

int main(void)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_a_plain_model),
	};

	return run_root_tests("stream_model", tests, ARRAY_SIZE(tests));
}
