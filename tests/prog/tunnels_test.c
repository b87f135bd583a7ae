// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Filters that look into tunnels, on frames that tests/fixture/packets/tunnels.py makes: what is
 * inside is judged, and nothing else. CASE='vxlan*' tries those frames only.
 */
#include "fixture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ids.h"
#include "prefixes.h"
#include "protocol_packets.h"
#include "stream_ids.h"
#include "stream_runner.h"
#include "tunnel_frames.h"
#include "tunnels.h"
#include "units.h"

#define FRAME_LEAST 14
#define STREAMS 2
#define STEPS_MAX 8

static int wrong; /* frames of this test whose result was another one than expected */

static const char *const REASONS[] = {
#define X(name, help) #name,
	DEDUP_REASONS(X)
#undef X
};

/* What is loaded. */
struct setup {
	const char *tunnels;  /* --tunnels; NULL: not given */
	const char *outer_to; /* --outer-to; NULL: not given */
	const char *vlan;     /* --vlan; NULL: not given */
	enum dedup_layout layout;
	const char *own; /* profiles as text; NULL: none beside the built-in ones */
	struct stream_wish wishes[STREAMS];
};

static void load(const struct setup *s)
{
	struct filter_spec spec = { .capacity = 100000, .layout = s->layout };
	struct profiles all = { 0 };
	struct profile_error err;

	wrong = 0;
	if (!tunnel_next(NULL))
		skip();
	assert_int_equal(profiles_add_builtin(&all), 0);
	if (s->own && profiles_parse(&all, s->own, strlen(s->own), PROFILE_GIVEN, &err))
		fail_msg("%s", err.says);
	for (int i = 0; i < STREAMS && s->wishes[i].profile; i++)
		stream_add(&spec, &all, &s->wishes[i]);
	if (s->tunnels)
		assert_int_equal(parse_tunnels(s->tunnels, &spec.tunnels), 0);
	spec.given.tunnels = s->tunnels != NULL;
	if (s->outer_to)
		assert_int_equal(parse_prefixes(s->outer_to, spec.outer_to, &spec.outer_to_cnt,
						&spec.outer_to4_cnt),
				 0);
	if (s->vlan)
		assert_int_equal(parse_vlans(s->vlan, spec.vlans, &spec.vlans_cnt), 0);
	stream_load(&spec);
	profiles_free(&all);
}

/* Ends a test. */
static void unload(void)
{
	fixture_unload(NULL);
	if (wrong)
		fail_msg("%d frames", wrong);
}

/* Empties the filter, as if it were just loaded. */
static void forget(void)
{
	memset(fixture.filter.blocks, 0,
	       dedup_blocks(fixture.filter.config) * sizeof(struct dedup_block));
}

static void note(const char *name, const struct frame *f, const char *wanted, const char *got)
{
	print_error("%s, %u bytes: wanted %s, got %s\n", name, f->len, wanted, got);
	wrong++;
}

/* Sends the frame. Returns under which reason it counts: exactly one, with its verdict. */
static enum dedup_reason judge(const char *name, const struct frame *f)
{
	const __u64 *counters = (const __u64 *)&fixture.seen;
	struct filter_counters before = fixture.seen;
	enum dedup_reason reason = DEDUP_REASONS_CNT;
	int verdict = fixture_run(f);
	uint64_t bytes;

	fixture_count();
	for (int i = 0; i < DEDUP_REASONS_CNT; i++) {
		uint64_t more = counters[i] - ((const __u64 *)&before)[i];

		if (more > 1 || (more && reason != DEDUP_REASONS_CNT))
			note(name, f, "one counter", "several");
		if (more)
			reason = i;
	}
	if (reason == DEDUP_REASONS_CNT) {
		note(name, f, "a counter", "none");
		return DEDUP_REASON_ignored;
	}
	if (verdict != fixture_verdict(reason))
		note(name, f, REASONS[reason], "another verdict");
	bytes = fixture_verdict(reason) == XDP_DROP ? f->len - f->padding : 0;
	if (fixture.seen.duplicate_bytes - before.duplicate_bytes != bytes)
		note(name, f, REASONS[reason], "other bytes of duplicates");
	return reason;
}

static void want(const char *name, const struct frame *f, enum dedup_reason reason)
{
	enum dedup_reason got = judge(name, f);

	if (got != reason)
		note(name, f, REASONS[reason], REASONS[got]);
}

/* A copy, for a filter that counts bytes up to this place; -1: up to its last one. */
static void copy_up_to(const struct tunnel_case *c, int copy, int32_t counted, struct frame *f)
{
	tunnel_copy(c, copy, f);
	if (counted >= 0)
		f->padding = f->len - counted;
}

/* What the first copy is when it comes again. */
static enum dedup_reason again(enum dedup_reason first)
{
	return first == DEDUP_REASON_new ? DEDUP_REASON_duplicate : first;
}

/* Both copies, and then the first one again. */
static void want_both(const struct tunnel_case *c, const struct tunnel_reasons *r, int32_t counted)
{
	enum dedup_reason third = again(r->of[0]);
	struct frame f;

	forget();
	copy_up_to(c, 0, counted, &f);
	want(c->name, &f, r->of[0]);
	copy_up_to(c, 1, counted, &f);
	want(c->name, &f, r->of[1]);
	copy_up_to(c, 0, c->is_fault ? -1 : counted, &f);
	/* A wrong one that counts is as long as its header says. */
	if (!c->is_fault || third != DEDUP_REASON_duplicate)
		want(c->name, &f, third);
	if (r->of[1] != DEDUP_REASON_duplicate)
		return;
	forget();
	copy_up_to(c, 1, counted, &f);
	want(c->name, &f, DEDUP_REASON_new);
	copy_up_to(c, 0, counted, &f);
	want(c->name, &f, DEDUP_REASON_duplicate);
}

TEST(what_is_inside_is_judged)
{
	load(&(struct setup){ .tunnels = "all", .wishes = { { .profile = "mirror" } } });
	for (const struct tunnel_case *c = NULL; (c = tunnel_next(c));)
		want_both(c, &c->mirror, c->packet_end);
	unload();
}

TEST(frames_inside_are_judged)
{
	load(&(struct setup){ .tunnels = "all", .wishes = { { .profile = "mirror-l2" } } });
	for (const struct tunnel_case *c = NULL; (c = tunnel_next(c));)
		if (!c->is_fault)
			want_both(c, &c->l2, c->inner_end);
	unload();
}

static void without_tunnels_nothing_is_opened(void **state)
{
	const char *tunnels = *state;

	load(&(struct setup){ .tunnels = tunnels, .wishes = { { .profile = "mirror" } } });
	for (const struct tunnel_case *c = NULL; (c = tunnel_next(c));)
		want_both(c, &c->plain, c->outermost_end);
	unload();
}

static const struct tunnel_reasons HIDDEN = { { DEDUP_REASON_ignored, DEDUP_REASON_ignored } };

/* A frame with a tunnel of another kind is what it is outside, or what is outside of that one. */
static void other_kinds_stay_closed(void **state)
{
	const char *kind = *state;
	struct dedup_tunnels t;
	struct frame f;

	assert_int_equal(parse_tunnels(kind, &t), 0);
	load(&(struct setup){ .tunnels = kind, .wishes = { { .profile = "mirror" } } });
	for (const struct tunnel_case *c = NULL; (c = tunnel_next(c));) {
		if (!(c->kinds & ~t.kinds)) {
			want_both(c, &c->mirror, c->packet_end);
		} else if (c->outermost != t.kinds) {
			want_both(c, &c->plain, c->outermost_end);
		} else if (c->kinds == (t.kinds | DEDUP_TUNNEL_BIT(vlan))) {
			want_both(c, &HIDDEN, -1); /* inner tags hide the packet */
		} else {
			forget();
			for (int copy = 0; copy < 2; copy++) {
				enum dedup_reason got;

				tunnel_copy(c, copy, &f);
				got = judge(c->name, &f);
				if (got == DEDUP_REASON_duplicate)
					note(c->name, &f, "no duplicate", "a duplicate");
			}
		}
	}
	unload();
}

/* Behind the headers not every length is tried. */
static uint32_t next_cut(const struct tunnel_case *c, uint32_t len)
{
	return len < (uint32_t)(c->ip + 60) || len + 32 > (uint32_t)c->whole ? len + 1
									     : len + tries(31, 1);
}

static void want_cuts(const struct tunnel_case *c)
{
	enum dedup_reason whole_is = c->mirror.of[0], got;
	uint32_t end = c->whole;
	struct frame f;

	tunnel_copy(c, 0, &f);
	for (f.len = FRAME_LEAST; f.len < end; f.len = next_cut(c, f.len)) {
		got = judge(c->name, &f);
		if (got != DEDUP_REASON_truncated &&
		    got != (whole_is == DEDUP_REASON_ignored ? whole_is : DEDUP_REASON_truncated))
			note(c->name, &f, "truncated", REASONS[got]);
	}
}

TEST(what_is_cut_passes_and_teaches_nothing)
{
	struct frame f;

	load(&(struct setup){ .tunnels = "all", .wishes = { { .profile = "mirror" } } });
	for (const struct tunnel_case *c = NULL; (c = tunnel_next(c));) {
		if (c->is_fault)
			continue;
		forget();
		want_cuts(c);
		copy_up_to(c, 0, c->packet_end, &f);
		want(c->name, &f, c->mirror.of[0]);
		want_cuts(c);
	}
	unload();
}

/* The outermost IP header claims this many bytes. */
static void claim(struct frame *f, uint32_t ip, uint32_t bytes)
{
	f->ip = ip;
	if (f->data[ip] >> 4 == 6) {
		frame_put(f, ip + 4, 2, bytes - 40);
		return;
	}
	frame_put(f, ip + 2, 2, bytes);
	ipv4_sum(f);
}

/* All bytes are there, but the outermost packet ends among them, in each place in turn. If the
 * tunnel stays closed, its packet is another one each time.
 */
static void want_early_ends(const struct tunnel_case *c, int copy)
{
	uint32_t ip = c->outermost_ip, inner = c->inner - ip, behind = c->ip + 40 - ip, bytes;
	const uint8_t *header = c->bytes[copy] + ip;
	struct frame f;

	bytes = header[0] >> 4 == 6 ? 40 : 4 * (header[0] & 15);
	while ((bytes += bytes < behind ? 1 : tries(31, 7)) < c->outermost_end - ip) {
		enum dedup_reason got;

		tunnel_copy(c, copy, &f);
		claim(&f, ip, bytes);
		got = judge(c->name, &f);
		if (got == DEDUP_REASON_truncated || got == DEDUP_REASON_bad_udp ||
		    got == DEDUP_REASON_bad_tunnel || (got == DEDUP_REASON_ignored && c->ip < 0) ||
		    (got == DEDUP_REASON_new && bytes < inner))
			continue;
		note(c->name, &f, "truncated", REASONS[got]);
	}
}

TEST(a_carrier_that_ends_early_brings_nothing)
{
	struct frame f;

	load(&(struct setup){ .tunnels = "all", .wishes = { { .profile = "mirror" } } });
	for (const struct tunnel_case *c = NULL; (c = tunnel_next(c));) {
		if (c->is_fault || c->outer < 0 || c->outermost_ip < 0)
			continue;
		forget();
		want_early_ends(c, 0);
		copy_up_to(c, 0, c->packet_end, &f);
		want(c->name, &f, c->mirror.of[0]);
		want_early_ends(c, 1);
	}
	unload();
}

/* Can test runs choose where a packet's first buffer ends? From 6.18. */
static bool can_choose_buffers(void)
{
	struct frame f;
	int verdict;

	tunnel_copy(tunnel_case("gre4-4"), 0, &f);
	fixture.linear = FRAME_LEAST;
	verdict = fixture_run(&f);
	fixture_count();
	fixture.linear = 0;
	return verdict != -EINVAL;
}

/* Wherever a driver ends the first buffer. */
TEST(frames_in_several_buffers)
{
	struct frame f;

	load(&(struct setup){ .tunnels = "all", .wishes = { { .profile = "mirror" } } });
	if (!can_choose_buffers())
		skip();
	for (const struct tunnel_case *c = NULL; (c = tunnel_next(c));) {
		if (c->is_fault || c->len[0] != c->len[1])
			continue;
		for (fixture.linear = FRAME_LEAST; fixture.linear < c->len[0];
		     fixture.linear += tries(29, 7)) {
			bool in_sight =
				c->kinds && c->ip >= 0 && fixture.linear >= (uint32_t)c->ip + 60;
			enum dedup_reason got;

			forget();
			copy_up_to(c, 0, c->packet_end, &f);
			got = judge(c->name, &f);
			if (got == DEDUP_REASON_duplicate || (in_sight && got != c->mirror.of[0]))
				note(c->name, &f, REASONS[c->mirror.of[0]], REASONS[got]);
			copy_up_to(c, 1, c->packet_end, &f);
			got = judge(c->name, &f);
			if ((got == DEDUP_REASON_duplicate && c->mirror.of[1] != got) ||
			    (in_sight && got != c->mirror.of[1]))
				note(c->name, &f, REASONS[c->mirror.of[1]], REASONS[got]);
		}
		fixture.linear = 0;
	}
	unload();
}

/* The frame has the bytes that the inner packet claims, but what carries it does not. */
TEST(datagrams_that_end_in_the_padding)
{
	struct frame f;

	load(&(struct setup){ .tunnels = "all",
			      .wishes = { { .profile = "payload", .ports = "8001" } } });
	for (const struct tunnel_case *c = NULL; (c = tunnel_next(c));) {
		/* Of MPLS in Ethernet only the frame says where it ends. */
		if (!strstr(c->name, "-inner-") || c->mirror.of[0] != DEDUP_REASON_truncated ||
		    !strncmp(c->name, "bad-mpls", 8))
			continue;
		forget();
		tunnel_copy(c, 0, &f);
		memset(f.data + f.len, 0, 100);
		f.len += 100;
		want(c->name, &f, DEDUP_REASON_truncated);
		tunnel_copy(c, 1, &f);
		want(c->name, &f, DEDUP_REASON_new);
	}
	unload();
}

/* Segments of an id, and where these bytes are in a frame. */
static const struct segments {
	const char *name, *profile;
	bool needs_frame, needs_outer, needs_payload;
	struct {
		size_t place; /* offset of the member of struct tunnel_case */
		int32_t offset;
		uint32_t bytes;
	} parts[3];
} SEGMENTS[] = {
#define AT(place_) offsetof(struct tunnel_case, place_)
#define FROM_IP "[profile mine]\nforwarded = yes\nlayer = ip\nid = "
#define FROM_ETHERNET "[profile mine]\nforwarded = yes\nlayer = ethernet\nid = "
#define FROM_UDP "[profile mine]\nlayer = udp\nid = "
	{ "outer", FROM_IP "outer+0:4 ip+4:16\n", .needs_outer = true,
	  .parts = { { AT(outer), 0, 4 }, { AT(ip), 4, 16 } } },
	{ "outer-and-frame", FROM_ETHERNET "outer+0:4 frame+0:12\n", .needs_outer = true,
	  .needs_frame = true, .parts = { { AT(outer), 0, 4 }, { AT(frame), 0, 12 } } },
	{ "frame-and-tag", FROM_ETHERNET "frame+0:12 tag-2:2 tag+0:8\n", .needs_frame = true,
	  .parts = { { AT(frame), 0, 12 }, { AT(tag), -2, 2 }, { AT(tag), 0, 8 } } },
	{ "frame-of-ip", FROM_IP "frame+6:6 ip+4:16\n", .needs_frame = true,
	  .parts = { { AT(frame), 6, 6 }, { AT(ip), 4, 16 } } },
	{ "tag-of-ip", FROM_IP "tag+0:4 ip+4:16\n", .needs_frame = true,
	  .parts = { { AT(tag), 0, 4 }, { AT(ip), 4, 16 } } },
	{ "end", FROM_IP "ip+4:16 end-8:8\n",
	  .parts = { { AT(ip), 4, 16 }, { AT(inner_end), -8, 8 } } },
	{ "end-of-frame", FROM_ETHERNET "frame+6:6 end-4:2\n", .needs_frame = true,
	  .parts = { { AT(frame), 6, 6 }, { AT(inner_end), -4, 2 } } },
	{ "payload", FROM_UDP "payload+0:8 outer+2:2\n", .needs_payload = true, .needs_outer = true,
	  .parts = { { AT(payload), 0, 8 }, { AT(outer), 2, 2 } } },
};

/* What a copy is, by an id of these segments, in an empty filter. */
static enum dedup_reason reason_of(const struct segments *s, const struct tunnel_case *c)
{
	bool is_ip_layer = !strncmp(s->profile, FROM_IP, strlen(FROM_IP));

	if (s->needs_payload && c->payload < 0)
		return DEDUP_REASONS_CNT; /* another reason for each */
	if (is_ip_layer ? c->ip < 0 : !s->needs_payload && c->frame < 0)
		return DEDUP_REASON_ignored;
	if ((s->needs_outer && c->outer < 0) || (s->needs_frame && c->frame < 0))
		return DEDUP_REASON_bad_length;
	return DEDUP_REASON_new;
}

static void ids_are_read_inside(void **state)
{
	const struct segments *s = *state;

	load(&(struct setup){
		.tunnels = "all",
		.own = s->profile,
		.wishes = { { .profile = "mine", .ports = s->needs_payload ? "8001" : NULL } } });
	for (const struct tunnel_case *c = NULL; (c = tunnel_next(c));) {
		enum dedup_reason reason = reason_of(s, c);

		if (c->is_fault || reason == DEDUP_REASONS_CNT || (c->tag < 0 && c->frame >= 0))
			continue;
		for (int copy = 0; copy < 2; copy++) {
			uint8_t input[64], id[DEDUP_ID_BYTES_MAX];
			uint32_t len = 0;
			struct frame f;

			tunnel_copy(c, copy, &f);
			forget();
			if (reason != DEDUP_REASON_new) {
				want(c->name, &f, reason);
				continue;
			}
			for (int i = 0; i < 3 && s->parts[i].bytes; i++) {
				const int32_t *at =
					(const void *)((const char *)c + s->parts[i].place);

				memcpy(input + len, f.data + *at + s->parts[i].offset,
				       s->parts[i].bytes);
				len += s->parts[i].bytes;
			}
			assert_int_equal(stream_make_id(&fixture.filter, input, len, id), 0);
			want(c->name, &f, reason);
			if (ids_test(&fixture.filter, id) != 1)
				note(c->name, &f, "the id of these bytes", "another id");
		}
	}
	unload();
}

/* A field of `outer` ends where the tunnel's contents begin. */
static void outer_ends_where_the_inside_begins(void **state)
{
	const unsigned bytes = (unsigned)(uintptr_t)*state;
	char profile[128];

	snprintf(profile, sizeof(profile), FROM_IP "outer+%u:1 ip+4:16\n", bytes - 1);
	load(&(struct setup){ .tunnels = "all", .own = profile, .wishes = { { .profile = "mine" } } });
	for (const struct tunnel_case *c = NULL; (c = tunnel_next(c));) {
		struct frame f;

		if (c->is_fault || c->ip < 0)
			continue;
		forget();
		tunnel_copy(c, 0, &f);
		want(c->name, &f,
		     c->outer >= 0 && c->inner - c->outer >= (int32_t)bytes
			     ? DEDUP_REASON_new
			     : DEDUP_REASON_bad_length);
	}
	unload();
}

/* The frames are good: another dissector finds what is inside. */
TEST(scapy_finds_what_is_inside)
{
	if (!tunnel_next(NULL))
		skip();
	sh("/usr/bin/python3 tests/fixture/packets/tunnels.py check");
}

/* Copies of cases one after the other, and what becomes of each. */
static const struct script {
	const char *name;
	struct setup setup;
	struct {
		const char *of; /* NULL: the end */
		int copy;
		enum dedup_reason reason;
		int stream; /* that counts it; ignored ones: any */
	} steps[STEPS_MAX];
} SCRIPTS[] = {
#define S(of_, copy_, reason_)                        \
	{                                             \
		of_, copy_, DEDUP_REASON_##reason_, 0 \
	}
#define IN(stream_, of_, copy_, reason_)                    \
	{                                                   \
		of_, copy_, DEDUP_REASON_##reason_, stream_ \
	}
#define WISH(profile_, ...)                      \
	{                                        \
		.profile = profile_, __VA_ARGS__ \
	}
	{ "shreds-in-gre",
	  { .tunnels = "gre", .wishes = { WISH("solana-shred", .ports = "8001") } },
	  { S("gre-shred1", 0, new), S("gre-shred2", 0, new), S("gre-shred1", 1, duplicate),
	    S("gre-shred2", 1, duplicate), S("vxlan-shred1", 0, ignored), S("gre-rtp1", 0, ignored) } },
	{ "events-in-vxlan",
	  { .tunnels = "vxlan", .wishes = { WISH("gsp", .ports = "8001") } },
	  { S("vxlan-ihave1", 0, ihave_new), S("vxlan-event1", 0, new), S("vxlan-event2", 0, new),
	    S("vxlan-event1", 1, duplicate), S("vxlan-ihave1", 1, ihave_duplicate),
	    S("gre-event1", 0, ignored), S("vxlan-rtp1", 0, bad_magic) } },
	{ "rtp-in-geneve",
	  { .tunnels = "geneve", .wishes = { WISH("rtp", .ports = "8001") } },
	  { S("geneve-rtp1", 0, new), S("geneve-rtp2", 1, new), S("geneve-rtp1", 1, duplicate),
	    S("geneve-rtp2", 0, duplicate), S("geneve-shred1", 0, ignored),
	    S("vxlan-rtp1", 0, ignored) } },
	/* A copy that comes without a tunnel, or in another one. */
	{ "one-packet-in-many-tunnels",
	  { .tunnels = "all", .wishes = { WISH("mirror") } },
	  { S("tags1-plain", 0, new), S("vxlan4-e", 0, duplicate), S("gre6-4", 0, duplicate),
	    S("mpls-e", 1, duplicate), S("pppoe-4", 0, duplicate), S("erspan3-ip-4", 0, duplicate),
	    S("geneve4+gre", 0, duplicate), S("gtp4-4", 1, duplicate) } },
	{ "tunnels-in-layout-flat",
	  { .tunnels = "all", .layout = DEDUP_FLAT, .wishes = { WISH("mirror") } },
	  { S("tags1-plain", 0, new), S("vxlan4-e", 0, duplicate), S("gre6-4", 0, duplicate),
	    S("gre4-6", 0, new), S("vxlan4-eth6", 0, duplicate), S("gre-version1", 0, new) } },
	{ "tunnels-in-layout-countdown",
	  { .tunnels = "all", .layout = DEDUP_COUNTDOWN, .wishes = { WISH("mirror") } },
	  { S("tags1-plain", 0, new), S("vxlan4-e", 0, duplicate), S("gre6-4", 0, duplicate),
	    S("gre4-6", 0, new), S("vxlan4-eth6", 0, duplicate), S("gre-version1", 0, new) } },
	/* The outermost tag has VLAN 100 in the first copy, 101 in the second; inside it is 100. */
	{ "vlan-of-what-is-outside",
	  { .tunnels = "all", .vlan = "100", .wishes = { WISH("mirror") } },
	  { S("tags1-gre", 0, new), S("tags1-gre", 1, ignored), S("tags5-gre", 0, duplicate),
	    S("vxlan4-inner-tags1", 0, ignored), S("vxlan4-e", 0, ignored) } },
	{ "to-what-is-inside",
	  { .tunnels = "all", .wishes = { WISH("mirror", .to = "192.0.2.2") } },
	  { S("gre4-4", 0, new), S("gre4-4", 1, duplicate), S("gre4-6", 0, ignored),
	    S("vxlan6-e", 0, duplicate), S("gre-version1", 0, ignored),
	    S("tags0-plain", 0, duplicate) } },
	{ "to-what-is-outside",
	  { .tunnels = "all", .wishes = { WISH("mirror", .to = "198.51.100.100") } },
	  { S("gre4-4", 0, ignored), S("gre4-6", 0, ignored), S("gre-version1", 0, new),
	    S("gre-version1", 1, ignored), S("gre-version1", 0, duplicate) } },
	{ "to-ipv6-inside",
	  { .tunnels = "all", .wishes = { WISH("mirror", .to = "2001:db8::2") } },
	  { S("gre4-6", 0, new), S("vxlan6-eth6", 0, duplicate), S("gre6-4", 0, ignored) } },
	/* The destination of a tunnel that is not opened does not count: what is outside does. */
	{ "tunnels-to",
	  { .tunnels = "all", .outer_to = "198.51.100.100,fd00::100", .wishes = { WISH("mirror") } },
	  { S("gre4-4", 0, new), S("gre4-4", 1, new), S("gre4-4", 0, duplicate),
	    S("gre4-4", 1, duplicate), S("gre6-4", 0, duplicate), S("gre6-4", 1, new),
	    S("vxlan6-e", 0, duplicate), S("tags0-plain", 0, duplicate) } },
	{ "tunnels-to-by-the-outermost",
	  { .tunnels = "all", .outer_to = "198.51.100.100", .wishes = { WISH("mirror") } },
	  { S("vxlan+gre-of-the-other", 0, new), S("gre4-4", 0, duplicate),
	    S("vxlan+gre-of-the-other", 1, new), S("vxlan+gre-of-the-other", 0, duplicate) } },
	/* Nothing says where they go to. */
	{ "tunnels-to-without-ip",
	  { .tunnels = "all", .outer_to = "0.0.0.0/0,::/0", .wishes = { WISH("mirror") } },
	  { S("gre4-4", 0, new), S("mpls-4", 0, ignored), S("pppoe-4", 0, ignored),
	    S("vxlan4+mpls", 0, duplicate), S("mpls+gre", 0, ignored) } },
	{ "tunnels-to-nowhere",
	  { .tunnels = "all", .outer_to = "203.0.113.0/24", .wishes = { WISH("mirror") } },
	  { S("gre4-4", 0, new), S("gre4-4", 1, new), S("vxlan4+gre", 0, new),
	    S("vxlan4+gre", 1, new) } },
	{ "other-ports",
	  { .tunnels = "vxlan:4788,8472", .wishes = { WISH("mirror") } },
	  { S("port4788", 0, new), S("port4788", 1, duplicate), S("port8472", 0, duplicate),
	    S("vxlan4-e", 0, new), S("vxlan4-e", 1, new), S("port4791", 0, new) } },
	{ "all-and-another-port",
	  { .tunnels = "all,vxlan:8472", .wishes = { WISH("mirror") } },
	  { S("port8472", 0, new), S("port8472", 1, duplicate), S("gre4-4", 0, duplicate),
	    S("geneve4-4", 0, duplicate), S("gtp4-4", 0, duplicate), S("vxlan4-e", 0, new) } },
	{ "gates-on-the-tunnel",
	  { .tunnels = "vxlan",
	    .own = FROM_IP "packet\nrequire = outer+4:3 == 0x001388\n", /* VNI 5000 */
	    .wishes = { WISH("mine") } },
	  { S("vxlan4-e", 0, new), S("vxlan4-e", 1, ignored), S("vxlan6-e", 0, duplicate),
	    S("tags0-plain", 0, ignored), S("gre4-4", 0, ignored) } },
	{ "gates-on-the-absence-of-a-tunnel",
	  { .tunnels = "all",
	    .own = FROM_IP "packet\nexempt = outer+0:1 == 0x08\n",
	    .wishes = { WISH("mine") } },
	  { S("vxlan4-e", 0, exempt), S("gre4-4", 0, new), S("gre4-4", 1, duplicate),
	    S("tags0-plain", 0, bad_length) } },
	{ "vni-in-the-id",
	  { .tunnels = "vxlan", .own = FROM_IP "outer+4:3 packet\n", .wishes = { WISH("mine") } },
	  { S("vxlan4-e", 0, new), S("vxlan4-e", 1, new), S("vxlan6-e", 0, duplicate),
	    S("vxlan6-e", 1, duplicate), S("tags0-plain", 0, bad_length) } },
	{ "streams-of-other-kinds",
	  { .own = "[profile a]\nlayer = ip\nforwarded = yes\nid = packet\ntunnels = vxlan\n"
		   "[profile b]\nlayer = udp\nforwarded = yes\nid = payload\ntunnels = gre\n",
	    .wishes = { WISH("a"), WISH("b", .ports = "8001", .realm = 1) } },
	  { IN(0, "vxlan4-e", 0, new), IN(1, "gre4-4", 0, new), IN(1, "gre4-4", 1, duplicate),
	    S("gre4-tcp4", 0, ignored), S("gre4-tcp4", 0, ignored), IN(0, "tags0-plain", 0, duplicate),
	    S("vxlan4+gre", 0, ignored), IN(0, "geneve4-4", 0, new) } },
	{ "a-stream-without-tunnels",
	  { .own = "[profile a]\nlayer = ip\nforwarded = yes\nid = packet\n"
		   "[profile b]\nlayer = ip\nforwarded = yes\nid = packet\ntunnels = gre\n",
	    .wishes = { WISH("a"), WISH("b", .realm = 1) } },
	  { IN(0, "tags0-plain", 0, new), IN(1, "gre4-4", 0, new), IN(1, "gre4-4", 1, duplicate),
	    IN(0, "tags0-plain", 1, duplicate), IN(0, "vxlan4-e", 0, new),
	    IN(0, "vxlan4-e", 1, new) } },
};

static uint64_t counted_in(int stream, enum dedup_reason reason)
{
	struct filter_counters c;

	assert_int_equal(filter_stream_counters(&fixture.filter, stream, &c), 0);
	return ((const __u64 *)&c)[reason];
}

static void script_runs(void **state)
{
	const struct script *s = *state;

	load(&s->setup);
	for (int i = 0; i < STEPS_MAX && s->steps[i].of; i++) {
		const struct tunnel_case *c = tunnel_case(s->steps[i].of);
		uint64_t seen = counted_in(s->steps[i].stream, s->steps[i].reason);
		struct frame f;

		tunnel_copy(c, s->steps[i].copy, &f);
		want(c->name, &f, s->steps[i].reason);
		if (s->steps[i].reason != DEDUP_REASON_ignored)
			assert_int_equal(counted_in(s->steps[i].stream, s->steps[i].reason),
					 seen + 1);
	}
	unload();
}

/* Outermost MACs and VLANs are the host's business; those inside are not. */
TEST(frames_are_for_this_host_by_what_is_outside)
{
	struct frame f;

	load(&(struct setup){ .tunnels = "all",
			      .wishes = { { .profile = "payload", .ports = "8001" } } });
	for (const struct tunnel_case *c = NULL; (c = tunnel_next(c));) {
		if (c->is_fault || c->payload < 0)
			continue;
		forget();
		tunnel_copy(c, 0, &f);
		f.data[5] ^= 1; /* of another host */
		want(c->name, &f, DEDUP_REASON_ignored);
		f.data[5] ^= 1;
		want(c->name, &f, DEDUP_REASON_new);
	}
	unload();
}

int main(void)
{
	static const char *const NONE[] = { NULL, "none" };
	static const char *const KINDS[] = {
#define X(name, port, other) #name,
		DEDUP_TUNNELS(X)
#undef X
	};

	add_own_tests(NULL, NULL);
	add_test("without_tunnels", without_tunnels_nothing_is_opened, NULL, NULL, NONE[0]);
	add_test("tunnels-none", without_tunnels_nothing_is_opened, NULL, NULL, NONE[1]);
	for (size_t i = 0; i < ARRAY_SIZE(KINDS); i++)
		add_test(KINDS[i], other_kinds_stay_closed, NULL, NULL, KINDS[i]);
	add_rows(SEGMENTS, ids_are_read_inside, NULL, NULL);
	add_test("outer-of-5-bytes", outer_ends_where_the_inside_begins, NULL, NULL, (void *)5);
	add_test("outer-of-9-bytes", outer_ends_where_the_inside_begins, NULL, NULL, (void *)9);
	add_test("outer-of-21-bytes", outer_ends_where_the_inside_begins, NULL, NULL, (void *)21);
	add_rows(SCRIPTS, script_runs, NULL, NULL);
	return run_added_tests("tunnels");
}
