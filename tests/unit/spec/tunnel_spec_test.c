// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tunnels: as people write them, what goes with them, and what a plan makes of them. */
#include "unit.h"

#include "plan.h"
#include "sim.h"
#include "streams.h"
#include "tunnels.h"

#define BIT(name) DEDUP_TUNNEL_BIT(name)
#define CPUS 2
#define HZ 250

static const struct text_row {
	const char *name, *text; /* refused: several, with | between them */
	int result;
	const char *again; /* as format_tunnels() writes it; NULL: as `text` */
	const char *ports; /* each with its kind; NULL: none */
} TEXTS[] = {
	{ "none", "none", .result = 0 },
	{ "one", "gre", .result = 0 },
	{ "usual-port", "geneve", .ports = "geneve:6081" },
	{ "usual-port-given", "gtp:2152", .again = "gtp", .ports = "gtp:2152" },
	{ "usual-ports", "vxlan", .ports = "vxlan:4789 vxlan:4790" },
	{ "one-of-the-usual", "vxlan:4789", .ports = "vxlan:4789" },
	{ "ports", "vlan,vxlan:4789,8472", .ports = "vxlan:4789 vxlan:8472" },
	{ "ports-then-name", "vxlan:1,2,gtp:3,mpls", .again = "mpls,vxlan:1,2,gtp:3",
	  .ports = "vxlan:1 vxlan:2 gtp:3" },
	{ "twice", "vxlan:9,vxlan:9,gre,gre", .again = "gre,vxlan:9", .ports = "vxlan:9" },
	{ "all", "all", .ports = "vxlan:4789 vxlan:4790 geneve:6081 gtp:2152 tzsp:37008 erm:7932" },
	{ "all-and-port", "all,vxlan:8472",
	  .ports = "vxlan:8472 geneve:6081 gtp:2152 tzsp:37008 erm:7932" },
	{ "most-ports", "vxlan:1,2,3,4,5,6,7,8",
	  .ports = "vxlan:1 vxlan:2 vxlan:3 vxlan:4 vxlan:5 vxlan:6 vxlan:7 vxlan:8" },
	{ "too-many-ports", "vxlan:1,2,3,4,5,6,7,8,9", .result = -E2BIG },
	{ "too-many-with-usual", "vxlan:1,2,3,4,5,6,7,geneve,gtp", .result = -E2BIG },
	{ "port-of-two-kinds", "vxlan:8,geneve:8", .result = 8 },
	{ "usual-port-of-another", "geneve:4789,vxlan", .result = 4789 },
	{ "refused",
	  "|gre,,vxlan|gre,|gre,l2tp|vx|GRE|gre, vxlan|none,gre|gre,none|gre:47|all:8472|8472|vxlan,8472|"
	  "vxlan:|vxlan:1,|vxlan:0|vxlan:65536|vxlan:8472-8473|vxlan:x|"
	  "vxlan:00000000000000000000000004789",
	  .result = -EINVAL },
};

static const char *ports_of(const struct dedup_tunnels *t)
{
	static char text[256];
	int len = 0;

	*text = '\0';
	for (uint32_t i = 0; i < t->ports_cnt; i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%s:%u", i ? " " : "",
				tunnel_name(t->ports[i].kind), t->ports[i].port);
	return text;
}

TEST_ROWS(text_is_taken_or_refused, TEXTS)
{
	char *texts = strdup(row->text), *rest = texts, *text;
	struct dedup_tunnels got, before;

	memset(&got, 0x55, sizeof(got));
	before = got;
	while ((text = strsep(&rest, "|"))) {
		if (parse_tunnels(text, &got) != row->result)
			fail_msg("%s", text);
		if (row->result)
			assert_memory_equal(&got, &before, sizeof(got));
	}
	free(texts);
	if (row->result)
		return;
	assert_string_equal(ports_of(&got), row->ports ?: "");
	assert_string_equal(FORMAT_TUNNELS(&got, got.kinds), row->again ?: row->text);
}

#define UDP "layer = udp\nports = 8001-8010\nid = payload+0:8\n"
#define IP "layer = ip\nid = packet\n"
#define ETHERNET "layer = ethernet\nid = frame\n"
#define OUTER "require = outer+4:3 == 0x000007\n"

/* Streams, and what comes of them. */
static const struct spec_row {
	const char *name, *a, *b; /* a, b: profiles */
	const char *option;	  /* --tunnels; NULL: not given */
	const char *says;	  /* why they are refused: a part of it; NULL: they are not */
	uint32_t opens_a, opens_b;
	uint32_t ports_cnt;
	bool direct; /* the first stream is taken by the short cut */
	bool outer_to, deliver;
} SPECS[] = {
	{ "no-tunnels", .a = UDP, .direct = true },
	{ "option-for-all", .a = UDP, .b = IP "tunnels = gre\n", .option = "vxlan:4789",
	  .opens_a = BIT(vxlan), .opens_b = BIT(vxlan), .ports_cnt = 1 },
	{ "option-none", .a = UDP, .b = IP "tunnels = gre\n", .option = "none" },
	{ "each-its-own", .a = UDP "tunnels = gre,vxlan:1\n", .b = IP "tunnels = vxlan:2,mpls\n",
	  .opens_a = BIT(gre) | BIT(vxlan), .opens_b = BIT(vxlan) | BIT(mpls), .ports_cnt = 2 },
	{ "tunnel-to-a-port-of-the-stream", .a = UDP, .option = "vxlan:8010", .opens_a = BIT(vxlan),
	  .ports_cnt = 1 },
	{ "tunnel-on-one-of-the-ranges", .a = "layer = udp\nports = 8001,8005\nid = payload+0:8\n",
	  .option = "vxlan:8005", .opens_a = BIT(vxlan), .ports_cnt = 1 },
	{ "tunnel-beside-the-ports", .a = UDP, .option = "vxlan:8011,8000", .opens_a = BIT(vxlan),
	  .ports_cnt = 2, .direct = true },
	{ "outer-to", .a = IP, .option = "gre", .opens_a = BIT(gre), .outer_to = true },
	{ "outer-field", .a = IP OUTER "tunnels = vlan\n", .opens_a = BIT(vlan) },
	{ "outer-field-without-tunnels", .a = UDP, .b = IP OUTER,
	  .says = "s1 reads the header of a tunnel" },
	{ "outer-field-and-none", .a = IP OUTER "tunnels = gre\n", .option = "none",
	  .says = "s0 reads the header of a tunnel" },
	{ "outer-id-without-tunnels", .a = "layer = ip\nid = outer+0:4\nid = packet\n",
	  .says = "s0 reads the header of a tunnel" },
	{ "near-the-end", .a = ETHERNET "require = end-14:2 == 0x88fb\n", .option = "gre",
	  .opens_a = BIT(gre) },
	{ "far-from-the-end", .a = ETHERNET "require = end-15:2 == 0x88fb\n", .option = "gre",
	  .says = "s0 has a field that begins more than 14 bytes" },
	{ "far-id", .a = "layer = ethernet\nid = end-20:16\n", .option = "gre",
	  .says = "s0 has a field that begins more than 14 bytes" },
	{ "far-from-the-end-and-vlan", .a = ETHERNET "require = end-15:2 == 0x88fb\n",
	  .option = "vlan", .opens_a = BIT(vlan) },
	{ "far-from-the-end-beside-tunnels", .a = ETHERNET "require = end-15:2 == 0x88fb\n",
	  .b = IP "tunnels = gre\n", .opens_b = BIT(gre) },
	{ "port-of-two-kinds", .a = IP "tunnels = vxlan:9\n", .b = UDP "tunnels = geneve:9\n",
	  .says = "two kinds of tunnels have UDP port 9:" },
	{ "too-many-ports", .a = IP "tunnels = vxlan:1,2,3,4,5\n",
	  .b = UDP "tunnels = gtp:6,7,8,9\n", .says = "more than 8 UDP ports" },
	{ "outer-to-without-tunnels", .a = IP, .outer_to = true,
	  .says = "--outer-to is for filters that open tunnels" },
	{ "deliver", .a = UDP, .option = "gre", .deliver = true,
	  .says = "--deliver xsk delivers datagrams" },
};

static void make_spec(const struct spec_row *r, struct filter_spec *spec)
{
	const char *const profiles[] = { r->a, r->b }, *const names[] = { "s0", "s1" };

	*spec = (struct filter_spec){ .capacity = 1000,
				      .fpr_e18 = SPEC_FPR(1e-4),
				      .window_ns = 1000000000,
				      .deliver = r->deliver };
	for (int i = 0; i < 2 && profiles[i]; i++) {
		profile_stream(&spec->streams[spec->streams_cnt++], names[i], profiles[i]);
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

	assert_int_equal(t->kinds, r->opens_a | r->opens_b);
	assert_int_equal(t->ports_cnt, r->ports_cnt);
	assert_int_equal(c->policy.opens[0], r->opens_a);
	assert_int_equal(c->policy.opens[1], r->opens_b);
	assert_int_equal(c->policy.frames == DEDUP_FRAMES_INSIDE, t->kinds != 0);
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
