/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text of one item a line. */
#ifndef XDP_DEDUP_LINES_H
#define XDP_DEDUP_LINES_H

#include <stdio.h>

/* Not 0: it wants no more lines. */
typedef int (*line_fn)(void *arg, const char *line);

/* Gives fn each line that is not empty, without its end, \n or \r\n; also a last one without any.
 * Returns what fn did if that is not 0; -EILSEQ at a line with a 0 byte in it, which fn does not
 * get; -errno if reading fails; else 0. Logs nothing.
 */
int lines_each(FILE *from, line_fn fn, void *arg);

#endif
