/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines of a configuration file, for inih's ini_parse_stream(). */
#pragma once

#include <stdio.h>

#define CONFIG_LINE_MAX 190 /* characters: inih's limit */

/* The state of reading a file. */
struct config_lines {
	FILE *from;	   /* the caller opens and closes it */
	const char *path;  /* for messages */
	unsigned int line; /* number of the last line that was read, from 1; 0: none */
	int failed; /* -EINVAL: that line is no text, or too long (logged); or set by the caller */
};

/* An ini_reader; `lines` is a struct config_lines. Writes the next line and \n to `to`, which has
 * room for `size` bytes, and gives further messages its location. Removes blanks before the text:
 * inih takes a line that begins with blanks for a continuation. Returns `to`; NULL at the end of
 * the file, after a read error (ferror()), if the line is refused, and if `failed` is set.
 */
char *config_lines_next(char *to, int size, void *lines);

/* Returns how reading has ended, from `bad`, the result of ini_parse_stream(): 0, or -errno
 * (logged). wrong: the message about a line that inih cannot parse.
 */
int config_lines_end(const struct config_lines *l, int bad, const char *wrong);
