// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "positions.h"
#include "say.h"
#include "shape.h"
#include "units.h"

#define DEFAULT_CAPACITY 1000000
#define DEFAULT_FPR 1e-4
#define DEFAULT_WINDOW_NS (600 * 1000000000ULL)
#define WINDOW_MIN_NS (10 * 1000000ULL)
#define WINDOW_MAX_NS (30 * 24 * 3600 * 1000000000ULL)

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
	int err = parse_ports(text, o->ports, &o->ports_cnt);

	if (err == -E2BIG)
		return say_err(-EINVAL, "%s %s: at most %d ports or ranges", what, text,
			       DEDUP_PORTS_MAX);
	if (err)
		return say_err(-EINVAL, "%s %s: give UDP ports from 1 to 65535, as in 8001,9000-9010",
			       what, text);
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
	o->capacity = value;
	return 0;
}

static int set_fpr(struct options *o, const char *what, const char *text)
{
	if (parse_rate(text, &o->fpr))
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
			       "%s %s: give a time with its unit, as in 500ms, 30s, 10m or 2h",
			       what, text);
	if (value < WINDOW_MIN_NS || value > WINDOW_MAX_NS)
		return say_err(-EINVAL, "%s %s: a window is 10ms to 720h", what, text);
	o->window_ns = value;
	return 0;
}

static int set_action(struct options *o, const char *what, const char *text)
{
	o->count_only = !strcmp(text, "count");
	if (!o->count_only && strcmp(text, "drop"))
		return say_err(-EINVAL, "%s %s: it is drop or count", what, text);
	return 0;
}

static int set_learn(struct options *o, const char *what, const char *text)
{
	o->learn_app = !strcmp(text, "app");
	if (!o->learn_app && strcmp(text, "kernel"))
		return say_err(-EINVAL, "%s %s: it is kernel or app", what, text);
	return 0;
}

static int set_ihave(struct options *o, const char *what, const char *text)
{
	o->ihave_pass = !strcmp(text, "pass");
	if (!o->ihave_pass && strcmp(text, "drop"))
		return say_err(-EINVAL, "%s %s: it is drop or pass", what, text);
	return 0;
}

static int set_layout(struct options *o, const char *what, const char *text)
{
	int layout = shape_layout(text);

	if (layout < 0)
		return say_err(-EINVAL, "%s %s: it is blocked, flat or countdown", what, text);
	o->layout = layout;
	return 0;
}

static int set_hash(struct options *o, const char *what, const char *text)
{
	int hash = shape_hash(text);

	if (hash < 0)
		return say_err(-EINVAL, "%s %s: it is fast, siphash, colibri, fips, fnv1a or tezos",
			       what, text);
	o->hash = hash;
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
	return set_number(&o->bits, what, text, UINT32_MAX);
}

static int set_hashes(struct options *o, const char *what, const char *text)
{
	return set_number(&o->hashes, what, text, DEDUP_HASHES_MAX);
}

static int set_index_bits(struct options *o, const char *what, const char *text)
{
	return set_number(&o->index_bits, what, text, 24);
}

static int set_countdown_bits(struct options *o, const char *what, const char *text)
{
	return set_number(&o->countdown_bits, what, text, 24);
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

static int set_all(struct options *o, const char *what, const char *text)
{
	(void)what, (void)text;
	o->all = true;
	return 0;
}

static int set_verbose(struct options *o, const char *what, const char *text)
{
	(void)what, (void)text;
	o->verbose = true;
	return 0;
}

static const struct {
	const char *name, *option; /* without and with its dashes */
	bool has_value;
	unsigned int group; /* 0: every verb takes it */
	set_fn set;
	const char *env; /* sets the default */
} OPTIONS[] = {
	{ "name", "--name", true, OPT_NAME, set_name, NULL },
	{ "mode", "--mode", true, OPT_MODE, set_mode, NULL },
	{ "port", "--port", true, OPT_PORT, set_port, NULL },
	{ "capacity", "--capacity", true, OPT_CAPACITY, set_capacity, "XDP_DEDUP_CAPACITY" },
	{ "fpr", "--fpr", true, OPT_FPR, set_fpr, "XDP_DEDUP_FPR" },
	{ "window", "--window", true, OPT_WINDOW, set_window, "XDP_DEDUP_WINDOW" },
	{ "action", "--action", true, OPT_ACTION, set_action, NULL },
	{ "learn", "--learn", true, OPT_ACTION, set_learn, NULL },
	{ "ihave", "--ihave", true, OPT_ACTION, set_ihave, NULL },
	{ "layout", "--layout", true, OPT_SHAPE, set_layout, NULL },
	{ "hash", "--hash", true, OPT_SHAPE, set_hash, NULL },
	{ "bits", "--bits", true, OPT_SHAPE, set_bits, NULL },
	{ "hashes", "--hashes", true, OPT_SHAPE, set_hashes, NULL },
	{ "index-bits", "--index-bits", true, OPT_SHAPE, set_index_bits, NULL },
	{ "countdown-bits", "--countdown-bits", true, OPT_SHAPE, set_countdown_bits, NULL },
	{ "ids", "--ids", true, OPT_BENCH, set_ids, NULL },
	{ "fill", "--fill", true, OPT_BENCH, set_fill, NULL },
	{ "rounds", "--rounds", true, OPT_BENCH, set_rounds, NULL },
	{ "copies", "--copies", true, OPT_BENCH, set_copies, NULL },
	{ "warm", "--warm", true, OPT_BENCH, set_warm, NULL },
	{ "json", "--json", false, OPT_JSON, set_json, NULL },
	{ "all", "--all", false, OPT_ALL, set_all, NULL },
	{ "verbose", "--verbose", false, 0, set_verbose, NULL },
};
#define OPTIONS_CNT (sizeof(OPTIONS) / sizeof(OPTIONS[0]))

static int set_defaults(struct options *o, unsigned int takes)
{
	*o = (struct options){
		.capacity = DEFAULT_CAPACITY,
		.fpr = DEFAULT_FPR,
		.window_ns = DEFAULT_WINDOW_NS,
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

/* The option of this name (up to '=', without the dashes) that a verb takes, or -1. */
static int find_option(const char *name, unsigned int takes)
{
	size_t len = strcspn(name, "=");

	for (size_t i = 0; i < OPTIONS_CNT; i++)
		if (strlen(OPTIONS[i].name) == len && !strncmp(OPTIONS[i].name, name, len) &&
		    (!OPTIONS[i].group || OPTIONS[i].group & takes))
			return i;
	return -1;
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
		n = word[1] == '-' ? find_option(word + 2, takes) : -1;
		if (n < 0)
			return say_err(-EINVAL, "%s does not take %s; see xdp-dedup help", argv[0],
				       word);
		if (!OPTIONS[n].has_value && value)
			return say_err(-EINVAL, "--%s takes no value", OPTIONS[n].name);
		if (OPTIONS[n].has_value && !value && i + 1 == argc)
			return say_err(-EINVAL, "%s needs a value", word);
		if (OPTIONS[n].has_value)
			value = value ? value + 1 : argv[++i];
		err = OPTIONS[n].set(o, OPTIONS[n].option, value);
	}
	o->args = argv + 1;
	o->args_cnt = cnt;
	return err;
}
