/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options, by a table of typed rows. Parsing, errors, help, and the keys of a configuration file
 * all come from the row. Names are exact, unlike getopt_long's: a short form would change its
 * meaning as options are added.
 */
#ifndef XDP_DEDUP_ARGS_H
#define XDP_DEDUP_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a value is, and the type of its field. */
enum args_type {
	ARGS_FLAG,   /* bool. An option takes no value and makes it true; a key takes yes or no */
	ARGS_STRING, /* const char *: the text itself, which is not empty */
	ARGS_COUNT,  /* uint32_t or uint64_t, as parse_count() takes it */
	ARGS_TIME,   /* uint64_t, in ns, as parse_time() takes it */
	ARGS_RATE,   /* double, as parse_rate() takes it */
	ARGS_ENUM,   /* bool or an enum: the number of its name, where the first one is `min` */
	ARGS_OWN,    /* whatever the row's own parser writes */
};

/* May a configuration file have it as a key, and on several lines of a section? */
enum args_key {
	ARGS_NO_KEY,
	ARGS_KEY_ONCE,
	ARGS_KEY_JOINED, /* on several lines, whose values are joined by commas */
	ARGS_KEY_LIST,	 /* on several lines, each of which adds to the field */
};

/* One option, or one key. Texts for people may have {min}, {max} and {names} in them. Offsets are
 * in the program's own struct.
 */
struct args_option {
	const char *option; /* "--capacity"; of what is only a key "capacity" */
	const char *value;  /* the value's name in the help: "N"; NULL: the option takes no value */
	unsigned int group; /* one bit; commands take options by group. 0: every command takes it */
	enum args_type type;
	size_t field, size; /* what is written: offset and bytes */
	size_t given;	    /* offset of a bool: it was given, and not by `env`. 0: there is none */
	uint64_t min, max;  /* the range of a count or a time; max 0: there is no bound */
	const char *const *names; /* ARGS_ENUM: up to a NULL */
	/* ARGS_OWN: writes *to. Returns NULL, or what is wrong with the text. */
	const char *(*parse)(void *to, const char *text);
	const char *expects; /* what the text must be; NULL: as the type has it */
	const char *range;   /* what it must be, if it is out of the range; NULL: `expects` */
	enum args_key key;
	bool repeats;	  /* as with ARGS_KEY_LIST: the option may be given several times */
	const char *env;  /* environment variable that sets the default; NULL: there is none */
	const char *help; /* lines separated by \n; says the default in parentheses */
};

#define ARGS_OPTIONS_MAX 64 /* rows of a table */

/* A row's field and mark, by members of the program's struct. A field of several members goes from
 * the first to the last one.
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
	const char *command;		   /* as it is typed: "xdp-dedup load" */
	const char *usage;		   /* what follows: "IFNAME... [options]" */
	const char *help;		   /* what it does */
	const struct args_option *options; /* up to one without a name */
	unsigned int takes;		   /* groups of the options that it takes, ORed */
	int args_min, args_max;		   /* number of arguments that are no options */
};

/* Sets options of *to, the program's struct, from the environment, then from argv[1] on; the
 * caller has put the built-in defaults there. "--option VALUE" and "--option=VALUE" mean one
 * thing; options and arguments may come in any order; "--" ends the options. No option is given
 * twice, unless its row says that it may be. Moves the arguments
 * that are no options to argv[1] on. Returns how many there are; or -EINVAL (logged).
 */
int args_parse(const struct args_command *c, void *to, int argc, char **argv);

/* Sets options from the environment alone, as args_parse() does first: those that have a variable.
 * 0; or -EINVAL (logged).
 */
int args_from_environment(const struct args_option *options, unsigned int takes, void *to);

/* Sets the field of one row from a text, yes or no for a flag, and marks it as given. `what`: what
 * the user wrote before the value, for the message. 0; or -EINVAL (logged), and *to may have
 * half of the value.
 */
int args_set(const struct args_option *row, void *to, const char *what, const char *text);

/* The row of this key; or NULL. */
const struct args_option *args_find_key(const struct args_option *rows, const char *key);

/* Is --help or -h among argv[1] on, before any "--"? Values of options are not told apart: no
 * option has one that is "-h" or "--help".
 */
bool args_ask_help(int argc, char **argv);

/* Writes usage and the options that the command takes. */
void args_write_help(FILE *out, const struct args_command *c);

/* Writes those rows that are keys. */
void args_write_keys(FILE *out, const struct args_option *rows);

#endif
