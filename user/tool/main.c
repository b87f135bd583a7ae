// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "config_file.h"
#include "control.h"
#include "counters.h"
#include "diag.h"
#include "kernel.h"
#include "print.h"
#include "service.h"
#include "verbs.h"
#include "version.h"

static int verb_run(const struct options *o)
{
	const char *path = o->config ?: CONFIG_FILE_DEFAULT;

	return o->check ? service_check(path) : service_run(path, o->renew, o->wish.verbose);
}

static const struct verb {
	const char *name;
	unsigned int takes;	/* groups of options: OPT_*, ORed */
	unsigned int needs;	/* enum kernel_right, ORed */
	int args_min, args_max; /* number of arguments that are no options */
	const char *usage, *help;
	/* One of these: the second gets the options' wish. */
	int (*run)(const struct options *o);
	int (*operate)(const struct wish *w);
	int names; /* operate: the arguments before interfaces; 1: NAME, 2: NAME FILE */
} VERBS[] = {
	{ "load", OPT_LOAD | OPT_REPLACE | OPT_PREDECESSOR, KERNEL_LOAD, 0, DEDUP_IFACES_MAX,
	  "IFNAME... --port PORTS | --profile PROFILE [--replace] [options]",
	  "attach one filter to these interfaces", .operate = control_load },
	{ "check", OPT_LOAD | OPT_JSON, 0, 1, DEDUP_IFACES_MAX, "IFNAME... [options]",
	  "check whether load would work here, and how to improve it", .run = verb_check },
	{ "unload", OPT_NAME | OPT_ALL, KERNEL_LOAD, 0, INT_MAX, "IFNAME... | --name NAME | --all",
	  "detach; a filter without interfaces is removed", .operate = control_unload },
	{ "status", OPT_JSON | OPT_EXACT, KERNEL_BPF, 0, 1, "[NAME] [options]",
	  "show geometry, window, fill and counters", .run = verb_status },
	{ "watch", OPT_WATCH | OPT_JSON, KERNEL_BPF, 0, 1, "[NAME] [options]",
	  "show rates, fill, window and advice, live", .run = verb_watch },
	{ "refresh", 0, KERNEL_BPF, 0, 1, "[NAME]",
	  "read this host's MACs again, after they have changed", .operate = control_refresh,
	  .names = 1 },
	{ "set",
	  OPT_ACTION | OPT_PORT | OPT_DESTINATION | OPT_PROFILE | OPT_PROFILES | OPT_MODE |
		  OPT_INTERFACES,
	  KERNEL_LOAD, 1, 1, "NAME [options]", "change action, packets or interfaces; forgets no id",
	  .operate = control_set, .names = 1 },
	{ "resize", OPT_MEMORY | OPT_PREDECESSOR, KERNEL_LOAD, 1, 1, "NAME [options]",
	  "change capacity, rate, window, layout or hash; notes what it forgets",
	  .operate = control_resize, .names = 1 },
	{ "save", OPT_PREDECESSOR, KERNEL_BPF, 2, 2, "NAME FILE [--wait | --forget]",
	  "write a snapshot of the filter and its ids to a file", .operate = control_save,
	  .names = 2 },
	{ "restore", OPT_MODE | OPT_PREDECESSOR, KERNEL_LOAD, 2, 2 + DEDUP_IFACES_MAX,
	  "NAME FILE [IFNAME...]", "load a saved filter with its ids and their ages",
	  .operate = control_restore, .names = 2 },
	{ "run", OPT_CONFIG, KERNEL_LOAD, 0, 0, "[--config FILE] [--check | --replace]",
	  "run the service: load the filters of a file, and keep them loaded", .run = verb_run },
	{ "rotate", 0, KERNEL_BPF, 1, 1, "NAME", "age every id now, by a window or a countdown",
	  .run = verb_rotate },
	{ "reset", 0, KERNEL_BPF, 1, 1, "NAME", "forget every id now", .run = verb_reset },
	{ "add", 0, KERNEL_BPF, 2, INT_MAX, "NAME[/STREAM] ID... | -",
	  "learn ids (in hex; - reads lines)", .run = verb_add },
	{ "test", 0, KERNEL_BPF, 2, INT_MAX, "NAME[/STREAM] ID... | -",
	  "show which ids are in the window; exit status 3: not all are", .run = verb_test },
	{ "remove", 0, KERNEL_BPF, 2, INT_MAX, "NAME[/STREAM] ID... | -",
	  "remove ids (layout countdown only)", .run = verb_remove },
	{ "want", 0, KERNEL_BPF, 2, INT_MAX, "NAME[/STREAM] ID... | -",
	  "let the next event of each of these ids pass, once", .run = verb_want },
	{ "sample", OPT_SAMPLE | OPT_JSON, KERNEL_BPF, 1, 1, "NAME[/STREAM] [options]",
	  "show packets that are dropped or new, as they come", .run = verb_sample },
	{ "lost", OPT_LOST | OPT_JSON, KERNEL_BPF | KERNEL_ATTACH | KERNEL_MONITOR, 1, 1,
	  "NAME [options]", "show packets that are lost behind the filter, as they are lost",
	  .run = verb_lost },
	{ "size", OPT_MEMORY | OPT_JSON | OPT_PROFILE | OPT_PROFILES, 0, 0, 0, "[options]",
	  "compute a filter's size; loads nothing", .run = verb_size },
	{ "replay", OPT_LOAD_FILTER | OPT_REPLAY | OPT_JSON, 0, 1, 1, "FILE [options of load]",
	  "show duplicates in a capture; with a profile: what would be dropped", .run = verb_replay },
	{ "profile", OPT_PROFILES | OPT_JSON, 0, 1, 2, PROFILE_USAGE,
	  "list the protocols, show one, or check a file", .run = verb_profile },
};
#define USAGE_COLUMNS 34
#define VERBS_CNT (sizeof(VERBS) / sizeof(VERBS[0]))
#define COMMAND_MAX 32 /* bytes for "xdp-dedup VERB" */

/* `help` is not in VERBS, as it takes no options. */
#define HELP_USAGE "[VERB | counters]"
#define HELP_HELP "print this text, a verb's options, or what each counter means"

/* A usage that is too long for its column has a line of its own. */
static void print_verb_row(FILE *out, const char *name, const char *usage, const char *help)
{
	int used = fprintf(out, "  %-7s ", name);

	fprintf(out, "%-*s", USAGE_COLUMNS, usage);
	if (strlen(usage) > USAGE_COLUMNS)
		fprintf(out, "\n%*s", used + USAGE_COLUMNS, "");
	fprintf(out, " %s\n", help);
}

static void print_help(FILE *out)
{
	fputs("usage: xdp-dedup VERB ...\n\n", out);
	for (size_t i = 0; i < VERBS_CNT; i++)
		print_verb_row(out, VERBS[i].name, VERBS[i].usage, VERBS[i].help);
	print_verb_row(out, "help", HELP_USAGE, HELP_HELP);
	fputs("\n"
	      "NAME is a filter; if no filter has that name, an interface on which it runs.\n"
	      "Exit status: 0 done, 1 failed, 2 misused; test: 3 if an id is not in the window.\n",
	      out);
}

static int print_help_of_help(void)
{
	puts("usage: xdp-dedup help " HELP_USAGE "\n  " HELP_HELP);
	return EXIT_DONE;
}

/* `buf` gets "xdp-dedup VERB", to which the result points: it must live as long. */
static struct args_command command_of(const struct verb *v, char *buf, size_t size)
{
	snprintf(buf, size, "xdp-dedup %s", v->name);
	return (struct args_command){
		.name = v->name,
		.command = buf,
		.usage = v->usage,
		.help = v->help,
		.options = options_table(),
		.takes = v->takes,
		.args_min = v->args_min,
		.args_max = v->args_max,
	};
}

static int print_verb(const struct verb *v)
{
	char buf[COMMAND_MAX];
	const struct args_command c = command_of(v, buf, sizeof(buf));

	args_write_help(stdout, &c);
	if (v->run == verb_run)
		config_print_keys();
	if (v->needs)
		printf("\nNeeds root, or %s and access to the pins.\n", kernel_rights_text(v->needs));
	return EXIT_DONE;
}

static int print_counter_names(void)
{
#define X(name, help) printf("  %-16s %s\n", #name, help);
	DEDUP_COUNTERS(X)
#undef X
	return EXIT_DONE;
}

static bool is_twice(char *const *words, const char *word)
{
	while (*words != word && strcmp(*words, word) != 0)
		words++;
	return *words != word;
}

static int operate(const struct verb *v, struct options *o)
{
	struct wish *w = &o->wish;
	char **rest = o->args, **end = o->args + o->args_cnt;

	if (v->names > 0 && rest < end)
		w->name = *rest++;
	if (v->names > 1)
		w->file = *rest++;
	for (char **ifname = rest; ifname < end; ifname++)
		if (is_twice(rest, *ifname))
			return diag_err(EXIT_MISUSED, "%s is named twice", *ifname);
	w->where = (struct placement){ rest, (int)(end - rest), w->where.mode, w->where.share };
	return v->operate(w);
}

static int run_verb(const struct verb *v, int argc, char **argv)
{
	char buf[COMMAND_MAX];
	const struct args_command c = command_of(v, buf, sizeof(buf));
	struct options o;

	if (args_has_help(argc, argv))
		return print_verb(v);
	if (options_parse(&o, &c, argc, argv))
		return EXIT_MISUSED;
	if (!o.check && kernel_permits(v->name, v->needs))
		return EXIT_FAILED;
	return v->run ? v->run(&o) : operate(v, &o);
}

static int no_verb(const char *word)
{
	if (!strcmp(word, "bench"))
		diag_err(0, "bench is a program of its own: xdp-dedup-bench");
	else
		diag_err(0, "there is no verb %s" ADVICE "xdp-dedup help lists them", word);
	return EXIT_MISUSED;
}

static const struct verb *find_verb(const char *word)
{
	for (size_t i = 0; i < VERBS_CNT; i++)
		if (!strcmp(word, VERBS[i].name))
			return &VERBS[i];
	return NULL;
}

static bool is_help(const char *word)
{
	return !strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h");
}

/* argv[0] is "help"; argv[1], if there is one, is what help is wanted for. */
static int help(int argc, char **argv)
{
	const struct verb *v;

	if (argc > 2)
		return diag_err(EXIT_MISUSED, "usage: xdp-dedup help " HELP_USAGE);
	if (argc < 2) {
		print_help(stdout);
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "counters"))
		return print_counter_names();
	if (is_help(argv[1]))
		return print_help_of_help();
	v = find_verb(argv[1]);
	return v ? print_verb(v) : no_verb(argv[1]);
}

static int dispatch(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	const struct verb *v = find_verb(word);

	if (v)
		return run_verb(v, argc - 1, argv + 1);
	if (is_help(word))
		return help(argc - 1, argv + 1);
	if (!strcmp(word, "--version")) {
		puts("xdp-dedup " XDP_DEDUP_VERSION);
		return EXIT_DONE;
	}
	if (*word)
		return no_verb(word);
	print_help(stderr);
	return EXIT_MISUSED;
}

int main(int argc, char **argv)
{
	print_as("xdp-dedup");
	kernel_print_by(print_lines);
	return check_output(dispatch(argc, argv));
}
