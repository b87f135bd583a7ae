// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "diag.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

#define LOCATION_MAX_BYTES (PATH_MAX + 16)
#define FORMAT_MAX_BYTES 1024 /* of the part of a format before ADVICE */
#define PROGRESS_MAX_BYTES 256

/* Of this thread. */
static _Thread_local struct diag_receiver *innermost;
static _Thread_local struct diag_location at;

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

struct diag_location diag_at(struct diag_location location)
{
	struct diag_location before = at;

	at = location;
	return before;
}

struct diag_location diag_location(void)
{
	return at;
}

char *diag_text(const struct diag *d, char *buf, size_t size)
{
	char location[LOCATION_MAX_BYTES] = "";

	if (d->location.path)
		snprintf(location, sizeof(location), "%s:%u: ", d->location.path, d->location.line);
	snprintf(buf, size, "%s%s%s%s", location, d->finding, d->advice ? "; " : "", d->advice ?: "");
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

/* Returns the length of the finding in the whole message. Searches only the format for the marker,
 * as a value may contain that byte, too.
 */
static size_t finding_bytes(const char *format, va_list args)
{
	char of_finding[FORMAT_MAX_BYTES];
	int len = snprintf(of_finding, sizeof(of_finding), "%.*s", (int)strcspn(format, ADVICE),
			   format);

	assert(len >= 0 && len < FORMAT_MAX_BYTES);
	return (size_t)vsnprintf(NULL, 0, of_finding, args);
}

static void report_message(enum diag_kind kind, const char *format, va_list args)
{
	struct diag d = { .kind = kind, .location = at };
	char text[DIAG_LINE_MAX_BYTES];
	va_list again;
	size_t len;

	va_copy(again, args);
	len = finding_bytes(format, again);
	va_end(again);
	vsnprintf(text, sizeof(text), format, args);
	d.finding = text;
	if (strchr(format, *ADVICE) && len < sizeof(text) - 1) {
		text[len] = '\0';
		d.advice = text + len + 1;
		text_clean(text + len + 1);
	}
	text_clean(text);
	diag_give(&d);
}

int diag_err(int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report_message(DIAG_ERR, format, args);
	va_end(args);
	return err;
}

void diag_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report_message(DIAG_NOTE, format, args);
	va_end(args);
}

void diag_done(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report_message(DIAG_DONE, format, args);
	va_end(args);
}

static void show_progress(const char *line)
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
	show_progress(line);
}

void diag_progress_end(void)
{
	show_progress(NULL);
}
