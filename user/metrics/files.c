// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WRITTEN_EVERY "# xdp-dedup: written every "
#define NAME_CHARACTERS                                                  \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" \
	"_.-"

static unsigned long interval_s(int fd)
{
	char line[64] = "", *end;
	const char *number = line + strlen(WRITTEN_EVERY);
	unsigned long seconds;

	if (pread(fd, line, sizeof(line) - 1, 0) < 0 ||
	    strncmp(line, WRITTEN_EVERY, strlen(WRITTEN_EVERY)))
		return FILES_INTERVAL_S;
	seconds = strtoul(number, &end, 10);
	if (end == number || strncmp(end, " s\n", 3) || !seconds || seconds > FILES_INTERVAL_MAX_S)
		return FILES_INTERVAL_S;
	return seconds;
}

static int check_file(int fd, uint64_t *ret_bytes)
{
	time_t most, now = time(NULL);
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOENT;
	most = FILES_INTERVALS_UNTIL_STALE * (time_t)interval_s(fd);
	*ret_bytes = st.st_size;
	return st.st_mtime < now - most || st.st_mtime > now + most ? -ESTALE : 0;
}

int files_open(const char *directory, const char *name, uint64_t *ret_bytes)
{
	char path[PATH_MAX];
	int fd, err;

	if (!*name || *name == '.' || name[strspn(name, NAME_CHARACTERS)])
		return -ENOENT;
	if (snprintf(path, sizeof(path), "%s/%s.prom", directory, name) >= (int)sizeof(path))
		return -ENOENT;
	/* With O_NONBLOCK, open() does not wait for the writer of a FIFO. */
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = check_file(fd, ret_bytes);
	if (err)
		close(fd);
	return err ?: fd;
}
