// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* In place of user/base/diag.c: what is said is formatted, and kept. */
#include <stdarg.h>
#include <stdio.h>

#include "diag.h"
#include "fuzz.h"

char fuzz_said[1024];
int fuzz_said_cnt;

static diag_listener heard_by;
static void *heard_for;
static struct diag_place at;

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

static void format_only(enum diag_kind kind, const char *format, va_list args)
{
	char text[1024] = "";
	int len = at.path ? snprintf(text, sizeof(text), "%s:%u: ", at.path, at.line) : 0;

	must(len >= 0 && len < (int)sizeof(text));
	must(vsnprintf(text + len, sizeof(text) - len, format, args) > 0);
	if (heard_by) {
		heard_by(heard_for, kind, text);
	} else if (kind == DIAG_ERR) {
		memcpy(fuzz_said, text, sizeof(fuzz_said));
		fuzz_said_cnt++;
	}
}

void diag_as(const char *program)
{
	(void)program;
}

int diag_err(int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	format_only(DIAG_ERR, format, args);
	va_end(args);
	return err;
}

void diag_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	format_only(DIAG_NOTE, format, args);
	va_end(args);
}
