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

#include "bpffs.h"
#include "diag.h"
#include "fd.h"
#include "identity.h"
#include "pins.h"

void pin_dir_staging(char directory[PATH_MAX], const char *name)
{
	snprintf(directory, PATH_MAX, STAGING "%s", name);
}

/* The whole paths of NAME and +NAME. */
struct paths {
	char name[PATH_MAX], staging[PATH_MAX];
};

static void paths_of(const char *name, struct paths *out)
{
	char staging[PATH_MAX];

	pin_dir_staging(staging, name);
	pin_path(out->name, name, NULL);
	pin_path(out->staging, staging, NULL);
}

/* Logs why +NAME exists: live_exchange_recover() could not remove it. */
static int explain_begun(const char *name)
{
	char staging[PATH_MAX];

	pin_dir_staging(staging, name);
	if (filter_format(staging) > DEDUP_FORMAT)
		return diag_err(
			-EBUSY,
			"a newer xdp-dedup has begun to change %s, and it alone can end that: use that one",
			name);
	return diag_err(-EBUSY, "a change of %s has not ended: see the message before this one",
			name);
}

int pin_dir_begin(const char *name)
{
	struct paths p;

	paths_of(name, &p);
	if (!mkdir(p.staging, 0700))
		return 0;
	if (errno == EEXIST)
		return explain_begun(name);
	return diag_err(-errno, "cannot make %s: %s", p.staging, strerror(errno));
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
	struct paths p;
	int err;

	paths_of(name, &p);
	err = move(p.staging, p.name, RENAME_NOREPLACE);
	if (err)
		pin_dir_remove_staging(name);
	return err;
}

int pin_dir_exchange(const char *name)
{
	struct paths p;

	paths_of(name, &p);
	return move(p.staging, p.name, RENAME_EXCHANGE);
}

/* Removes a directory, if it exists. */
static int remove_directory(const char *directory)
{
	int root = dir_open(AT_FDCWD, PIN_ROOT, false);
	int err = root < 0 ? root : bpffs_remove(root, directory);

	fd_close(root);
	if (!err || err == -ENOENT)
		return 0;
	return diag_err(err, "cannot remove %s/%s: %s", PIN_ROOT, directory, strerror(-err));
}

int pin_dir_remove_staging(const char *name)
{
	char staging[PATH_MAX];
	struct paths p;
	int dir;

	paths_of(name, &p);
	dir = dir_open(AT_FDCWD, p.staging, false); /* follows no link */
	/* Without this pin the others do not count as a change that has not ended. */
	if (dir >= 0) {
		unlinkat(dir, PINS[PIN_CONFIG], 0);
		close(dir);
	}
	pin_dir_staging(staging, name);
	return remove_directory(staging);
}

int pin_dir_remove(const char *name)
{
	int err = pin_dir_remove_staging(name);
	struct paths p;

	paths_of(name, &p);
	if (!err)
		err = move(p.name, p.staging, RENAME_NOREPLACE);
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
