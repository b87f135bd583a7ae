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

/* A field, and its new value. */
struct set {
	size_t at, bytes; /* 0 bytes: there are no more */
	uint64_t value;
};
#define SET(field, value)                                                                      \
	{                                                                                      \
		offsetof(struct filter_spec, field), sizeof(((struct filter_spec *)0)->field), \
			(uint64_t)(value)                                                      \
	}
#define NO_LAYOUT \
	SET(bits, 0), SET(hashes, 0), SET(index_bits, 0), SET(countdown_bits, 0), SET(given.bits, 0)
#define VXLAN_9                                                                                \
	SET(tunnels.kinds, DEDUP_TUNNEL_BIT(vxlan)), SET(tunnels.ports_cnt, 1),                \
		SET(tunnels.ports[0].port, 9), SET(tunnels.ports[0].kind, DEDUP_TUNNEL_vxlan), \
		SET(given.tunnels, 1)
#define TO_10                                                                               \
	SET(outer_to[0].addr[0], 10), SET(outer_to[0].mask[0], 0xff), SET(outer_to_cnt, 1), \
		SET(outer_to4_cnt, 1), SET(given.outer_to, 1)

static const struct row {
	const char *name;
	const char *given[7]; /* option, value, ... */
	unsigned int groups;  /* of what was given */
	struct set sets[12];
} ROWS[] = {
	{ "nothing", { NULL }, 0, { { 0 } } },
	{ "capacity",
	  { "--capacity", "9" },
	  OPT_CAPACITY,
	  { NO_LAYOUT, SET(capacity, 9), SET(given.capacity, 1) } },
	/* As the nearest double has it. */
	{ "fpr",
	  { "--fpr", "0.0079" },
	  OPT_FPR,
	  { NO_LAYOUT, SET(fpr_e18, 7900000000000001), SET(given.fpr, 1) } },
	/* The sizes that were given for the ids stay. */
	{ "sources", { "--sources", "9" }, OPT_SOURCES, { SET(sources, 9), SET(given.sources, 1) } },
	{ "paths", { "--paths", "0" }, OPT_SOURCES, { SET(paths, 0), SET(given.paths, 1) } },
	{ "kind",
	  { "--layout", "countdown", "--hash", "fast", "--hashes", "9" },
	  OPT_LAYOUT,
	  { NO_LAYOUT, SET(layout, DEDUP_COUNTDOWN), SET(hash, DEDUP_FAST), SET(hashes, 9),
	    SET(given.layout, 1), SET(given.hash, 1), SET(given.hashes, 1) } },
	{ "for",
	  { "--for", "9s" },
	  OPT_ACTION,
	  { SET(count_only, 0), SET(drop_ns, 9 * S), SET(given.action, 0) } },
	{ "count", { "--action", "count" }, OPT_ACTION, { SET(drop_ns, 0), SET(given.drop_for, 0) } },
	{ "drop",
	  { "--action", "drop" },
	  OPT_ACTION,
	  { SET(count_only, 0), SET(drop_ns, 0), SET(given.drop_for, 0) } },
	{ "comment",
	  { "--comment", "9" },
	  OPT_ACTION,
	  { SET(comment[0], '9'), SET(comment[1], 0), SET(comment[2], 0), SET(comment[3], 0),
	    SET(given.comment, 1) } },
	{ "tunnels", { "--tunnels", "vxlan:9" }, OPT_DESTINATION, { VXLAN_9 } },
	/* Then no header is asked for its destination. */
	{ "no-tunnels",
	  { "--tunnels", "none" },
	  OPT_DESTINATION,
	  { SET(tunnels.kinds, 0), SET(given.tunnels, 1), SET(outer_to_cnt, 0),
	    SET(outer_to4_cnt, 0), SET(given.outer_to, 0) } },
	{ "outer-to", { "--outer-to", "10.0.0.0/8" }, OPT_DESTINATION, { TO_10 } },
	{ "tunnels-and-outer-to",
	  { "--tunnels", "vxlan:9", "--outer-to", "10.0.0.0/8" },
	  OPT_DESTINATION,
	  { VXLAN_9, TO_10 } },
	{ "flags",
	  { "--forwarded", "no", "--learn", "kernel", "--ihave", "drop" },
	  OPT_DESTINATION | OPT_ACTION,
	  { SET(forwarded, 0), SET(learn_app, 0), SET(ihave_pass, 0), SET(given.forwarded, 1),
	    SET(given.learn, 1), SET(given.ihave, 1) } },
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
	for (const struct set *set = row->sets; set->bytes; set++)
		memcpy((char *)&expected + set->at, &set->value, set->bytes);
	assert_memory_equal(&got, &expected, sizeof(got));
	for (unsigned int group = 1; group < OPT_NEXT; group <<= 1)
		assert_int_equal(wish_gives(&w, group), !!(row->groups & group));
}

UNIT_MAIN()
