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

/* Sets one option from the text of its value (NULL for an option that takes none). Returns 0, or
 * -EINVAL after having said why on stderr. `what` is what the user wrote before the value, for
 * that message: "--option", or the name of the environment variable.
 */
typedef int (*args_set_fn)(struct options *o, const char *what, const char *text);

/* Defines a function of that type, for an option without a value: it sets this bool of *o. */
#define ARGS_FLAG(function, field)                                                 \
	static int function(struct options *o, const char *what, const char *text) \
	{                                                                          \
		(void)what, (void)text;                                            \
		o->field = true;                                                   \
		return 0;                                                          \
	}

/* One option. Parsing, help and usage all come from this table. */
struct args_option {
	const char *option; /* "--capacity" */
	const char *value;  /* the value's name in the help: "N"; NULL: the option takes no value */
	unsigned int group; /* one bit; commands take options by group. 0: every command takes it */
	args_set_fn set;
	const char *env;  /* environment variable that sets the default; NULL: there is none */
	const char *help; /* lines separated by \n; says the default in parentheses */
};

/* A program, or a verb of one. */
struct args_command {
	const char *name;    /* "load" */
	const char *command; /* as it is typed: "xdp-dedup load" */
	const char *usage;   /* what follows: "IFNAME... [options]" */
	const char *help;    /* what it does */
	const struct args_option *options;
	size_t options_cnt;
	unsigned int takes;	/* groups of the options that it takes, ORed */
	int args_min, args_max; /* number of arguments that are no options */
};

/* Sets options from the environment, then from argv[1] on; the caller has put the built-in
 * defaults into *o. "--option VALUE" and "--option=VALUE" are the same; options and arguments may
 * come in any order; "--" ends the options. Moves the arguments that are no options to argv[1] on
 * and returns how many they are; or says on stderr what is wrong and returns -EINVAL.
 */
int args_parse(const struct args_command *c, struct options *o, int argc, char **argv);

/* Sets options from the environment alone, as args_parse() does first. 0 or -EINVAL, which is said. */
int args_from_environment(const struct args_command *c, struct options *o);

/* The option of this name (up to '=') that the command takes, with its dashes; or NULL. */
const struct args_option *args_find(const struct args_command *c, const char *name);

/* Is --help or -h among argv[1] on, before any "--"? Values of options are not told apart: no
 * option has one that is "-h" or "--help".
 */
bool args_ask_help(int argc, char **argv);

/* Prints usage and the options that the command takes, to stdout. */
void args_print_help(const struct args_command *c);

/* For args_set_fn: a number from 1 to max, written as parse_count() takes it; a rate as
 * parse_rate() takes it. `what` as above. 0, or -EINVAL after having said why.
 */
int args_number(uint32_t *to, const char *what, const char *text, uint32_t max);
int args_rate(double *to, const char *what, const char *text);

#endif
