/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options, by a table of typed rows. Parsing, errors, help, and the keys of a configuration file
 * all come from the row. Names are exact, unlike getopt_long's: a short form would change its
 * meaning as options are added.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a value is, and the type of its field. */
enum args_type {
	ARGS_FLAG,   /* bool or uint8_t. An option takes no value: true; a key takes yes or no */
	ARGS_STRING, /* const char *: the text itself, which is not empty */
	ARGS_COUNT,  /* uint32_t or uint64_t, by parse_count() */
	ARGS_TIME,   /* uint64_t, in ns, by parse_time() */
	ARGS_RATE,   /* uint64_t, in units of 1e-18, by parse_rate() */
	ARGS_ENUM,   /* bool, uint8_t or an enum: the index of the name in `names`, plus `min` */
	ARGS_OWN,    /* any type: the row's `parse` writes it */
};

/* May a configuration file have the option as a key, and on several lines of a section? */
enum args_key {
	ARGS_NO_KEY,
	ARGS_KEY_ONCE,
	ARGS_KEY_JOINED, /* on several lines: their values are joined by commas */
	ARGS_KEY_LIST,	 /* on several lines: each adds to the field */
};

/* One option, or one key. Texts for people may contain {min}, {max} and {names}. Offsets are those
 * of members of the program's own struct.
 */
struct args_option {
	const char *option; /* "--capacity"; "capacity" if the row is only a key */
	const char *value;  /* the value's name in the help: "N"; NULL: the option takes no value */
	unsigned int group; /* one bit; commands take options by group. 0: every command takes it */
	enum args_type type;
	size_t field, size;	  /* offset and bytes of the field */
	size_t given;		  /* offset of a bool or uint8_t: set, but not by `env`. 0: none */
	uint64_t min, max;	  /* the range of a count or a time; max 0: there is no bound */
	const char *const *names; /* of ARGS_ENUM; the last one is NULL */
	/* ARGS_OWN: writes *to. Returns NULL, or what is wrong with the text. */
	const char *(*parse)(void *to, const char *text);
	const char *expects; /* what the text must be; NULL: the text for the type */
	const char *range;   /* the range, for a value that is outside; NULL: `expects` */
	enum args_key key;
	bool repeats;	  /* the option may be given several times, as with ARGS_KEY_LIST */
	const char *env;  /* environment variable that sets the default; NULL: there is none */
	const char *help; /* lines separated by \n; the default is in parentheses */
};

#define ARGS_OPTIONS_MAX 64 /* rows of a table */

/* Initialize `field`, `size` and `given` of a row from members of the program's struct. A field of
 * several members goes from the first to the last one.
 */
#define ARGS_FIELD(struct_, member) \
	.field = offsetof(struct_, member), .size = sizeof(((struct_ *)0)->member)
#define ARGS_FIELDS(struct_, first, last)  \
	.field = offsetof(struct_, first), \
	.size = offsetof(struct_, last) + sizeof(((struct_ *)0)->last) - offsetof(struct_, first)
#define ARGS_NAMES(...)                                   \
	.type = ARGS_ENUM, .names = (const char *const[]) \
	{                                                 \
		__VA_ARGS__, NULL                         \
	}

/* A program, or a verb of one. */
struct args_command {
	const char *name;		   /* "load" */
	const char *command;		   /* as users type it: "xdp-dedup load" */
	const char *usage;		   /* its arguments: "IFNAME... [options]" */
	const char *help;		   /* its purpose */
	const struct args_option *options; /* the last one has no name */
	unsigned int takes;		   /* groups of the options that it takes, ORed */
	int args_min, args_max;		   /* number of arguments that are no options */
};

/* Sets options of *to, the program's struct, from the environment, then from argv[1] on. The caller
 * has set the built-in defaults. "--option VALUE" and "--option=VALUE" are equal; options and
 * arguments may be in any order; "--" ends the options. An option may be given twice only if its
 * row allows that. Moves the arguments that are no options to argv[1] on. Returns their number; or
 * -EINVAL (logged).
 */
int args_parse(const struct args_command *c, void *to, int argc, char **argv);

/* Sets options from their environment variables, as args_parse() does first. Returns 0; or -EINVAL
 * (logged).
 */
int args_from_environment(const struct args_option *options, unsigned int takes, void *to);

/* Sets the field of one row from a text, yes or no for a flag, and marks it as given. `what`: the
 * option or key that the user wrote, for the message. Returns 0; or -EINVAL (logged), and *to may
 * have half of the value.
 */
int args_set(const struct args_option *row, void *to, const char *what, const char *text);

/* Returns the row of this key; or NULL. */
const struct args_option *args_find_key(const struct args_option *rows, const char *key);

/* Is --help or -h among argv[1] on, before any "--"? A value of an option counts, too: no option
 * has a value "-h" or "--help".
 */
bool args_has_help(int argc, char **argv);

/* Writes usage and the options that the command takes. */
void args_write_help(FILE *out, const struct args_command *c);

/* Writes the rows that are keys. */
void args_write_keys(FILE *out, const struct args_option *rows);
