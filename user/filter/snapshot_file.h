/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Snapshots of filters (snapshot.h) as files. Failures are logged. */
#ifndef XDP_DEDUP_SNAPSHOT_FILE_H
#define XDP_DEDUP_SNAPSHOT_FILE_H

#include "snapshot.h"
#include "open_filter.h"

/* Writes the snapshot of the filter as it is now to this file, which only its owner may read, and
 * which is there as a whole or, on failure, as it was before. It has no name until it is whole;
 * fails if there is something else than a file. stop: asked now and then, unless it is NULL; not 0:
 * to end as if it had failed. Fills in *h. 0; -EINTR (not logged) if it was stopped; another -errno
 * (logged).
 */
int snapshot_save(const struct filter *f, const char *path, int (*stop)(void),
		  struct snapshot_head *h);

/* A snapshot that is being read. */
struct snapshot {
	const char *path;
	int fd;
	struct snapshot_head head; /* the file's; it can be restored */
};

/* 0, and the caller closes it with snapshot_close(); -EBADMSG if it can not be restored, or another
 * -errno (logged).
 */
int snapshot_open(const char *path, struct snapshot *out);
void snapshot_close(struct snapshot *snapshot);

/* Reads the memory into `blocks`, head.config.blocks of them. 0; -EBADMSG if it is damaged, or
 * another -errno (logged).
 */
int snapshot_read(const struct snapshot *snapshot, struct dedup_block *blocks);

#endif
