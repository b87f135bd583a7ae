/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files with secrets. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Reads up to `size` bytes of a file that only root, or the user of this process, can read and
 * change. Returns how many; or -errno (logged), -EPERM if others can.
 */
ssize_t private_file_read(const char *path, void *to, size_t size);
