// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "say.h"

#include <stdarg.h>
#include <stdio.h>

int say_err(int err, const char *format, ...)
{
	va_list args;

	fputs("xdp-dedup: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return err;
}

void say_note(const char *format, ...)
{
	va_list args;

	fputs("xdp-dedup: note: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}
