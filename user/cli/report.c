// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"

#define PLACE "@figures@"

/* report.html, which the Makefile converts to a string. */
static const char PAGE[] =
#include "report_page.h"
	;

static void write_page(FILE *to, json_object *figures)
{
	const char *place = strstr(PAGE, PLACE);

	fwrite(PAGE, 1, place - PAGE, to);
	json_print_in_page(to, figures);
	fputs(place + strlen(PLACE), to);
}

/* Removes a file that is not whole. Devices stay. */
static void discard(const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
}

int report_write(const char *path, json_object *figures)
{
	FILE *to = fopen(path, "we");
	int err = 0;

	if (!to)
		return diag_err(-errno, "cannot write %s: %s", path, strerror(errno));
	errno = 0;
	write_page(to, figures);
	if (fflush(to) || ferror(to))
		err = errno ? -errno : -EIO;
	if (fclose(to) && !err)
		err = -errno;
	if (!err)
		return 0;
	discard(path);
	return diag_err(err, "cannot write %s: %s", path, strerror(-err));
}
