// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#define CLEAR_LINE "\r\033[K"

static const char *name = "xdp-dedup";
static bool progress_shown;

void say_as(const char *program)
{
	name = program;
}

static void say(const char *kind, const char *format, va_list args)
{
	say_progress_end();
	fprintf(stderr, "%s: %s", name, kind);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

int say_err(int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("", format, args);
	va_end(args);
	return err;
}

void say_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("note: ", format, args);
	va_end(args);
}

void say_progress(const char *format, ...)
{
	va_list args;

	if (!isatty(STDERR_FILENO))
		return;
	fputs(CLEAR_LINE, stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	progress_shown = true;
}

void say_progress_end(void)
{
	if (progress_shown)
		fputs(CLEAR_LINE, stderr);
	progress_shown = false;
}
