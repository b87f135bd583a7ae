// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* In place of user/base/say.c: what is said is formatted, and shown to nobody. */
#include <stdarg.h>
#include <stdio.h>

#include "fuzz.h"
#include "say.h"

static void format_only(const char *format, va_list args)
{
	char text[512];

	must(vsnprintf(text, sizeof(text), format, args) > 0);
}

void say_as(const char *program)
{
	(void)program;
}

int say_err(int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	format_only(format, args);
	va_end(args);
	return err;
}

void say_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	format_only(format, args);
	va_end(args);
}
