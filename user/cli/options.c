// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "positions.h"
#include "prefixes.h"
#include "say.h"
#include "layout.h"
#include "units.h"

#define HELP_COLUMN 20 /* letters of an option and its value */

/* Sets one option from its text; 0, or -EINVAL after having said why. `what` is how
 * the user named it.
 */
typedef int (*set_fn)(struct options *o, const char *what, const char *text);

static int set_name(struct options *o, const char *what, const char *text)
{
	(void)what;
	o->name = text;
	return 0;
}

static int set_mode(struct options *o, const char *what, const char *text)
{
	if (!strcmp(text, "native"))
		o->mode = MODE_NATIVE;
	else if (!strcmp(text, "skb"))
		o->mode = MODE_SKB;
	else if (!strcmp(text, "hw"))
		o->mode = MODE_HW;
	else
		return say_err(-EINVAL, "%s %s: it is native, skb or hw", what, text);
	return 0;
}

static int set_port(struct options *o, const char *what, const char *text)
{
	int err = parse_ports(text, o->spec.ports, &o->spec.ports_cnt);

	if (err == -E2BIG)
		return say_err(-EINVAL, "%s %s: at most %d ports or ranges", what, text,
			       DEDUP_PORTS_MAX);
	if (err)
		return say_err(-EINVAL, "%s %s: give UDP ports from 1 to 65535, as in 8001,9000-9010",
			       what, text);
	return 0;
}

static int set_to(struct options *o, const char *what, const char *text)
{
	int err = parse_prefixes(text, o->spec.to, &o->spec.to_cnt, &o->spec.to4_cnt);

	if (err == -E2BIG)
		return say_err(-EINVAL, "%s %s: at most %d destinations", what, text, DEDUP_TO_MAX);
	if (err == -EDOM)
		return say_err(-EINVAL,
			       "%s %s: write a prefix of IPv4 as 192.0.2.0/24, without ::ffff:", what,
			       text);
	if (err)
		return say_err(-EINVAL,
			       "%s %s: give addresses or prefixes, as in 192.0.2.1,2001:db8::/64",
			       what, text);
	return 0;
}

static int set_forwarded(struct options *o, const char *what, const char *text)
{
	(void)what, (void)text;
	o->spec.forwarded = true;
	return 0;
}

static int set_capacity(struct options *o, const char *what, const char *text)
{
	uint64_t value;

	if (parse_count(text, &value))
		return say_err(-EINVAL, "%s %s: give a number of ids, as in 500000, 250k or 1M",
			       what, text);
	if (!value)
		return say_err(-EINVAL, "%s 0: a filter must hold at least 1 id", what);
	o->spec.capacity = value;
	return 0;
}

static int set_fpr(struct options *o, const char *what, const char *text)
{
	if (parse_rate(text, &o->spec.fpr))
		return say_err(
			-EINVAL, "%s %s: give a rate above 0 and below 1, as in 0.001 or 1e-4 (at least 1e-18)",
			what, text);
	return 0;
}

static int set_window(struct options *o, const char *what, const char *text)
{
	uint64_t value;

	if (parse_time(text, &value))
		return say_err(-EINVAL,
			       "%s %s: give a time with its unit, as in 500ms, 30s, 10m, 2h or 1d",
			       what, text);
	if (value < SPEC_WINDOW_MIN_NS || value > SPEC_WINDOW_MAX_NS)
		return say_err(-EINVAL, "%s %s: a window is 10ms to 30d", what, text);
	o->spec.window_ns = value;
	return 0;
}

static int set_action(struct options *o, const char *what, const char *text)
{
	o->spec.count_only = !strcmp(text, "count");
	if (!o->spec.count_only && strcmp(text, "drop"))
		return say_err(-EINVAL, "%s %s: it is drop or count", what, text);
	return 0;
}

static int set_learn(struct options *o, const char *what, const char *text)
{
	o->spec.learn_app = !strcmp(text, "app");
	if (!o->spec.learn_app && strcmp(text, "kernel"))
		return say_err(-EINVAL, "%s %s: it is kernel or app", what, text);
	return 0;
}

static int set_ihave(struct options *o, const char *what, const char *text)
{
	o->spec.ihave_pass = !strcmp(text, "pass");
	if (!o->spec.ihave_pass && strcmp(text, "drop"))
		return say_err(-EINVAL, "%s %s: it is drop or pass", what, text);
	return 0;
}

static int set_layout(struct options *o, const char *what, const char *text)
{
	int layout = layout_find(text);

	if (layout < 0)
		return say_err(-EINVAL, "%s %s: it is blocked, flat or countdown", what, text);
	o->spec.layout = layout;
	return 0;
}

static int set_hash(struct options *o, const char *what, const char *text)
{
	int hash = hash_find(text);

	if (hash < 0)
		return say_err(-EINVAL, "%s %s: it is fast, siphash, colibri, fips, fnv1a or tezos",
			       what, text);
	o->spec.hash = hash;
	return 0;
}

/* A number from 1 to max. */
static int set_number(uint32_t *to, const char *what, const char *text, uint32_t max)
{
	uint64_t value;

	if (parse_count(text, &value) || value < 1 || value > max)
		return say_err(-EINVAL, "%s %s: give a number from 1 to %u", what, text, max);
	*to = value;
	return 0;
}

static int set_bits(struct options *o, const char *what, const char *text)
{
	return set_number(&o->spec.bits, what, text, UINT32_MAX);
}

static int set_hashes(struct options *o, const char *what, const char *text)
{
	return set_number(&o->spec.hashes, what, text, DEDUP_HASHES_MAX);
}

static int set_index_bits(struct options *o, const char *what, const char *text)
{
	return set_number(&o->spec.index_bits, what, text, 24);
}

static int set_countdown_bits(struct options *o, const char *what, const char *text)
{
	return set_number(&o->spec.countdown_bits, what, text, 24);
}

static int set_ids(struct options *o, const char *what, const char *text)
{
	const char *at = text;
	char one[32];

	o->ids_cnt = 0;
	do {
		size_t len = strcspn(at, ",");
		uint64_t value = 0;

		snprintf(one, sizeof(one), "%.*s", (int)len, at);
		if (len >= sizeof(one) || parse_count(one, &value) || value < BENCH_IDS_MIN ||
		    value > BENCH_IDS_MAX || o->ids_cnt == BENCH_SIZES_MAX)
			return say_err(-EINVAL,
				       "%s %s: give up to %d numbers of ids from 1k to 1G, "
				       "as in 10k,1M",
				       what, text, BENCH_SIZES_MAX);
		o->ids[o->ids_cnt++] = value;
		at += len;
	} while (*at++);
	return 0;
}

static int set_fill(struct options *o, const char *what, const char *text)
{
	o->fill = 1;
	if (strcmp(text, "1") && (parse_rate(text, &o->fill) || o->fill < BENCH_FILL_MIN))
		return say_err(-EINVAL, "%s %s: give a part of the capacity, from %g to 1", what,
			       text, BENCH_FILL_MIN);
	return 0;
}

static int set_rounds(struct options *o, const char *what, const char *text)
{
	return set_number(&o->rounds, what, text, BENCH_ROUNDS_MAX);
}

static int set_copies(struct options *o, const char *what, const char *text)
{
	uint32_t copies = 0;
	int err = set_number(&copies, what, text, BENCH_COPIES_MAX);

	o->copies = copies;
	return err;
}

static int set_warm(struct options *o, const char *what, const char *text)
{
	if (!parse_count(text, &o->warm) && o->warm <= BENCH_WARM_MAX)
		return 0;
	return say_err(-EINVAL, "%s %s: give a number of packets from 0 to %d", what, text,
		       BENCH_WARM_MAX);
}

static int set_json(struct options *o, const char *what, const char *text)
{
	(void)what, (void)text;
	o->json = true;
	return 0;
}

static int set_exact(struct options *o, const char *what, const char *text)
{
	(void)what, (void)text;
	o->exact = true;
	return 0;
}

static int set_all(struct options *o, const char *what, const char *text)
{
	(void)what, (void)text;
	o->all = true;
	return 0;
}

static int set_force(struct options *o, const char *what, const char *text)
{
	(void)what, (void)text;
	o->force = true;
	return 0;
}

static int set_verbose(struct options *o, const char *what, const char *text)
{
	(void)what, (void)text;
	o->verbose = true;
	return 0;
}

/* One source for parsing, help and usage. */
static const struct {
	const char *option, *value; /* NULL: it takes none */
	unsigned int group;	    /* 0: every verb takes it */
	set_fn set;
	const char *env;  /* sets the default */
	const char *help; /* lines; the default in parentheses */
} OPTIONS[] = {
	{ "--name", "NAME", OPT_NAME, set_name, NULL,
	  "the filter's (load: the first interface's name)" },
	{ "--mode", "MODE", OPT_MODE, set_mode, NULL, "native, skb or hw (native, or else skb)" },
	{ "--port", "PORTS", OPT_PORT, set_port, NULL,
	  "UDP destination ports, as in 8001,9000-9010 (no default)" },
	{ "--capacity", "N", OPT_CAPACITY, set_capacity, "XDP_DEDUP_CAPACITY",
	  "ids a window, as in 250k or 1M (1M)" },
	{ "--fpr", "P", OPT_FPR, set_fpr, "XDP_DEDUP_FPR",
	  "bound on the rate at which fresh events are lost (1e-4)" },
	{ "--window", "TIME", OPT_WINDOW, set_window, "XDP_DEDUP_WINDOW",
	  "an id is remembered so long, at most twice, as in 30s or 1d (10m)" },
	{ "--action", "ACTION", OPT_ACTION, set_action, NULL,
	  "drop duplicates, or only count them (drop)" },
	{ "--learn", "WHO", OPT_ACTION, set_learn, NULL,
	  "kernel: ids of packets; app: only what `add` adds (kernel)" },
	{ "--to", "DESTINATIONS", OPT_DESTINATION, set_to, NULL,
	  "only packets to these addresses or prefixes, as in\n"
	  "192.0.2.1,2001:db8::/64 (all that are for this host)" },
	{ "--forwarded", NULL, OPT_DESTINATION, set_forwarded, NULL,
	  "also frames for other hosts' MACs: mirrored or forwarded traffic" },
	{ "--ihave", "WHAT", OPT_ACTION, set_ihave, NULL,
	  "drop IHAVEs whose every id is known, or pass them all (drop)" },
	{ "--layout", "LAYOUT", OPT_SHAPE, set_layout, NULL, "blocked, flat or countdown (blocked)" },
	{ "--hash", "HASH", OPT_SHAPE, set_hash, NULL,
	  "fast or siphash; flat and countdown also have\n"
	  "colibri, fips, fnv1a and tezos (fast)" },
	{ "--bits", "M", OPT_SHAPE, set_bits, NULL, "flat: bits of an array (what --fpr asks for)" },
	{ "--hashes", "K", OPT_SHAPE, set_hashes, NULL,
	  "flat, countdown: probes, 1 to 32 (what --fpr asks for)" },
	{ "--index-bits", "N", OPT_SHAPE, set_index_bits, NULL,
	  "countdown: 2^N cells, 1 to 24 (what --fpr asks for)" },
	{ "--countdown-bits", "N", OPT_SHAPE, set_countdown_bits, NULL,
	  "countdown: an id lasts 2^N - 1 countdowns, 1 to 24 (4)" },
	{ "--ids", "N,N...", OPT_BENCH, set_ids, NULL, "in the window (10k,1M,10M,100M)" },
	{ "--fill", "PART", OPT_BENCH, set_fill, NULL, "of the capacity that these are (1)" },
	{ "--rounds", "N", OPT_BENCH, set_rounds, NULL, "that medians are of (11)" },
	{ "--copies", "N", OPT_BENCH, set_copies, NULL,
	  "ids that come on two CPUs at the same instant (1M)" },
	{ "--warm", "N", OPT_BENCH, set_warm, NULL,
	  "packets before those that are measured, 0: as after a pause\n"
	  "(a steady stream: half of the ids, 10k to 500k)" },
	{ "--json", NULL, OPT_JSON, set_json, NULL, "for programs: one object, raw numbers" },
	{ "--exact", NULL, OPT_EXACT, set_exact, NULL,
	  "fill and estimates from all of the memory, of more than 4 MB too;\n"
	  "else from a sample (counters are exact anyhow)" },
	{ "--all", NULL, OPT_ALL, set_all, NULL, "every filter" },
	{ "--force", NULL, OPT_FORCE, set_force, NULL,
	  "remove pins also if it cannot be told that nothing uses them" },
	{ "--verbose", NULL, 0, set_verbose, NULL, "show what libbpf and libxdp say" },
};
#define OPTIONS_CNT (sizeof(OPTIONS) / sizeof(OPTIONS[0]))

static int set_defaults(struct options *o, unsigned int takes)
{
	*o = (struct options){
		.spec = { .capacity = SPEC_CAPACITY_DEFAULT,
			  .fpr = SPEC_FPR_DEFAULT,
			  .window_ns = SPEC_WINDOW_DEFAULT_NS },
		.ids = { 10000, 1000000, 10000000, 100000000 },
		.ids_cnt = 4,
		.fill = 1,
		.rounds = 11,
		.copies = 1000000,
		.warm = BENCH_WARM_AUTO,
	};
	for (size_t i = 0; i < OPTIONS_CNT; i++) {
		const char *text = OPTIONS[i].env ? getenv(OPTIONS[i].env) : NULL;
		int err;

		if (!text || !*text || !(OPTIONS[i].group & takes))
			continue;
		err = OPTIONS[i].set(o, OPTIONS[i].env, text);
		if (err)
			return err;
	}
	return 0;
}

static bool is_taken(size_t option, unsigned int takes)
{
	return !OPTIONS[option].group || OPTIONS[option].group & takes;
}

/* The option of this name (up to '=') that a verb takes, or -1. */
static int find_option(const char *name, unsigned int takes)
{
	size_t len = strcspn(name, "=");

	for (size_t i = 0; i < OPTIONS_CNT; i++)
		if (strlen(OPTIONS[i].option) == len && !strncmp(OPTIONS[i].option, name, len) &&
		    is_taken(i, takes))
			return i;
	return -1;
}

bool options_ask_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static void print_option(const char *option, const char *value, const char *help)
{
	char head[HELP_COLUMN + 1];
	const char *line = help;

	snprintf(head, sizeof(head), "%s%s%s", option, value ? " " : "", value ?: "");
	do {
		size_t len = strcspn(line, "\n");

		printf("  %-*s %.*s\n", HELP_COLUMN, line == help ? head : "", (int)len, line);
		line += len;
	} while (*line++);
}

void options_print_help(unsigned int takes)
{
	for (size_t i = 0; i < OPTIONS_CNT; i++)
		if (is_taken(i, takes))
			print_option(OPTIONS[i].option, OPTIONS[i].value, OPTIONS[i].help);
	print_option("--help", NULL, "this text");
	for (size_t i = 0; i < OPTIONS_CNT; i++)
		if (OPTIONS[i].env && is_taken(i, takes))
			printf("%s sets the default of %s.\n", OPTIONS[i].env, OPTIONS[i].option);
}

/* Names are exact, unlike getopt_long's: a short form would change its meaning as
 * options are added.
 */
int options_parse(struct options *o, unsigned int takes, int argc, char **argv)
{
	int cnt = 0, err = set_defaults(o, takes);
	bool ended = false;

	for (int i = 1; i < argc && !err; i++) {
		const char *word = argv[i], *value = strchr(word, '=');
		int n;

		if (ended || word[0] != '-' || !word[1]) {
			argv[1 + cnt++] = argv[i];
			continue;
		}
		if (!strcmp(word, "--")) {
			ended = true;
			continue;
		}
		n = find_option(word, takes);
		if (n < 0)
			return say_err(-EINVAL, "%s does not take %s; see xdp-dedup %s --help",
				       argv[0], word, argv[0]);
		if (!OPTIONS[n].value && value)
			return say_err(-EINVAL, "%s takes no value", OPTIONS[n].option);
		if (OPTIONS[n].value && !value && i + 1 == argc)
			return say_err(-EINVAL, "%s needs a value", word);
		if (OPTIONS[n].value)
			value = value ? value + 1 : argv[++i];
		err = OPTIONS[n].set(o, OPTIONS[n].option, value);
	}
	o->args = argv + 1;
	o->args_cnt = cnt;
	return err;
}
