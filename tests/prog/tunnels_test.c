// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Filters that look into tunnels, on frames that tests/fixture/packets/tunnels.py makes: what is
 * inside is judged, and nothing else. CASE='vxlan*' tries those frames only.
 */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

#include "prefixes.h"
#include "stream_runner.h"
#include "tunnel_frames.h"
#include "tunnels.h"
#include "units.h"

#define STREAMS 2
#define STEPS_MAX 8

#define OF_IP "[profile mine]\nforwarded = yes\nlayer = ip\nid = "

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
	copy_up_to(c, 0, counted, &f);
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
		want_both(c, &c->l2, c->inner_end);
	unload();
}

TEST(without_tunnels_nothing_is_opened)
{
	load(&(struct setup){ .tunnels = "none", .wishes = { { .profile = "mirror" } } });
	for (const struct tunnel_case *c = NULL; (c = tunnel_next(c));)
		want_both(c, &c->plain, c->outermost_end);
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
	    .own = OF_IP "packet\nrequire = outer+4:3 == 0x001388\n", /* VNI 5000 */
	    .wishes = { WISH("mine") } },
	  { S("vxlan4-e", 0, new), S("vxlan4-e", 1, ignored), S("vxlan6-e", 0, duplicate),
	    S("tags0-plain", 0, ignored), S("gre4-4", 0, ignored) } },
	{ "gates-on-the-absence-of-a-tunnel",
	  { .tunnels = "all",
	    .own = OF_IP "packet\nexempt = outer+0:1 == 0x08\n",
	    .wishes = { WISH("mine") } },
	  { S("vxlan4-e", 0, exempt), S("gre4-4", 0, new), S("gre4-4", 1, duplicate),
	    S("tags0-plain", 0, bad_length) } },
	{ "vni-in-the-id",
	  { .tunnels = "vxlan", .own = OF_IP "outer+4:3 packet\n", .wishes = { WISH("mine") } },
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

int main(void)
{
	add_own_tests(NULL, NULL);
	add_rows(SCRIPTS, script_runs, NULL, NULL);
	return run_added_tests("tunnels");
}
