// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config_lines.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"

#define BLANKS " \t"
#define BOM "\xef\xbb\xbf"

/* Removes the line's end. Fails at a byte that is no text. */
static int check_text(char *line, ssize_t len)
{
	if (memchr(line, '\0', len))
		return diag_err(-EINVAL, "a 0 byte: this is no text");
	if (!len || line[len - 1] != '\n')
		return diag_err(-EINVAL,
				"the last line has no end: has the file been written only in part?");
	line[--len] = '\0';
	if (len && line[len - 1] == '\r')
		line[--len] = '\0';
	if (len > CONFIG_LINE_MAX)
		return diag_err(-EINVAL,
				"a line has at most %d characters" ADVICE
				"a key that takes several values may be on several",
				CONFIG_LINE_MAX);
	for (const char *c = line; *c; c++)
		if (iscntrl((unsigned char)*c) && *c != '\t')
			return diag_err(-EINVAL, "a control character");
	return 0;
}

char *config_lines_next(char *to, int size, void *lines)
{
	struct config_lines *l = lines;
	char *line = NULL, *text;
	size_t room = 0;
	ssize_t len = l->failed ? -1 : getline(&line, &room, l->from);

	if (len < 0) {
		free(line);
		return NULL;
	}
	diag_at((struct diag_location){ l->path, ++l->line });
	text = line;
	if (l->line == 1 && !strncmp(text, BOM, strlen(BOM)))
		text += strlen(BOM);
	l->failed = check_text(text, len - (text - line));
	if (!l->failed)
		snprintf(to, size, "%s\n", text + strspn(text, BLANKS));
	free(line);
	return l->failed ? NULL : to;
}

int config_lines_end(const struct config_lines *l, int bad, const char *wrong)
{
	if (ferror(l->from))
		return diag_err(-EIO, "cannot read it to its end");
	if (l->failed)
		return l->failed;
	if (bad < 0)
		return diag_err(-ENOMEM, "out of memory");
	if (!bad)
		return 0;
	diag_at((struct diag_location){ l->path, bad });
	return diag_err(-EINVAL, "%s", wrong);
}
