// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "units.h"

#define DEFAULT_CAPACITY 1000000
#define DEFAULT_FPR 1e-4
#define DEFAULT_WINDOW_NS (600 * 1000000000ULL)
#define WINDOW_MIN_NS (100 * 1000000ULL)
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
		return say_err(-EINVAL, "%s %s: give a rate above 0 and below 1, as in 0.001 or 1e-4",
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
		return say_err(-EINVAL, "%s %s: a window is 100ms to 720h", what, text);
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
	const char *name;
	int has_arg;
	unsigned int group; /* 0: every verb takes it */
	set_fn set;
	const char *env; /* sets the default */
} OPTIONS[] = {
	{ "name", required_argument, OPT_NAME, set_name, NULL },
	{ "mode", required_argument, OPT_MODE, set_mode, NULL },
	{ "port", required_argument, OPT_PORT, set_port, NULL },
	{ "capacity", required_argument, OPT_SIZE, set_capacity, "XDP_DEDUP_CAPACITY" },
	{ "fpr", required_argument, OPT_SIZE, set_fpr, "XDP_DEDUP_FPR" },
	{ "window", required_argument, OPT_WINDOW, set_window, "XDP_DEDUP_WINDOW" },
	{ "action", required_argument, OPT_ACTION, set_action, NULL },
	{ "learn", required_argument, OPT_ACTION, set_learn, NULL },
	{ "json", no_argument, OPT_JSON, set_json, NULL },
	{ "all", no_argument, OPT_ALL, set_all, NULL },
	{ "verbose", no_argument, 0, set_verbose, NULL },
};
#define OPTIONS_CNT (sizeof(OPTIONS) / sizeof(OPTIONS[0]))

static int set_defaults(struct options *o, unsigned int takes)
{
	*o = (struct options){
		.capacity = DEFAULT_CAPACITY,
		.fpr = DEFAULT_FPR,
		.window_ns = DEFAULT_WINDOW_NS,
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

int options_parse(struct options *o, unsigned int takes, int argc, char **argv)
{
	struct option longs[OPTIONS_CNT + 1] = { 0 };
	int index[OPTIONS_CNT];
	char what[32] = "--";
	int cnt = 0, c, i, err;

	for (size_t n = 0; n < OPTIONS_CNT; n++) {
		if (OPTIONS[n].group && !(OPTIONS[n].group & takes))
			continue;
		longs[cnt].name = OPTIONS[n].name;
		longs[cnt].has_arg = OPTIONS[n].has_arg;
		index[cnt++] = n;
	}
	err = set_defaults(o, takes);
	if (err)
		return err;

	optind = 0; /* start afresh, also in a test's second call */
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":", longs, &i)) != -1) {
		if (c == ':')
			return say_err(-EINVAL, "%s needs a value", argv[optind - 1]);
		if (c == '?')
			return say_err(-EINVAL, "%s %s does not take %s; see xdp-dedup help",
				       "xdp-dedup", argv[0], argv[optind - 1]);
		strncpy(what + 2, longs[i].name, sizeof(what) - 3);
		err = OPTIONS[index[i]].set(o, what, optarg);
		if (err)
			return err;
	}
	o->args = argv + optind;
	o->args_cnt = argc - optind;
	return 0;
}
