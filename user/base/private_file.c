// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "private_file.h"

#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

const char *private_file_wrong(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "is no regular file";
	if (st->st_uid && st->st_uid != geteuid())
		return "belongs to another user, who can read and replace it: give it to root by chown";
	if (st->st_mode & 077)
		return "can be read or changed by others: chmod 600 it";
	return NULL;
}
