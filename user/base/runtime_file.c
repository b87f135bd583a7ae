// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "runtime_file.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define DIRECTORY_MODE 0755

char *runtime_file(const char *name, const char *suffix)
{
	const char *directory = getenv("RUNTIME_DIRECTORY");
	char *path;

	if (!directory || !*directory)
		directory = RUNTIME_DIRECTORY;
	return asprintf(&path, "%s/%s%s", directory, name, suffix) < 0 ? NULL : path;
}

int runtime_make_directory(const char *path)
{
	char room[PATH_MAX], *directory;

	snprintf(room, sizeof(room), "%s", path);
	directory = dirname(room);
	if (mkdir(directory, DIRECTORY_MODE))
		return errno == EEXIST ? 0 : -errno;
	return chmod(directory, DIRECTORY_MODE) ? -errno : 0; /* undoes the umask */
}
