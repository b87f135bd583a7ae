/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* Closes a descriptor, unless it is negative: -1, or the -errno of a failed open. */
static inline void fd_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* Returns 1 if there is something at this path, 0 if there is nothing, -errno if that cannot be
 * told. access() would ask with the rights of the real user, who may have fewer than this process.
 */
static inline int path_exists(const char *path)
{
	struct stat st;

	if (!lstat(path, &st))
		return 1;
	return errno == ENOENT ? 0 : -errno;
}
