// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "args.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "spec.h"
#include "units.h"

#define HELP_COLUMN 20 /* characters: the width of "--option VALUE" in the help */
#define WRONG_MAX 512

/* What a value must be, for messages; `expects` of a row replaces it. */
static const char *const EXPECTS[] = {
	[ARGS_FLAG] = "it is yes or no",
	[ARGS_STRING] = "it must not be empty",
	[ARGS_COUNT] = "give a number from {min} to {max}",
	[ARGS_TIME] = "give a time with its unit, as in 500ms, 30s or 10m",
	[ARGS_RATE] = "give a rate above 0 and below 1, as in 0.001 or 1e-4 (at least 1e-18)",
	[ARGS_ENUM] = "it is {names}",
	[ARGS_OWN] = NULL,
};

static bool is_option_taken(const struct args_option *row, unsigned int takes)
{
	return !row->group || row->group & takes;
}

static void write_names(FILE *out, const char *const *names)
{
	for (const char *const *name = names; *name; name++)
		fprintf(out, "%s%s", name == names ? "" : name[1] ? ", " : " or ", *name);
}

static void write_number(FILE *out, const struct args_option *row, uint64_t number)
{
	if (row->type == ARGS_TIME)
		fputs(FORMAT_TIME(number), out);
	else
		fprintf(out, "%" PRIu64, number);
}

/* Writes a text of a row. Lines after the first one begin in the help's column. */
static void write_text(FILE *out, const struct args_option *row, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n') {
			fprintf(out, "\n%*s", HELP_COLUMN + 3, "");
			continue;
		}
		if (*text != '{') {
			putc(*text, out);
			continue;
		}
		if (text[1] == 'n')
			write_names(out, row->names);
		else
			write_number(out, row, text[2] == 'i' ? row->min : row->max);
		text += strcspn(text, "}");
	}
}

static int parse_enum(const struct args_option *row, void *field, const char *text)
{
	uint32_t number = row->min;

	for (const char *const *name = row->names; *name; name++, number++) {
		if (strcmp(*name, text))
			continue;
		if (row->size == sizeof(uint8_t))
			*(uint8_t *)field = number;
		else
			memcpy(field, &number, sizeof(number));
		return 0;
	}
	return -EINVAL;
}

static int parse_number_in_range(const struct args_option *row, void *field, const char *text)
{
	uint64_t number;
	int err = row->type == ARGS_TIME ? parse_time(text, &number) : parse_count(text, &number);

	if (err)
		return -EINVAL;
	if (number < row->min || (row->max && number > row->max))
		return -ERANGE;
	if (row->size == sizeof(uint32_t))
		*(uint32_t *)field = number;
	else
		*(uint64_t *)field = number;
	return 0;
}

/* Returns 0; -EINVAL if the text has not the right form; -ERANGE if it is out of the row's range. */
static int parse_value(const struct args_option *row, void *field, const char *text)
{
	double rate;

	switch (row->type) {
	case ARGS_FLAG:
		*(uint8_t *)field = !strcmp(text, "yes");
		return strcmp(text, "yes") && strcmp(text, "no") ? -EINVAL : 0;
	case ARGS_STRING:
		*(const char **)field = text;
		return *text ? 0 : -EINVAL;
	case ARGS_RATE:
		if (parse_rate(text, &rate))
			return -EINVAL;
		*(uint64_t *)field = SPEC_FPR(rate);
		return 0;
	case ARGS_ENUM:
		return parse_enum(row, field, text);
	default:
		return parse_number_in_range(row, field, text);
	}
}

static int set_field(const struct args_option *row, void *to, const char *what, const char *text)
{
	const char *wrong = NULL;
	char says[WRONG_MAX];
	FILE *out;
	int err = 0;

	if (row->parse)
		wrong = row->parse(to, text);
	else
		err = parse_value(row, (char *)to + row->field, text);
	if (err)
		wrong = err == -ERANGE && row->range ? row->range
						     : row->expects ?: EXPECTS[row->type];
	if (!wrong)
		return 0;
	out = fmemopen(says, sizeof(says), "w");
	if (!out)
		return diag_err(-ENOMEM, "out of memory");
	write_text(out, row, wrong);
	fclose(out);
	return diag_err(-EINVAL, "%s%s%s: %s", what, *text ? " " : "", text, says);
}

int args_set(const struct args_option *row, void *to, const char *what, const char *text)
{
	if (row->given)
		*((uint8_t *)to + row->given) = true;
	return set_field(row, to, what, text);
}

static const struct args_option *find_option(const struct args_command *c, const char *name)
{
	size_t len = strcspn(name, "=");

	for (const struct args_option *row = c->options; row->option; row++)
		if (strlen(row->option) == len && !strncmp(row->option, name, len) &&
		    is_option_taken(row, c->takes))
			return row;
	return NULL;
}

static const char *option_key(const struct args_option *row)
{
	return row->option + strspn(row->option, "-");
}

const struct args_option *args_find_key(const struct args_option *rows, const char *key)
{
	for (const struct args_option *row = rows; row->option; row++)
		if (row->key && !strcmp(option_key(row), key))
			return row;
	return NULL;
}

int args_from_environment(const struct args_option *options, unsigned int takes, void *to)
{
	int err = 0;

	for (const struct args_option *row = options; row->option && !err; row++) {
		const char *text = row->env ? getenv(row->env) : NULL;

		if (text && *text && is_option_taken(row, takes))
			err = set_field(row, to, row->env, text);
	}
	return err;
}

/* Sets the option that argv[i] names. Bit n of *given: the option of row n was given. Returns how
 * many further words of argv its value takes: 1 if the value is argv[i + 1], else 0; or -EINVAL
 * (logged).
 */
static int set_from_argv(const struct args_command *c, void *to, int argc, char **argv, int i,
			 uint64_t *given)
{
	const struct args_option *row = find_option(c, argv[i]);
	const char *value = strchr(argv[i], '=');
	bool is_next_word = false;
	int err;

	if (!row)
		return diag_err(-EINVAL, "%s does not take %s" ADVICE "see %s --help", c->name,
				argv[i], c->command);
	if (!row->value && value)
		return diag_err(-EINVAL, "%s takes no value", row->option);
	if (row->value) {
		is_next_word = !value;
		if (is_next_word && i + 1 == argc)
			return diag_err(-EINVAL, "%s needs a value", argv[i]);
		value = is_next_word ? argv[i + 1] : value + 1;
	}
	if (*given >> (row - c->options) & 1 && !row->repeats && row->key != ARGS_KEY_LIST)
		return diag_err(-EINVAL, "%s is given twice", row->option);
	*given |= 1ULL << (row - c->options);
	err = args_set(row, to, row->option, value ?: "yes");
	return err ? err : is_next_word;
}

int args_parse(const struct args_command *c, void *to, int argc, char **argv)
{
	/* cnt: number of arguments that are no options */
	int cnt = 0, err = args_from_environment(c->options, c->takes, to);
	bool options_ended = false;
	uint64_t given = 0;

	for (int i = 1; i < argc && !err; i++) {
		int took;

		/* "-" alone is an argument: it stands for stdin. */
		if (options_ended || argv[i][0] != '-' || !argv[i][1]) {
			argv[1 + cnt++] = argv[i];
			continue;
		}
		if (!strcmp(argv[i], "--")) {
			options_ended = true;
			continue;
		}
		took = set_from_argv(c, to, argc, argv, i, &given);
		if (took < 0)
			err = took;
		else
			i += took;
	}
	if (err)
		return err;
	if (cnt < c->args_min || cnt > c->args_max)
		return diag_err(-EINVAL, "usage: %s %s", c->command, c->usage);
	return cnt;
}

bool args_has_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

/* Writes `head`, and the row's help in its column: on the next line if the head is too long. */
static void write_row(FILE *out, const char *head, const struct args_option *row)
{
	if (strlen(head) > HELP_COLUMN)
		fprintf(out, "  %s\n%*s", head, HELP_COLUMN + 3, "");
	else
		fprintf(out, "  %-*s ", HELP_COLUMN, head);
	write_text(out, row, row->help);
	putc('\n', out);
}

void args_write_help(FILE *out, const struct args_command *c)
{
	static const struct args_option HELP = { .help = "this text" };
	char head[64];

	fprintf(out, "usage: %s %s\n  %s\n\n", c->command, c->usage, c->help);
	for (const struct args_option *row = c->options; row->option; row++) {
		if (!is_option_taken(row, c->takes))
			continue;
		snprintf(head, sizeof(head), "%s%s%s", row->option, row->value ? " " : "",
			 row->value ?: "");
		write_row(out, head, row);
	}
	write_row(out, "--help", &HELP);
	for (const struct args_option *row = c->options; row->option; row++)
		if (row->env && is_option_taken(row, c->takes))
			fprintf(out, "%s sets the default of %s.\n", row->env, row->option);
}

void args_write_keys(FILE *out, const struct args_option *rows)
{
	char head[64];

	for (const struct args_option *row = rows; row->option; row++) {
		if (!row->key)
			continue;
		snprintf(head, sizeof(head), "%s = %s", option_key(row), row->value ?: "yes");
		write_row(out, head, row);
	}
}
