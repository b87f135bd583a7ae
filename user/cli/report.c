// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The results of replay for programs: JSON, and a page for a browser, which needs no other file. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"
#include "replay_print.h"

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

/* Writes the page of these results to the file. Returns 0; or -errno (logged), after it has removed
 * what it wrote.
 */
static int write_report(const char *path, json_object *figures)
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

int replay_show_figures(const struct options *o, json_object *figures)
{
	int err = o->html ? write_report(o->html, figures) : 0;

	if (o->json)
		json_print(figures);
	else
		json_object_put(figures);
	return err;
}
