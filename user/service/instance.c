// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "instance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "runtime_file.h"

char *instance_name(const char *path)
{
	const char *file = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	const char *end = strrchr(file, '.');
	char *name = strndup(file, end && end > file ? (size_t)(end - file) : strlen(file));

	if (!name)
		diag_err(-ENOMEM, "out of memory");
	return name;
}

/* Locks the file, which stays open. fcntl() tells who holds the lock; jobs do not inherit it. */
static int lock_file(const char *path, const char *config)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int err = runtime_make_directory(path), fd;

	if (err)
		return err;
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (!fcntl(fd, F_SETLK, &lock))
		return 0;
	err = -errno;
	if ((err == -EAGAIN || err == -EACCES) && !fcntl(fd, F_GETLK, &lock) && lock.l_type != F_UNLCK)
		err = diag_err(-EBUSY,
			       "%s: process %d is the service of a file of this name already" ADVICE
			       "end that, or give this file another name",
			       config, (int)lock.l_pid);
	close(fd);
	return err;
}

int instance_lock(const char *name, const char *path)
{
	char *lock = runtime_file(name, ".lock");
	int err = lock ? lock_file(lock, path) : -ENOMEM;

	if (err && err != -EBUSY)
		diag_err(err, "cannot lock %s: %s", lock ?: name, strerror(-err));
	free(lock);
	return err;
}
