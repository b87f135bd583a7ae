// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* xdp-dedup-bench: what a packet costs on this machine. */
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "bench_report.h"
#include "diag.h"
#include "exit.h"
#include "kernel.h"
#include "print.h"
#include "spec.h"
#include "units.h"
#include "version.h"

#define PROGRAM "xdp-dedup-bench"
#define BENCH_RIGHTS KERNEL_LOAD

static const char *parse_ids(void *to, const char *text)
{
	struct bench_options *o = to;
	char one[32];

	o->ids_cnt = 0;
	do {
		size_t len = strcspn(text, ",");
		uint64_t value = 0;

		snprintf(one, sizeof(one), "%.*s", (int)len, text);
		if (len >= sizeof(one) || parse_count(one, &value) || value < BENCH_IDS_MIN ||
		    value > BENCH_IDS_MAX || o->ids_cnt == BENCH_SIZES_MAX)
			return "give up to {max} numbers of ids from 1k to 1G, as in 10k,1M";
		o->ids[o->ids_cnt++] = value;
		text += len;
	} while (*text++);
	return NULL;
}

static const char *parse_fill(void *to, const char *text)
{
	double *fill = &((struct bench_options *)to)->setting.fill;

	*fill = 1;
	if (strcmp(text, "1") && (parse_rate(text, fill) || *fill < BENCH_FILL_MIN))
		return "give a part of the capacity, from 0.01 to 1";
	return NULL;
}

#define FIELD(member) ARGS_FIELD(struct bench_options, member)

static const struct args_option OPTIONS[] = {
	{ "--ids", "N,N...", 0, ARGS_OWN, ARGS_FIELDS(struct bench_options, ids, ids_cnt),
	  .parse = parse_ids, .max = BENCH_SIZES_MAX, .help = "ids in the window (10k,1M)" },
	{ "--fill", "PART", 0, ARGS_OWN, FIELD(setting.fill), .parse = parse_fill,
	  .help = "part of the capacity that these ids are (1)" },
	{ "--fpr", "P", 0, ARGS_RATE, FIELD(fpr_e18), .env = "XDP_DEDUP_FPR",
	  .help = "the highest rate at which fresh events may be lost (1e-4)" },
	{ "--rounds", "N", 0, ARGS_COUNT, FIELD(setting.rounds), .min = 1, .max = BENCH_ROUNDS_MAX,
	  .help = "rounds of which the medians are taken (3)" },
	{ "--copies", "N", 0, ARGS_COUNT, FIELD(copies), .min = 1, .max = BENCH_COPIES_MAX,
	  .help = "ids that come on two CPUs at one instant (100k)" },
	{ "--warm", "N", 0, ARGS_COUNT, FIELD(setting.warm), .max = BENCH_WARM_MAX,
	  .expects = "give a number of packets from {min} to {max}",
	  .help = "packets of known ids before the measured ones; 0: none, as after\n"
		  "a pause (half of the ids, 10k to 500k: steady traffic)" },
	{ "--json", NULL, 0, ARGS_FLAG, FIELD(json),
	  .help = "for programs: one object of raw numbers, at the end" },
	{ "--verbose", NULL, 0, ARGS_FLAG, FIELD(verbose),
	  .help = "show the messages of libbpf and libxdp" },
	{ "--version", NULL, 0, ARGS_FLAG, FIELD(version), .help = "print the version" },
	{ 0 },
};

static const struct args_command BENCH = {
	.name = "bench",
	.command = PROGRAM,
	.usage = "[options]",
	.help = "measure the cost of a packet here, and of alternatives",
	.options = OPTIONS,
};

static int print_bench_help(void)
{
	args_write_help(stdout, &BENCH);
	printf("\n"
	       "Touches no interface and leaves nothing behind. The defaults take about a minute and a\n"
	       "half on two CPUs that do little else; more rounds and more ids take longer.\n"
	       "Needs root, or %s.\n"
	       "Exit status: 0 done, 1 failed, 2 misused.\n",
	       kernel_rights_text(BENCH_RIGHTS));
	return EXIT_DONE;
}

static int run_bench(int argc, char **argv)
{
	struct bench_options o = {
		.ids = { 10000, 1000000 },
		.ids_cnt = 2,
		.setting = { .fill = 1, .rounds = 3, .warm = BENCH_WARM_AUTO },
		.fpr_e18 = SPEC_FPR(SPEC_FPR_DEFAULT),
		.copies = 100000,
	};

	if (args_has_help(argc, argv))
		return print_bench_help();
	if (args_parse(&BENCH, &o, argc, argv))
		return EXIT_MISUSED;
	if (o.version) {
		puts(PROGRAM " " XDP_DEDUP_VERSION);
		return EXIT_DONE;
	}
	if (kernel_permits(BENCH.name, BENCH_RIGHTS))
		return EXIT_FAILED;
	kernel_output(o.verbose);
	o.setting.fpr = o.fpr_e18 / 1e18;
	return bench_report(&o) ? EXIT_FAILED : EXIT_DONE;
}

int main(int argc, char **argv)
{
	print_as(PROGRAM);
	kernel_print_by(print_lines);
	return check_output(run_bench(argc, argv));
}
