// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "counters.h"
#include "say.h"
#include "verbs.h"
#include "version.h"

static const struct verb {
	const char *name;
	int (*run)(const struct options *o);
	unsigned int takes;	/* options, of OPT_* */
	int args_min, args_max; /* beside the options */
	const char *usage, *help;
} VERBS[] = {
	{ "load", verb_load, OPT_LOAD, 1, DEDUP_IFACES_MAX, "IFNAME... --port PORTS [options]",
	  "attach one filter to these interfaces" },
	{ "unload", verb_unload, OPT_NAME | OPT_ALL, 0, INT_MAX, "IFNAME... | --name NAME | --all",
	  "detach; without interfaces left the filter goes" },
	{ "status", verb_status, OPT_JSON, 0, 1, "[NAME] [--json]",
	  "show geometry, window, fill and counters" },
	{ "rotate", verb_rotate, 0, 1, 1, "NAME", "age every id by a window, or a countdown, now" },
	{ "reset", verb_reset, 0, 1, 1, "NAME", "forget every id now" },
	{ "add", verb_add, 0, 2, INT_MAX, "NAME ID... | NAME -",
	  "learn ids (64 hex digits; - reads lines)" },
	{ "test", verb_test, 0, 2, INT_MAX, "NAME ID... | NAME -", "say which ids are in the window" },
	{ "remove", verb_remove, 0, 2, INT_MAX, "NAME ID... | NAME -",
	  "take ids out (layout countdown only)" },
	{ "want", verb_want, 0, 2, INT_MAX, "NAME ID... | NAME -",
	  "let the next event of each of these ids pass, once" },
	{ "size", verb_size, OPT_SIZE | OPT_WINDOW | OPT_SHAPE | OPT_JSON, 0, 0,
	  "[--capacity N] [--fpr P] [--layout L]", "compute a filter's size; loads nothing" },
	{ "bench", verb_bench, OPT_FPR | OPT_BENCH | OPT_JSON, 0, 0,
	  "[--ids N,N...] [--rounds N] [--json]", "measure a packet's cost, here, beside its peers" },
};
#define VERBS_CNT (sizeof(VERBS) / sizeof(VERBS[0]))

static void print_help(FILE *out)
{
	fputs("usage: xdp-dedup VERB ...\n\n", out);
	for (size_t i = 0; i < VERBS_CNT; i++)
		fprintf(out, "  %-7s %-36s %s\n", VERBS[i].name, VERBS[i].usage, VERBS[i].help);
	fputs("  help    [counters]                           this text, or what each counter "
	      "means\n"
	      "\n"
	      "load's options:\n"
	      "  --port PORTS      UDP destination ports, as in 8001,9000-9010 (no default)\n"
	      "  --capacity N      ids a window, as in 250k or 1M (default 1M)\n"
	      "  --fpr P           bound on the rate at which fresh events are lost (1e-4)\n"
	      "  --window TIME     an id is remembered so long, at most twice (10m)\n"
	      "  --name NAME       of the filter (the first interface's name)\n"
	      "  --mode MODE       native, skb or hw (native, or else skb)\n"
	      "  --layout LAYOUT   blocked, flat or countdown (blocked)\n"
	      "  --hash HASH       fast or siphash; flat and countdown also have\n"
	      "                    colibri, fips, fnv1a and tezos (fast)\n"
	      "  --bits M          flat: bits of an array (what --fpr asks for)\n"
	      "  --hashes K        flat, countdown: probes, 1 to 32 (what --fpr asks for)\n"
	      "  --index-bits N    countdown: 2^N cells, 1 to 24 (what --fpr asks for)\n"
	      "  --countdown-bits N  countdown: an id lasts 2^N - 1 countdowns, 1 to 24 (4)\n"
	      "  --action ACTION   drop duplicates, or only count them (drop)\n"
	      "  --learn WHO       kernel: ids of packets; app: only what `add` adds (kernel)\n"
	      "  --ihave WHAT      drop IHAVEs whose every id is known, or pass them all (drop)\n"
	      "\n"
	      "bench's options:\n"
	      "  --ids N,N...      ids in the window (10k,1M,10M,100M)\n"
	      "  --fill PART       of the capacity that these are (1)\n"
	      "  --rounds N        that medians are of (11)\n"
	      "  --copies N        ids that come on two CPUs at the same instant (1M)\n"
	      "  --warm N          packets before those that are measured, 0: as after a pause\n"
	      "                    (a steady stream: half of the ids, 10k to 500k)\n"
	      "  --fpr P           as above\n"
	      "\n"
	      "XDP_DEDUP_CAPACITY, XDP_DEDUP_FPR and XDP_DEDUP_WINDOW set those defaults.\n"
	      "Every verb takes --verbose. Exit status: 0 done, 1 failed, 2 misused.\n",
	      out);
}

static int print_counters(void)
{
#define X(name, help) printf("  %-16s %s\n", #name, help);
	DEDUP_COUNTERS(X)
#undef X
	return EXIT_DONE;
}

static int run(const struct verb *v, int argc, char **argv)
{
	struct options o;

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		printf("usage: xdp-dedup %s %s\n  %s\n", v->name, v->usage, v->help);
		return EXIT_DONE;
	}
	if (options_parse(&o, v->takes, argc, argv))
		return EXIT_MISUSED;
	if (o.args_cnt < v->args_min || o.args_cnt > v->args_max) {
		say_err(0, "usage: xdp-dedup %s %s", v->name, v->usage);
		return EXIT_MISUSED;
	}
	return v->run(&o);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	if (!strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h")) {
		if (argc > 2 && !strcmp(argv[2], "counters"))
			return print_counters();
		print_help(stdout);
		return EXIT_DONE;
	}
	if (!strcmp(word, "--version")) {
		puts("xdp-dedup " XDP_DEDUP_VERSION);
		return EXIT_DONE;
	}
	for (size_t i = 0; i < VERBS_CNT; i++)
		if (!strcmp(word, VERBS[i].name))
			return run(&VERBS[i], argc - 1, argv + 1);
	if (*word)
		say_err(0, "there is no verb %s; xdp-dedup help lists them", word);
	else
		print_help(stderr);
	return EXIT_MISUSED;
}
