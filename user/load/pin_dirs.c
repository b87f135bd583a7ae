// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pin_dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "diag.h"
#include "dirs.h"
#include "fd.h"
#include "identity.h"
#include "pins.h"

/* The whole path of +NAME. */
#define STAGING_PATH(name) PIN_PATH(PIN_STAGING(name), NULL)

/* Logs why +NAME exists: live_exchange_recover() could not remove it. */
static int explain_begun(const char *name)
{
	if (filter_format(PIN_STAGING(name)) > DEDUP_FORMAT)
		return diag_err(
			-EBUSY,
			"a newer xdp-dedup has begun to change %s, and it alone can end that: use that one",
			name);
	return diag_err(-EBUSY, "a change of %s has not ended: see the message before this one",
			name);
}

int pin_dir_begin(const char *name)
{
	const char *staging = STAGING_PATH(name);

	if (!mkdir(staging, 0700))
		return 0;
	if (errno == EEXIST)
		return explain_begun(name);
	return diag_err(-errno, "cannot make %s: %s", staging, strerror(errno));
}

/* musl 1.2.3 has no function renameat2(). */
static int move(const char *from, const char *to, unsigned int flags)
{
	if (!syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags))
		return 0;
	return diag_err(-errno, "cannot rename %s to %s: %s", from, to, strerror(errno));
}

int pin_dir_publish(const char *name)
{
	return move(STAGING_PATH(name), PIN_PATH(name, NULL), RENAME_NOREPLACE);
}

int pin_dir_exchange(const char *name)
{
	return move(STAGING_PATH(name), PIN_PATH(name, NULL), RENAME_EXCHANGE);
}

/* Removes a directory of pins, and the pins in it. Follows no link: if it is no directory, it is
 * removed itself. Returns 0; or -errno, and then some pins may be gone.
 */
static int remove_at(int root, const char *directory)
{
	int fd = dir_open(root, directory, false), err = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (fd == -ENOTDIR)
		return unlinkat(root, directory, 0) ? -errno : 0;
	if (!dir) {
		fd_close(fd);
		return fd < 0 ? fd : -ENOMEM;
	}
	/* Without this pin the others do not count as a change that has not ended. */
	unlinkat(fd, PINS[PIN_CONFIG], 0);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && unlinkat(fd, entry->d_name, 0))
			err = -errno;
	closedir(dir);
	return unlinkat(root, directory, AT_REMOVEDIR) ? -errno : err;
}

int pin_dir_remove_staging(const char *name)
{
	int root = dir_open(AT_FDCWD, PIN_ROOT, false);
	int err = root < 0 ? root : remove_at(root, PIN_STAGING(name));

	fd_close(root);
	if (!err || err == -ENOENT)
		return 0;
	return diag_err(err, "cannot remove %s: %s", STAGING_PATH(name), strerror(-err));
}

int pin_dir_remove(const char *name)
{
	int err = pin_dir_remove_staging(name);

	if (!err)
		err = move(PIN_PATH(name, NULL), STAGING_PATH(name), RENAME_NOREPLACE);
	return err ? err : pin_dir_remove_staging(name);
}

int pin_dir_explain(const char *path, int err)
{
	if (err == -EPERM)
		return diag_err(
			err,
			"%s could be changed by others than root: see who made it and the directory that it is in, then remove it, or chown root and chmod 700",
			path);
	return diag_err(err, "cannot use %s: %s", path, strerror(-err));
}

int pin_dir_make(const char *path, bool is_private)
{
	int err = dir_check(path, is_private);

	if (err == -ENOENT) {
		if (mkdir(path, 0700) && errno != EEXIST)
			return diag_err(-errno, "cannot make %s: %s", path, strerror(errno));
		err = dir_check(path, is_private);
	}
	return err ? pin_dir_explain(path, err) : 0;
}
