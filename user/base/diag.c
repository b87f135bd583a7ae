// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "diag.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "text.h"

#define LINE_MAX_BYTES 8192 /* more of a line is cut */
#define PROGRESS_MAX_BYTES 256

static struct diag_receiver *innermost;
static struct diag_place at;

void diag_receive(struct diag_receiver *r)
{
	r->outer = innermost;
	innermost = r;
}

void diag_receive_end(struct diag_receiver *r)
{
	assert(innermost == r);
	innermost = r->outer;
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

char *diag_text(const struct diag *d, char *buf, size_t size)
{
	if (d->place.path)
		snprintf(buf, size, "%s:%u: %s", d->place.path, d->place.line, d->finding);
	else
		snprintf(buf, size, "%s", d->finding);
	text_clean(buf);
	return buf;
}

void diag_give(const struct diag *d)
{
	struct diag_receiver *r = innermost;

	if (!r)
		return;
	innermost = r->outer;
	r->take(r->to, d);
	innermost = r;
}

static void report(enum diag_kind kind, const char *format, va_list args)
{
	char finding[LINE_MAX_BYTES];
	const struct diag d = { .kind = kind, .place = at, .finding = finding };

	vsnprintf(finding, sizeof(finding), format, args);
	text_clean(finding);
	diag_give(&d);
}

int diag_err(int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report(DIAG_ERR, format, args);
	va_end(args);
	return err;
}

void diag_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report(DIAG_NOTE, format, args);
	va_end(args);
}

static void show(const char *line)
{
	struct diag_receiver *r = innermost;

	while (r && !r->progress)
		r = r->outer;
	if (r)
		r->progress(r->to, line);
}

void diag_progress(const char *format, ...)
{
	char line[PROGRESS_MAX_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	text_clean(line);
	show(line);
}

void diag_progress_end(void)
{
	show(NULL);
}
