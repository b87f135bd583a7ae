// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "print.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "diag.h"
#include "exit.h"
#include "text.h"

#define CLEAR_LINE "\r\033[K"

static const char *name;
static bool progress_shown;

/* Shows the line until something else is printed. Of a line that is wider than the terminal, a part
 * stays.
 */
static void print_progress(void *to, const char *line)
{
	(void)to;
	if (line ? !isatty(STDERR_FILENO) : !progress_shown)
		return;
	fprintf(stderr, CLEAR_LINE "%s", line ?: "");
	progress_shown = line;
}

static void print_message(void *to, const struct diag *d)
{
	char line[DIAG_LINE_MAX_BYTES];

	print_progress(to, NULL);
	diag_text(d, line, sizeof(line));
	if (d->kind == DIAG_DONE) {
		puts(line);
		fflush(stdout); /* keeps the order with stderr in a log of both */
		return;
	}
	fprintf(stderr, "%s: %s%s\n", name, d->kind == DIAG_NOTE ? "note: " : "", line);
}

int print_clean(const char *format, ...)
{
	char text[DIAG_LINE_MAX_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	text_clean(text);
	return printf("%s", text);
}

int print_lines(const char *format, va_list args)
{
	char *text;
	int len = vasprintf(&text, format, args);

	if (len < 0)
		return len;
	text_clean_lines(text);
	print_progress(NULL, NULL);
	fputs(text, stderr);
	free(text);
	return len;
}

void print_as(const char *program)
{
	static struct diag_receiver printer = { .take = print_message, .progress = print_progress };

	if (!name)
		diag_receive(&printer);
	name = program;
}

int check_output(int status)
{
	bool failed = fflush(stdout) || ferror(stdout);

	/* EBADF: stdout was closed when the program began. That is no failure if nothing was
	 * printed; otherwise fflush() or ferror() above has failed.
	 */
	failed |= fclose(stdout) && errno != EBADF;
	if (!failed)
		return status;
	diag_err(0, "cannot write all of the output" ADVICE "is the disk full?");
	return status == EXIT_MISUSED ? status : EXIT_FAILED;
}
