// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"
#include "units.h"

#define HELP_COLUMN 20 /* characters: the width of "--option VALUE" in the help */

static bool is_taken(const struct args_command *c, const struct args_option *option)
{
	return !option->group || option->group & c->takes;
}

const struct args_option *args_find(const struct args_command *c, const char *name)
{
	size_t len = strcspn(name, "=");

	for (const struct args_option *p = c->options; p < c->options + c->options_cnt; p++)
		if (strlen(p->option) == len && !strncmp(p->option, name, len) && is_taken(c, p))
			return p;
	return NULL;
}

int args_from_environment(const struct args_command *c, struct options *o)
{
	int err = 0;

	for (size_t i = 0; i < c->options_cnt && !err; i++) {
		const struct args_option *option = &c->options[i];
		const char *text = option->env ? getenv(option->env) : NULL;

		if (text && *text && is_taken(c, option))
			err = option->set(o, option->env, text);
	}
	return err;
}

/* Sets the option that argv[i] names. Returns how many further words of argv its value took: 1
 * if the value is argv[i + 1], else 0; or -EINVAL after having said why.
 */
static int set_from_argv(const struct args_command *c, struct options *o, int argc, char **argv, int i)
{
	const struct args_option *option = args_find(c, argv[i]);
	const char *value = strchr(argv[i], '=');
	bool is_next_word = false;
	int err;

	if (!option)
		return say_err(-EINVAL, "%s does not take %s; see %s --help", c->name, argv[i],
			       c->command);
	if (!option->value && value)
		return say_err(-EINVAL, "%s takes no value", option->option);
	if (option->value) {
		is_next_word = !value;
		if (is_next_word && i + 1 == argc)
			return say_err(-EINVAL, "%s needs a value", argv[i]);
		value = is_next_word ? argv[i + 1] : value + 1;
	}
	err = option->set(o, option->option, value);
	return err ? err : is_next_word;
}

int args_parse(const struct args_command *c, struct options *o, int argc, char **argv)
{
	int cnt = 0, err = args_from_environment(c, o); /* cnt: arguments that are no options */
	bool options_ended = false;

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
		took = set_from_argv(c, o, argc, argv, i);
		if (took < 0)
			err = took;
		else
			i += took;
	}
	if (err)
		return err;
	if (cnt < c->args_min || cnt > c->args_max)
		return say_err(-EINVAL, "usage: %s %s", c->command, c->usage);
	return cnt;
}

bool args_ask_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static void print_option(const char *option, const char *value, const char *help)
{
	char head[HELP_COLUMN + 1];
	const char *line = help;

	snprintf(head, sizeof(head), "%s%s%s", option, value ? " " : "", value ?: "");
	do {
		size_t len = strcspn(line, "\n");

		printf("  %-*s %.*s\n", HELP_COLUMN, line == help ? head : "", (int)len, line);
		line += len;
	} while (*line++);
}

void args_print_help(const struct args_command *c)
{
	printf("usage: %s %s\n  %s\n\n", c->command, c->usage, c->help);
	for (size_t i = 0; i < c->options_cnt; i++)
		if (is_taken(c, &c->options[i]))
			print_option(c->options[i].option, c->options[i].value, c->options[i].help);
	print_option("--help", NULL, "this text");
	for (size_t i = 0; i < c->options_cnt; i++)
		if (c->options[i].env && is_taken(c, &c->options[i]))
			printf("%s sets the default of %s.\n", c->options[i].env,
			       c->options[i].option);
}

int args_number(uint32_t *to, const char *what, const char *text, uint32_t max)
{
	uint64_t value;

	if (parse_count(text, &value) || value < 1 || value > max)
		return say_err(-EINVAL, "%s %s: give a number from 1 to %u", what, text, max);
	*to = value;
	return 0;
}

int args_rate(double *to, const char *what, const char *text)
{
	if (parse_rate(text, to))
		return say_err(
			-EINVAL, "%s %s: give a rate above 0 and below 1, as in 0.001 or 1e-4 (at least 1e-18)",
			what, text);
	return 0;
}
