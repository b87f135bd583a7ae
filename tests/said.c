// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "said.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader.h"

char said[SAID_MAX];

void name_tool(void)
{
	setenv("XD", tool(), 1);
	setenv("PINS", PIN_ROOT, 1);
}

void assert_run(int status, const char *command)
{
	int is = sh_out(said, sizeof(said), "%s", command);

	if (is != status)
		fail_msg("exit %d, not %d, of: %s\n%s", is, status, command, said);
}

void assert_says(const char *format, ...)
{
	char words[512];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	if (!strstr(said, words))
		fail_msg("no '%s' in: %s", words, said);
}

void assert_one_line(const char *words)
{
	char *end = strchr(said, '\n');

	if (strncmp(said, "xdp-dedup: ", 11) || !end || end[1])
		fail_msg("not one line: %s", said);
	assert_says("%s", words);
}

json_object *json_of(const char *command)
{
	json_object *o;

	assert_run(0, command);
	o = json_tokener_parse(said);
	assert_non_null(o);
	return o;
}

json_object *member(json_object *o, const char *key)
{
	json_object *value;

	if (!json_object_object_get_ex(o, key, &value))
		fail_msg("no key %s in %s", key, json_object_to_json_string(o));
	return value;
}

double number(json_object *o, const char *key)
{
	return json_object_get_double(member(o, key));
}

const char *text(json_object *o, const char *key)
{
	return json_object_get_string(member(o, key));
}

void assert_near(json_object *o, const char *key, double value, double part)
{
	if (!(fabs(number(o, key) - value) <= part * fabs(value)))
		fail_msg("%s is %.12g, not %.12g", key, number(o, key), value);
}

void assert_number(json_object *o, const char *key, double value)
{
	assert_near(o, key, value, 1e-9);
}
