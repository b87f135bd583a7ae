/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

#include <unistd.h>

/* Closes a descriptor, unless it is negative: -1, or the -errno of a failed open. */
static inline void fd_close(int fd)
{
	if (fd >= 0)
		close(fd);
}
