// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "diag.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "text.h"

#define LINE_MAX_BYTES 8192 /* more of a line is cut */
#define CLEAR_LINE "\r\033[K"

static const char *name = "xdp-dedup";
static bool progress_shown;
static diag_listener heard_by;
static void *heard_for;
static struct diag_place at;

void diag_as(const char *program)
{
	name = program;
}

void diag_to(diag_listener listener, void *to)
{
	heard_by = listener;
	heard_for = to;
}

struct diag_place diag_at(struct diag_place place)
{
	struct diag_place before = at;

	at = place;
	return before;
}

struct diag_place diag_place(void)
{
	return at;
}

static void say(enum diag_kind kind, const char *format, va_list args)
{
	char line[LINE_MAX_BYTES];
	size_t len = 0;

	if (at.path)
		len = snprintf(line, sizeof(line), "%s:%u: ", at.path, at.line);
	if (len < sizeof(line))
		vsnprintf(line + len, sizeof(line) - len, format, args);
	text_clean(line);
	if (heard_by) {
		heard_by(heard_for, kind, line);
		return;
	}
	diag_progress_end();
	fprintf(stderr, "%s: %s%s\n", name, kind == DIAG_NOTE ? "note: " : "", line);
}

int diag_err(int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(DIAG_ERR, format, args);
	va_end(args);
	return err;
}

void diag_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(DIAG_NOTE, format, args);
	va_end(args);
}

void diag_progress(const char *format, ...)
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

void diag_progress_end(void)
{
	if (progress_shown)
		fputs(CLEAR_LINE, stderr);
	progress_shown = false;
}
