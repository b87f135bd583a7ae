// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <linux/magic.h>

bool dir_is_bpffs_mounted(void)
{
	struct statfs fs;

	return !statfs(BPFFS, &fs) && (uint32_t)fs.f_type == BPF_FS_MAGIC;
}

int path_exists(const char *path)
{
	struct stat st;

	if (!lstat(path, &st))
		return 1;
	return errno == ENOENT ? 0 : -errno;
}

/* Checks that the open directory belongs to root or to this process's user, and that its mode has
 * none of the bits `others`, or has a bit of `enough`.
 */
static int check_open(int fd, mode_t others, mode_t enough)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_uid && st.st_uid != geteuid())
		return -EPERM;
	return st.st_mode & others && !(st.st_mode & enough) ? -EPERM : 0;
}

int dir_open(int at, const char *path, bool is_private)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = check_open(fd, is_private ? S_IRWXG | S_IRWXO : S_IWGRP | S_IWOTH, 0);
	if (err)
		close(fd);
	return err ? err : fd;
}

int dir_next(DIR *dir, struct dirent **ret_entry)
{
	struct dirent *entry;

	errno = 0;
	entry = readdir(dir);
	if (!entry)
		return -errno;
	*ret_entry = entry;
	return 1;
}

int dir_open_of(const char *path, int flags)
{
	char copy[PATH_MAX];
	int fd;

	snprintf(copy, sizeof(copy), "%s", path);
	fd = open(dirname(copy), flags | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

/* Checks that other users cannot replace this directory by another one. */
static int check_parent(const char *path)
{
	int fd = dir_open_of(path, O_PATH | O_DIRECTORY), err;

	if (fd < 0)
		return fd;
	err = check_open(fd, S_IWGRP | S_IWOTH, S_ISVTX);
	close(fd);
	return err;
}

int dir_check(const char *path, bool is_private)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = check_open(fd, is_private ? S_IRWXG | S_IRWXO : S_IWGRP | S_IWOTH, 0);
	close(fd);
	return err ? err : check_parent(path);
}
