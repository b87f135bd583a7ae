// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What was given goes over the spec of a filter that runs, and nothing else does. */
#include "unit.h"

#include "wish.h"

#define S 1000000000ULL

/* No value is one that an option gives here, or a default. */
static const struct filter_spec OLD = {
	.capacity = 5,
	.fpr_e18 = SPEC_FPR(0.5),
	.window_ns = 5 * S,
	.layout = DEDUP_FLAT,
	.hash = DEDUP_SIPHASH,
	.bits = 5,
	.hashes = 5,
	.index_bits = 5,
	.countdown_bits = 5,
	.sources = 5,
	.paths = 5,
	.streams_cnt = 5,
	.vlans_cnt = 5,
	.tunnels = { .kinds = DEDUP_TUNNEL_BIT(gre) },
	.outer_to_cnt = 5,
	.outer_to4_cnt = 5,
	.given = { .outer_to = true, .bits = true, .action = true, .drop_for = true },
	.forwarded = true,
	.several = true,
	.count_only = true,
	.drop_ns = 5 * S,
	.learn_app = true,
	.ihave_pass = true,
	.comment = "five",
};

static void no_layout(struct filter_spec *s)
{
	s->bits = s->hashes = s->index_bits = s->countdown_bits = s->given.bits = 0;
}

static void nothing(struct filter_spec *s)
{
	(void)s;
}

static void capacity(struct filter_spec *s)
{
	no_layout(s);
	s->capacity = 9;
	s->given.capacity = true;
}

/* As the nearest double has it. */
static void fpr(struct filter_spec *s)
{
	no_layout(s);
	s->fpr_e18 = 7900000000000001;
	s->given.fpr = true;
}

/* The sizes that were given for the ids stay. */
static void sources(struct filter_spec *s)
{
	s->sources = 9;
	s->given.sources = true;
}

static void paths(struct filter_spec *s)
{
	s->paths = 0;
	s->given.paths = true;
}

static void kind(struct filter_spec *s)
{
	no_layout(s);
	s->layout = DEDUP_COUNTDOWN;
	s->hash = DEDUP_FAST;
	s->hashes = 9;
	s->given.layout = s->given.hash = s->given.hashes = true;
}

static void drop_for(struct filter_spec *s)
{
	s->count_only = false;
	s->drop_ns = 9 * S;
	s->given.action = false;
}

static void only_count(struct filter_spec *s)
{
	s->drop_ns = 0;
	s->given.drop_for = false;
}

static void drop(struct filter_spec *s)
{
	s->count_only = false;
	s->drop_ns = 0;
	s->given.drop_for = false;
}

static void flags(struct filter_spec *s)
{
	s->forwarded = s->learn_app = s->ihave_pass = false;
	s->given.forwarded = s->given.learn = s->given.ihave = true;
}

static void comment(struct filter_spec *s)
{
	strncpy(s->comment, "9", sizeof(s->comment));
	s->given.comment = true;
}

static void tunnels(struct filter_spec *s)
{
	s->tunnels = (struct dedup_tunnels){ .kinds = DEDUP_TUNNEL_BIT(vxlan),
					     .ports = { { 9, DEDUP_TUNNEL_vxlan } },
					     .ports_cnt = 1 };
	s->given.tunnels = true;
}

/* Then no header is asked for its destination. */
static void no_tunnels(struct filter_spec *s)
{
	s->tunnels = (struct dedup_tunnels){ 0 };
	s->given.tunnels = true;
	s->outer_to_cnt = s->outer_to4_cnt = s->given.outer_to = 0;
}

static void outer_to(struct filter_spec *s)
{
	s->outer_to[0].addr[0] = 10;
	s->outer_to[0].mask[0] = 0xff;
	s->outer_to_cnt = s->outer_to4_cnt = 1;
	s->given.outer_to = true;
}

static void tunnels_and_outer_to(struct filter_spec *s)
{
	tunnels(s);
	outer_to(s);
}

static const struct row {
	const char *name;
	const char *given[7]; /* option, value, ... */
	void (*change)(struct filter_spec *s);
	unsigned int groups; /* of what was given */
} ROWS[] = {
	{ "nothing", { NULL }, nothing, 0 },
	{ "capacity", { "--capacity", "9" }, capacity, OPT_CAPACITY },
	{ "fpr", { "--fpr", "0.0079" }, fpr, OPT_FPR },
	{ "sources", { "--sources", "9" }, sources, OPT_SOURCES },
	{ "paths", { "--paths", "0" }, paths, OPT_SOURCES },
	{ "kind", { "--layout", "countdown", "--hash", "fast", "--hashes", "9" }, kind, OPT_LAYOUT },
	{ "for", { "--for", "9s" }, drop_for, OPT_ACTION },
	{ "count", { "--action", "count" }, only_count, OPT_ACTION },
	{ "drop", { "--action", "drop" }, drop, OPT_ACTION },
	{ "comment", { "--comment", "9" }, comment, OPT_ACTION },
	{ "tunnels", { "--tunnels", "vxlan:9" }, tunnels, OPT_DESTINATION },
	{ "no-tunnels", { "--tunnels", "none" }, no_tunnels, OPT_DESTINATION },
	{ "outer-to", { "--outer-to", "10.0.0.0/8" }, outer_to, OPT_DESTINATION },
	{ "tunnels-and-outer-to",
	  { "--tunnels", "vxlan:9", "--outer-to", "10.0.0.0/8" },
	  tunnels_and_outer_to,
	  OPT_DESTINATION },
	{ "flags",
	  { "--forwarded", "no", "--learn", "kernel", "--ihave", "drop" },
	  flags,
	  OPT_DESTINATION | OPT_ACTION },
};

static void give(struct wish *w, const char *option, const char *value)
{
	for (const struct args_option *row = WISH_OPTIONS; row->option; row++)
		if (!strcmp(row->option, option))
			assert_int_equal(args_set(row, w, option, value), 0);
}

TEST_ROWS(given_goes_over, ROWS)
{
	struct filter_spec got = OLD, expected = OLD;
	struct wish w;

	wish_begin(&w);
	for (const char *const *g = row->given; *g; g += 2)
		give(&w, g[0], g[1]);
	wish_apply(&w, &got);
	row->change(&expected);
	assert_memory_equal(&got, &expected, sizeof(got));
	for (unsigned int group = 1; group < OPT_NEXT; group <<= 1)
		assert_int_equal(wish_gives(&w, group), !!(row->groups & group));
}

UNIT_MAIN()
