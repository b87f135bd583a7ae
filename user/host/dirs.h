/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where pins are: the BPF file system, and directories that only root can change. Logs nothing. */
#ifndef XDP_DEDUP_DIRS_H
#define XDP_DEDUP_DIRS_H

#include <dirent.h>
#include <stdbool.h>

#define BPFFS "/sys/fs/bpf"

/* Is a bpffs mounted at BPFFS, as this process sees it? */
bool dir_is_bpffs_mounted(void);

/* 0 if nobody but root or this process's user can change what is in this directory, or put another
 * one in its place, and, with is_private, nobody else can even look into it; -EPERM if others can;
 * -ENOTDIR if it is none; another -errno if that cannot be told.
 */
int dir_check(const char *path, bool is_private);

/* Opens a directory at `at`, an open one or AT_FDCWD, if dir_check() would accept the directory
 * itself; others could still put another one in its place. Returns the descriptor, which is the
 * caller's; or -errno of dir_check().
 */
int dir_open(int at, const char *path, bool is_private);

/* Opens a directory as dir_open() does, to be listed. Returns NULL, with errno set, if it cannot. */
DIR *dir_open_list(int at, const char *path, bool is_private);

/* Opens the directory that has the file of this path, or would have it, with these flags of open();
 * a file in it, by O_TMPFILE, has mode 0600. Returns the descriptor, which is the caller's; or
 * -errno.
 */
int dir_open_of(const char *path, int flags);

#endif
