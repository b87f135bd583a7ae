/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines of a configuration file, for inih's ini_parse_stream(). */
#ifndef XDP_DEDUP_CONFIG_LINES_H
#define XDP_DEDUP_CONFIG_LINES_H

#include <stdio.h>

#define CONFIG_LINE_MAX 190 /* characters: inih's limit */

/* A file that is being read. */
struct config_lines {
	FILE *from;	   /* of the caller, who closes it */
	const char *path;  /* for messages */
	unsigned int line; /* the number of the last line that was read, from 1; 0: none was */
	int failed; /* -EINVAL: that line is no text, or too long (logged); or set by the caller */
};

/* An ini_reader; `lines` is a struct config_lines. Writes the next line and \n to `to`, which has
 * room for `size` bytes, and gives further messages its location. Leaves out blanks before the
 * text: with them, inih would take the line for a part of the last one. Returns `to`; NULL at the
 * end of the file, after an error of reading (ferror()), if the line is refused, and if `failed` is
 * set.
 */
char *config_lines_next(char *to, int size, void *lines);

#endif
