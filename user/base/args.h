/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A command line, by a table of its options: text → struct, and the help. Names are exact,
 * unlike getopt_long's: a short form would change its meaning as options are added.
 */
#ifndef XDP_DEDUP_ARGS_H
#define XDP_DEDUP_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct options; /* what a program's options are parsed into: each program has its own */

/* Sets one option from its text; 0, or -EINVAL after having said why. `what` is how the user
 * named it: the option, or the environment's variable.
 */
typedef int (*args_set_fn)(struct options *o, const char *what, const char *text);

/* One source for parsing, help and usage. */
struct args_option {
	const char *option, *value; /* NULL: it takes none */
	unsigned int group;	    /* 0: every command takes it */
	args_set_fn set;
	const char *env;  /* sets the default; or NULL */
	const char *help; /* lines; the default in parentheses */
};

/* A program, or a verb of one. */
struct args_command {
	const char *name;    /* "load" */
	const char *command; /* as it is typed: "xdp-dedup load" */
	const char *usage;   /* what follows: "IFNAME... [options]" */
	const char *help;    /* what it does */
	const struct args_option *options;
	size_t options_cnt;
	unsigned int takes;	/* groups of options, ORed */
	int args_min, args_max; /* beside the options */
};

/* Sets what the environment, then argv[1..] say; *o has the other defaults. An option's value
 * follows it, or "=" and no space; options and other arguments may mix; "--" ends the options.
 * Returns how many other arguments there are, which are then argv[1..], or says why not on stderr
 * and returns -EINVAL.
 */
int args_parse(const struct args_command *c, struct options *o, int argc, char **argv);

/* Is --help or -h among argv[1..], wherever? No option's value begins with a '-'. */
bool args_ask_help(int argc, char **argv);

/* To stdout: usage, and a line or more for each option that the command takes. */
void args_print_help(const struct args_command *c);

/* For setters. A number from 1 to max; a rate above 0 and below 1. */
int args_number(uint32_t *to, const char *what, const char *text, uint32_t max);
int args_rate(double *to, const char *what, const char *text);

#endif
