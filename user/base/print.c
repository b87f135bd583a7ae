// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "print.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "diag.h"

#define LINE_MAX_BYTES 8192 /* more of a line is cut */
#define CLEAR_LINE "\r\033[K"

static const char *name;
static bool progress_shown;

/* The line stays until something else is printed. A line that is wider than the terminal leaves a
 * part of it behind.
 */
static void show(void *to, const char *line)
{
	(void)to;
	if (line ? !isatty(STDERR_FILENO) : !progress_shown)
		return;
	fprintf(stderr, CLEAR_LINE "%s", line ?: "");
	progress_shown = line;
}

static void print(void *to, const struct diag *d)
{
	char line[LINE_MAX_BYTES];

	show(to, NULL);
	fprintf(stderr, "%s: %s%s\n", name, d->kind == DIAG_NOTE ? "note: " : "",
		diag_text(d, line, sizeof(line)));
}

void print_as(const char *program)
{
	static struct diag_receiver printer = { .take = print, .progress = show };

	if (!name)
		diag_receive(&printer);
	name = program;
}
