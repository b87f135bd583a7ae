/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text of one item a line. */
#pragma once

#include <stdio.h>

/* A result other than 0 ends lines_each(). */
typedef int (*line_fn)(void *arg, const char *line);

/* Calls fn for each line that is not empty, without its end (\n, \r\n, or the end of the file).
 * Returns the result of fn if that is not 0; -EILSEQ at a line that contains a 0 byte, for which fn
 * is not called; -errno if reading fails; else 0. Logs nothing.
 */
int lines_each(FILE *from, line_fn fn, void *arg);
