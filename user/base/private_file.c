// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"
#include "fd.h"

/* Returns NULL if others cannot read and change the file; else what is wrong: "is ...". */
static const char *private_file_wrong(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "is no regular file";
	if (st->st_uid && st->st_uid != geteuid())
		return "belongs to another user, who can read and replace it: give it to root by chown";
	if (st->st_mode & 077)
		return "can be read or changed by others: chmod 600 it";
	return NULL;
}

ssize_t private_file_read(const char *path, void *to, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *wrong = NULL;
	ssize_t len = -1;
	struct stat st;

	if (fd >= 0)
		wrong = fstat(fd, &st) ? "is of an unknown owner" : private_file_wrong(&st);
	if (fd >= 0 && !wrong)
		len = read(fd, to, size);
	if (wrong)
		len = diag_err(-EPERM, "%s %s" ADVICE "make a new secret if others could read it",
			       path, wrong);
	else if (len < 0)
		len = diag_err(-errno, "%s: %s", path, strerror(errno));
	fd_close(fd);
	return len;
}
