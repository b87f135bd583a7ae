/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The directories of pins: the BPF file system, and checks that only root can change a directory.
 * Nothing here logs.
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>

#define BPFFS "/sys/fs/bpf"

/* Is a bpffs mounted at BPFFS, as this process sees it? */
bool dir_is_bpffs_mounted(void);

/* Returns 1 if there is something at this path, 0 if there is nothing, -errno if that cannot be
 * told. access() would ask with the rights of the real user, who may have fewer than this process.
 */
int path_exists(const char *path);

/* Checks that only root and this process's user can change the content of this directory, or
 * replace the directory; with is_private, that only they can read it. Returns 0; -EPERM if other
 * users can; -ENOTDIR if it is no directory; another -errno if that is unknown.
 */
int dir_check(const char *path, bool is_private);

/* Opens a directory at `at`, an open directory or AT_FDCWD, if dir_check() accepts the directory
 * itself; others may be able to replace it. Returns the descriptor, which the caller closes; or
 * -errno of dir_check().
 */
int dir_open(int at, const char *path, bool is_private);

/* Reads the next entry of a directory, which is valid until the next call. Returns 1; 0 after the
 * last one; or -errno.
 */
int dir_next(DIR *dir, struct dirent **ret_entry);

/* Opens the directory of this file, which need not exist, with these flags of open(). With
 * O_TMPFILE the new file has mode 0600. Returns the descriptor, which the caller closes; or -errno.
 */
int dir_open_of(const char *path, int flags);
