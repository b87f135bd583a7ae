// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tunnels: as people write them, what goes with them, and what a plan makes of them. */
#include "unit.h"

#include "plan.h"
#include "profile.h"
#include "streams.h"
#include "tunnels.h"

#define BIT(name) DEDUP_TUNNEL_BIT(name)
#define CPUS 2
#define HZ 250

static const struct text_row {
	const char *name, *text;
	int result;
	const char *again; /* as format_tunnels() writes it; NULL: as `text` */
	uint32_t kinds;
	struct dedup_tunnel_port ports[DEDUP_TUNNEL_PORTS_MAX];
} TEXTS[] = {
	{ "none", "none", 0, NULL, 0, { { 0 } } },
	{ "one", "gre", 0, NULL, BIT(gre), { { 0 } } },
	{ "usual-port", "geneve", 0, NULL, BIT(geneve), { { 6081, DEDUP_TUNNEL_geneve } } },
	{ "usual-port-given", "gtp:2152", 0, "gtp", BIT(gtp), { { 2152, DEDUP_TUNNEL_gtp } } },
	{ "usual-ports",
	  "vxlan",
	  0,
	  NULL,
	  BIT(vxlan),
	  { { 4789, DEDUP_TUNNEL_vxlan }, { 4790, DEDUP_TUNNEL_vxlan } } },
	{ "one-of-the-usual", "vxlan:4789", 0, NULL, BIT(vxlan), { { 4789, DEDUP_TUNNEL_vxlan } } },
	{ "ports",
	  "vlan,vxlan:4789,8472",
	  0,
	  NULL,
	  BIT(vlan) | BIT(vxlan),
	  { { 4789, DEDUP_TUNNEL_vxlan }, { 8472, DEDUP_TUNNEL_vxlan } } },
	{ "ports-then-name",
	  "vxlan:1,2,gtp:3,mpls",
	  0,
	  "mpls,vxlan:1,2,gtp:3",
	  BIT(vxlan) | BIT(gtp) | BIT(mpls),
	  { { 1, DEDUP_TUNNEL_vxlan }, { 2, DEDUP_TUNNEL_vxlan }, { 3, DEDUP_TUNNEL_gtp } } },
	{ "twice",
	  "vxlan:9,vxlan:9,gre,gre",
	  0,
	  "gre,vxlan:9",
	  BIT(vxlan) | BIT(gre),
	  { { 9, DEDUP_TUNNEL_vxlan } } },
	{ "all",
	  "all",
	  0,
	  NULL,
	  DEDUP_TUNNELS_ALL,
	  { { 4789, DEDUP_TUNNEL_vxlan },
	    { 4790, DEDUP_TUNNEL_vxlan },
	    { 6081, DEDUP_TUNNEL_geneve },
	    { 2152, DEDUP_TUNNEL_gtp },
	    { 37008, DEDUP_TUNNEL_tzsp },
	    { 7932, DEDUP_TUNNEL_erm } } },
	{ "all-and-port",
	  "all,vxlan:8472",
	  0,
	  NULL,
	  DEDUP_TUNNELS_ALL,
	  { { 8472, DEDUP_TUNNEL_vxlan },
	    { 6081, DEDUP_TUNNEL_geneve },
	    { 2152, DEDUP_TUNNEL_gtp },
	    { 37008, DEDUP_TUNNEL_tzsp },
	    { 7932, DEDUP_TUNNEL_erm } } },
	{ "most-ports",
	  "vxlan:1,2,3,4,5,6,7,8",
	  0,
	  NULL,
	  BIT(vxlan),
	  { { 1, DEDUP_TUNNEL_vxlan },
	    { 2, DEDUP_TUNNEL_vxlan },
	    { 3, DEDUP_TUNNEL_vxlan },
	    { 4, DEDUP_TUNNEL_vxlan },
	    { 5, DEDUP_TUNNEL_vxlan },
	    { 6, DEDUP_TUNNEL_vxlan },
	    { 7, DEDUP_TUNNEL_vxlan },
	    { 8, DEDUP_TUNNEL_vxlan } } },
	{ "too-many-ports", "vxlan:1,2,3,4,5,6,7,8,9", -E2BIG, NULL, 0, { { 0 } } },
	{ "too-many-with-usual", "vxlan:1,2,3,4,5,6,7,geneve,gtp", -E2BIG, NULL, 0, { { 0 } } },
	{ "port-of-two-kinds", "vxlan:8,geneve:8", 8, NULL, 0, { { 0 } } },
	{ "usual-port-of-another", "geneve:4789,vxlan", 4789, NULL, 0, { { 0 } } },
	{ "empty", "", -EINVAL, NULL, 0, { { 0 } } },
	{ "empty-name", "gre,,vxlan", -EINVAL, NULL, 0, { { 0 } } },
	{ "comma-at-the-end", "gre,", -EINVAL, NULL, 0, { { 0 } } },
	{ "unknown", "gre,l2tp", -EINVAL, NULL, 0, { { 0 } } },
	{ "part-of-a-name", "vx", -EINVAL, NULL, 0, { { 0 } } },
	{ "capital", "GRE", -EINVAL, NULL, 0, { { 0 } } },
	{ "space", "gre, vxlan", -EINVAL, NULL, 0, { { 0 } } },
	{ "none-and-more", "none,gre", -EINVAL, NULL, 0, { { 0 } } },
	{ "more-and-none", "gre,none", -EINVAL, NULL, 0, { { 0 } } },
	{ "port-of-gre", "gre:47", -EINVAL, NULL, 0, { { 0 } } },
	{ "port-of-all", "all:8472", -EINVAL, NULL, 0, { { 0 } } },
	{ "port-alone", "8472", -EINVAL, NULL, 0, { { 0 } } },
	{ "port-behind-name", "vxlan,8472", -EINVAL, NULL, 0, { { 0 } } },
	{ "no-port", "vxlan:", -EINVAL, NULL, 0, { { 0 } } },
	{ "no-second-port", "vxlan:1,", -EINVAL, NULL, 0, { { 0 } } },
	{ "port-0", "vxlan:0", -EINVAL, NULL, 0, { { 0 } } },
	{ "port-too-high", "vxlan:65536", -EINVAL, NULL, 0, { { 0 } } },
	{ "range", "vxlan:8472-8473", -EINVAL, NULL, 0, { { 0 } } },
	{ "no-number", "vxlan:x", -EINVAL, NULL, 0, { { 0 } } },
	{ "long-number", "vxlan:00000000000000000000000004789", -EINVAL, NULL, 0, { { 0 } } },
};

TEST_ROWS(text_is_taken_or_refused, TEXTS)
{
	struct dedup_tunnels got, before;
	uint32_t cnt = 0;

	memset(&got, 0x55, sizeof(got));
	before = got;
	assert_int_equal(parse_tunnels(row->text, &got), row->result);
	if (row->result) {
		assert_memory_equal(&got, &before, sizeof(got));
		return;
	}
	while (cnt < DEDUP_TUNNEL_PORTS_MAX && row->ports[cnt].port)
		cnt++;
	assert_int_equal(got.kinds, row->kinds);
	assert_int_equal(got.ports_cnt, cnt);
	assert_memory_equal(got.ports, row->ports, cnt * sizeof(*row->ports));
	assert_string_equal(FORMAT_TUNNELS(&got, got.kinds), row->again ?: row->text);
}

/* Adds a stream of this profile. */
static void add_stream(struct filter_spec *spec, const char *name, const char *profile)
{
	struct spec_stream *s = &spec->streams[spec->streams_cnt++];
	struct profiles all = { 0 };
	struct profile_error err = { 0 };

	if (profiles_parse(&all, profile, strlen(profile), PROFILE_BUILTIN, &err))
		fail_msg("%u:%u: %s", err.line, err.column, err.says);
	*s = (struct spec_stream){ .stream = all.list->stream,
				   .tunnels = all.list->tunnels,
				   .ports_cnt = all.list->ports_cnt };
	memcpy(s->ports, all.list->ports, sizeof(s->ports));
	snprintf(s->stream.name, sizeof(s->stream.name), "%s", name);
	profiles_free(&all);
}

#define UDP "[profile p]\nlayer = udp\nports = 8001-8010\nid = payload+0:8\n"
#define IP "[profile p]\nlayer = ip\nid = packet\n"
#define ETHERNET "[profile p]\nlayer = ethernet\nid = frame\n"
#define OUTER "require = outer+4:3 == 0x000007\n"

/* Streams, and what comes of them. */
static const struct spec_row {
	const char *name;
	const char *profiles[2];
	const char *option; /* --tunnels; NULL: not given */
	const char *says;   /* why they are refused: a part of it; NULL: they are not */
	uint32_t kinds, of_stream[2];
	uint32_t ports_cnt;
	bool direct; /* the first stream is taken by the short cut */
	bool outer_to, deliver;
} SPECS[] = {
	{ .name = "no-tunnels", .profiles[0] = UDP, .direct = true },
	{ .name = "option-for-all",
	  .profiles[0] = UDP,
	  .profiles[1] = IP "tunnels = gre\n",
	  .option = "vxlan:4789",
	  .kinds = BIT(vxlan),
	  .of_stream[0] = BIT(vxlan),
	  .of_stream[1] = BIT(vxlan),
	  .ports_cnt = 1 },
	{ .name = "option-none",
	  .profiles[0] = UDP,
	  .profiles[1] = IP "tunnels = gre\n",
	  .option = "none" },
	{ .name = "each-its-own",
	  .profiles[0] = UDP "tunnels = gre,vxlan:1\n",
	  .profiles[1] = IP "tunnels = vxlan:2,mpls\n",
	  .kinds = BIT(gre) | BIT(vxlan) | BIT(mpls),
	  .of_stream[0] = BIT(gre) | BIT(vxlan),
	  .of_stream[1] = BIT(vxlan) | BIT(mpls),
	  .ports_cnt = 2 },
	{ .name = "tunnel-to-a-port-of-the-stream",
	  .profiles[0] = UDP,
	  .option = "vxlan:8010",
	  .kinds = BIT(vxlan),
	  .of_stream[0] = BIT(vxlan),
	  .ports_cnt = 1 },
	{ .name = "tunnel-on-one-of-the-ranges",
	  .profiles[0] = "[profile p]\nlayer = udp\nports = 8001,8005\nid = payload+0:8\n",
	  .option = "vxlan:8005",
	  .kinds = BIT(vxlan),
	  .of_stream[0] = BIT(vxlan),
	  .ports_cnt = 1 },
	{ .name = "tunnel-beside-the-ports",
	  .profiles[0] = UDP,
	  .option = "vxlan:8011,8000",
	  .kinds = BIT(vxlan),
	  .of_stream[0] = BIT(vxlan),
	  .ports_cnt = 2,
	  .direct = true },
	{ .name = "outer-to",
	  .profiles[0] = IP,
	  .option = "gre",
	  .kinds = BIT(gre),
	  .of_stream[0] = BIT(gre),
	  .outer_to = true },
	{ .name = "outer-field",
	  .profiles[0] = IP OUTER "tunnels = vlan\n",
	  .kinds = BIT(vlan),
	  .of_stream[0] = BIT(vlan) },
	{ .name = "outer-field-without-tunnels",
	  .profiles[0] = UDP,
	  .profiles[1] = IP OUTER,
	  .says = "s1 reads the header of a tunnel" },
	{ .name = "outer-field-and-none",
	  .profiles[0] = IP OUTER "tunnels = gre\n",
	  .option = "none",
	  .says = "s0 reads the header of a tunnel" },
	{ .name = "outer-id-without-tunnels",
	  .profiles[0] = "[profile p]\nlayer = ip\nid = outer+0:4\nid = packet\n",
	  .says = "s0 reads the header of a tunnel" },
	{ .name = "near-the-end",
	  .profiles[0] = ETHERNET "require = end-14:2 == 0x88fb\n",
	  .option = "gre",
	  .kinds = BIT(gre),
	  .of_stream[0] = BIT(gre) },
	{ .name = "far-from-the-end",
	  .profiles[0] = ETHERNET "require = end-15:2 == 0x88fb\n",
	  .option = "gre",
	  .says = "s0 has a field that begins more than 14 bytes" },
	{ .name = "far-id",
	  .profiles[0] = "[profile p]\nlayer = ethernet\nid = end-20:16\n",
	  .option = "gre",
	  .says = "s0 has a field that begins more than 14 bytes" },
	{ .name = "far-from-the-end-and-vlan",
	  .profiles[0] = ETHERNET "require = end-15:2 == 0x88fb\n",
	  .option = "vlan",
	  .kinds = BIT(vlan),
	  .of_stream[0] = BIT(vlan) },
	{ .name = "far-from-the-end-beside-tunnels",
	  .profiles[0] = ETHERNET "require = end-15:2 == 0x88fb\n",
	  .profiles[1] = IP "tunnels = gre\n",
	  .kinds = BIT(gre),
	  .of_stream[0] = 0,
	  .of_stream[1] = BIT(gre) },
	{ .name = "port-of-two-kinds",
	  .profiles[0] = IP "tunnels = vxlan:9\n",
	  .profiles[1] = UDP "tunnels = geneve:9\n",
	  .says = "two kinds of tunnels have UDP port 9:" },
	{ .name = "too-many-ports",
	  .profiles[0] = IP "tunnels = vxlan:1,2,3,4,5\n",
	  .profiles[1] = UDP "tunnels = gtp:6,7,8,9\n",
	  .says = "more than 8 UDP ports" },
	{ .name = "outer-to-without-tunnels",
	  .profiles[0] = IP,
	  .outer_to = true,
	  .says = "--outer-to is for filters that open tunnels" },
	{ .name = "deliver",
	  .profiles[0] = UDP,
	  .option = "gre",
	  .deliver = true,
	  .says = "--deliver xsk delivers datagrams" },
};

static void make_spec(const struct spec_row *r, struct filter_spec *spec)
{
	static const char *const NAMES[] = { "s0", "s1" };

	*spec = (struct filter_spec){ .capacity = 1000,
				      .fpr_e18 = SPEC_FPR(1e-4),
				      .window_ns = 1000000000,
				      .deliver = r->deliver };
	for (int i = 0; i < 2 && r->profiles[i]; i++) {
		add_stream(spec, NAMES[i], r->profiles[i]);
		spec->streams[i].stream.realm = i;
	}
	if (r->option)
		assert_int_equal(parse_tunnels(r->option, &spec->tunnels), 0);
	spec->given.tunnels = r->option != NULL;
	spec->streams[0].to[0].mask[0] = 0xff;
	spec->streams[0].to_cnt = spec->streams[0].to4_cnt = r->outer_to;
	spec->outer_to[0].mask[0] = 0xffffff;
	spec->outer_to[1].mask[0] = ~0ULL;
	spec->outer_to_cnt = 2 * r->outer_to;
	spec->outer_to4_cnt = r->outer_to;
}

static void check_plan(const struct spec_row *r, const struct dedup_config *c)
{
	const struct dedup_tunnels *t = &c->tunnels;

	assert_int_equal(t->kinds, r->kinds);
	assert_int_equal(t->ports_cnt, r->ports_cnt);
	for (int i = 0; i < 2; i++)
		assert_int_equal(c->policy.opens[i], r->of_stream[i]);
	assert_int_equal(c->policy.frames == DEDUP_FRAMES_INSIDE, r->kinds != 0);
	assert_int_equal(c->policy.any_direct, r->direct);
	assert_int_equal(c->policy.outer_to_cnt, 2 * r->outer_to);
	if (!r->outer_to)
		return;
	assert_int_equal(c->policy.outer_to4_cnt, 1);
	assert_int_equal(c->policy.outer_to_first, 1); /* behind the stream's */
	assert_int_equal(c->policy.to_cnt, 3);
	assert_int_equal(c->policy.to[1].mask[0], 0xffffff);
	assert_true(c->policy.to[2].mask[0] == ~0ULL);
}

TEST_ROWS(spec_is_planned_or_refused, SPECS)
{
	char says[STREAMS_SAYS_MAX] = "";
	struct dedup_config c;
	struct filter_spec spec;
	const char *refusal;

	make_spec(row, &spec);
	refusal = streams_refusal(&spec, says);
	if (row->says) {
		assert_non_null(refusal);
		assert_non_null(strstr(refusal, row->says));
		return;
	}
	assert_null(refusal);
	assert_int_equal(plan_config(&spec, CPUS, HZ, &c), 0);
	check_plan(row, &c);
	assert_true(tunnels_sound(&c.tunnels));
	assert_memory_equal(&c.asked, &spec, sizeof(spec));
}

/* A pinned configuration that is not sound is not used: one value at a time. */
static const struct unsound_row {
	const char *name;
	struct dedup_tunnels t;
} UNSOUND[] = {
	{ "unsound-kinds", { .kinds = DEDUP_TUNNELS_ALL + 1 } },
	{ "unsound-ports", { .ports_cnt = DEDUP_TUNNEL_PORTS_MAX + 1 } },
	{ "unsound-kind-of-port", { .ports_cnt = 1, .ports = { { 1, DEDUP_TUNNELS_CNT } } } },
};

TEST_ROWS(unsound_is_found, UNSOUND)
{
	assert_true(tunnels_sound(&(struct dedup_tunnels){ 0 }));
	assert_false(tunnels_sound(&row->t));
}

UNIT_MAIN()
