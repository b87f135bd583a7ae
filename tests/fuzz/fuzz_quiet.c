// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* In place of user/base/say.c: what is said is formatted, and kept. */
#include <stdarg.h>
#include <stdio.h>

#include "fuzz.h"
#include "say.h"

char fuzz_said[1024];
int fuzz_said_cnt;

static say_listener heard_by;
static void *heard_for;
static struct say_place at;

void say_to(say_listener listener, void *to)
{
	heard_by = listener;
	heard_for = to;
}

struct say_place say_at(struct say_place place)
{
	struct say_place before = at;

	at = place;
	return before;
}

struct say_place say_place(void)
{
	return at;
}

static void format_only(enum say_kind kind, const char *format, va_list args)
{
	char text[1024] = "";
	int len = at.path ? snprintf(text, sizeof(text), "%s:%u: ", at.path, at.line) : 0;

	must(len >= 0 && len < (int)sizeof(text));
	must(vsnprintf(text + len, sizeof(text) - len, format, args) > 0);
	if (heard_by) {
		heard_by(heard_for, kind, text);
	} else if (kind == SAY_ERR) {
		memcpy(fuzz_said, text, sizeof(fuzz_said));
		fuzz_said_cnt++;
	}
}

void say_as(const char *program)
{
	(void)program;
}

int say_err(int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	format_only(SAY_ERR, format, args);
	va_end(args);
	return err;
}

void say_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	format_only(SAY_NOTE, format, args);
	va_end(args);
}
