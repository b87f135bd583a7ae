/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Snapshots of filters (snapshot.h) as files. Failures are logged. */
#pragma once

#include "snapshot.h"
#include "open_filter.h"

/* Writes a snapshot of the filter to this file, which only its owner may read. The file appears
 * when it is complete; after a failure an older file is as it was. Fails if the path exists and is
 * no file. stop: called now and then, or NULL; if it returns not 0, writing ends like a failure.
 * Fills in *h. Returns 0; -EINTR (not logged) if it was stopped; another -errno (logged).
 */
int snapshot_save(const struct filter *f, const char *path, int (*stop)(void),
		  struct snapshot_head *h);

/* A snapshot file that is open for reading. */
struct snapshot {
	const char *path;
	int fd;
	struct snapshot_head head; /* checked by snapshot_refusal() */
};

/* Opens a snapshot. Returns 0, and the caller closes it with snapshot_close(); -EBADMSG if it
 * cannot be restored, or another -errno (logged).
 */
int snapshot_open(const char *path, struct snapshot *out);
void snapshot_close(struct snapshot *snapshot);

/* Reads the memory, head.config.memory.blocks blocks. Returns 0; -EBADMSG if it is damaged, or
 * another -errno (logged).
 */
int snapshot_read(const struct snapshot *snapshot, struct dedup_block *blocks);
