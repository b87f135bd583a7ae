// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lines.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Removes the line's end. Returns false if the line contains a 0 byte. */
static bool trim(char *line, size_t len)
{
	if (memchr(line, 0, len))
		return false;
	if (len && line[len - 1] == '\n')
		line[--len] = 0;
	if (len && line[len - 1] == '\r')
		line[--len] = 0;
	return true;
}

int lines_each(FILE *from, line_fn fn, void *arg)
{
	char *line = NULL;
	size_t size = 0;
	int result = 0;
	ssize_t len;

	errno = 0;
	while (!result && (len = getline(&line, &size, from)) >= 0) {
		if (!trim(line, len))
			result = -EILSEQ;
		else if (*line)
			result = fn(arg, line);
		errno = 0;
	}
	if (!result && !feof(from))
		result = errno ? -errno : -EIO;
	free(line);
	return result;
}
