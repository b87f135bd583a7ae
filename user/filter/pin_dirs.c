// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pin_dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bpffs.h"
#include "pins.h"
#include "say.h"

bool pin_dir_exists(const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	pin_path(path, name, NULL);
	return !lstat(path, &st);
}

int pin_dir_remove(const char *name)
{
	int root = filter_open_dir(AT_FDCWD, PIN_ROOT, false);
	int err = root < 0 ? root : bpffs_remove(root, name);

	if (root >= 0)
		close(root);
	return err ? say_err(err, "cannot remove %s/%s: %s", PIN_ROOT, name, strerror(-err)) : 0;
}

int pin_dir_explain(const char *path, int err)
{
	if (err == -EPERM)
		return say_err(err,
			       "%s could be changed by others than root: see who made it and the "
			       "directory that it is in, then remove it, or chown root and chmod "
			       "700",
			       path);
	return say_err(err, "cannot use %s: %s", path, strerror(-err));
}

int pin_dir_make(const char *path, bool is_private)
{
	int err;

	if (mkdir(path, 0700) && errno != EEXIST)
		return say_err(-errno, "cannot make %s: %s", path, strerror(errno));
	err = filter_check_dir(path, is_private);
	return err ? pin_dir_explain(path, err) : 0;
}

int pin_dir_rename(const char *from, const char *to)
{
	char old[PATH_MAX], new[PATH_MAX];

	pin_path(old, from, NULL);
	pin_path(new, to, NULL);
	return rename(old, new)
		       ? say_err(-errno, "cannot rename %s to %s: %s", old, new, strerror(errno))
		       : 0;
}

void pin_dir_prefixed(char directory[PATH_MAX], const char *prefix, const char *name)
{
	snprintf(directory, PATH_MAX, "%s%s", prefix, name);
}

int pin_dir_remove_whole(const char *directory)
{
	int err = pin_dir_rename(directory, HALF_MADE);

	return err ? err : pin_dir_remove(HALF_MADE);
}

int pin_dir_begin(void)
{
	char path[PATH_MAX];

	pin_path(path, HALF_MADE, NULL);
	return mkdir(path, 0700) ? say_err(-errno, "cannot make %s: %s", path, strerror(errno)) : 0;
}

int pin_dir_end(int err, const char *to)
{
	if (!err)
		err = pin_dir_rename(HALF_MADE, to);
	if (err)
		pin_dir_remove(HALF_MADE);
	return err;
}
