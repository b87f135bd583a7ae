// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "snapshot_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"
#include "dirs.h"
#include "fd.h"
#include "open_filter.h"
#include "units.h"

#define PART_BLOCKS 16384 /* 1 MB: read, summed and written at a time */

/* Writes all bytes at this offset. Returns 0 or -errno. */
static int write_all(int fd, const void *from, size_t bytes, off_t offset)
{
	for (size_t done = 0; done < bytes;) {
		ssize_t n = pwrite(fd, (const char *)from + done, bytes - done, offset + done);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? n : 0;
	}
	return 0;
}

/* Reads up to `bytes`, or to the file's end. Returns how many were read, or -errno. */
static ssize_t read_all_at(int fd, void *to, size_t bytes, off_t offset)
{
	size_t have = 0;

	while (have < bytes) {
		ssize_t n = pread(fd, (char *)to + have, bytes - have, offset + have);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			break;
		have += n > 0 ? n : 0;
	}
	return (ssize_t)have;
}

static void show_bytes_done(const char *what, uint64_t done, uint64_t all)
{
	diag_progress("%s %s of %s", what, FORMAT_BYTES(done), FORMAT_BYTES(all));
}

/* Writes the blocks to the file, and their checksum to *h. */
static int write_blocks(const struct filter *f, int fd, int (*stop)(void), struct snapshot_head *h)
{
	uint64_t all = h->file_bytes - sizeof(*h);
	struct dedup_block *chunk = aligned_alloc(64, PART_BLOCKS * sizeof(*chunk));
	int err = chunk ? 0 : -ENOMEM;

	for (uint64_t i = 0; i < f->config->memory.blocks && !err; i += PART_BLOCKS) {
		uint64_t left = f->config->memory.blocks - i;
		size_t cnt = left < PART_BLOCKS ? left : PART_BLOCKS;

		memcpy(chunk, &f->blocks[i], cnt * sizeof(*chunk));
		__sync_synchronize(); /* reads the hand after blocks that it may have swept */
		snapshot_rewind(h, READ_ONCE(f->state->hand), chunk, cnt);
		h->blocks_sum = snapshot_sum(h->blocks_sum, chunk, cnt);
		err = write_all(fd, chunk, cnt * sizeof(*chunk), sizeof(*h) + i * sizeof(*chunk));
		show_bytes_done("saved", (i + cnt) * sizeof(*chunk), all);
		if (!err && stop && stop())
			err = -EINTR;
	}
	diag_progress_end();
	free(chunk);
	return err;
}

/* Ensures that a rename in the file's directory survives a power failure. */
static int sync_directory(const char *path)
{
	int fd = dir_open_of(path, O_RDONLY | O_DIRECTORY), err;

	if (fd < 0)
		return fd;
	err = fsync(fd) ? -errno : 0;
	close(fd);
	return err;
}

/* Writes the whole snapshot to the draft. Returns 0, or -errno. */
static int write_snapshot(const struct filter *f, int fd, int (*stop)(void), struct snapshot_head *h)
{
	struct snapshot_moment now;
	int err = snapshot_moment_now(&now);

	if (err)
		return diag_err(err, "cannot tell which boot this is: %s", strerror(-err));
	err = snapshot_take(f, &now, h);
	if (err)
		return diag_err(
			err,
			"the window's clock of %s has stopped while it was clearing; nothing is saved",
			f->name);
	err = write_blocks(f, fd, stop, h);
	if (err)
		return err;
	snapshot_finish(f, h);
	h->sum = snapshot_head_sum(h);
	err = write_all(fd, h, sizeof(*h), 0);
	return !err && fsync(fd) ? -errno : err;
}

/* Refuses a path that is no file: the rename would replace a device, for example. */
static int check_target(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 : diag_err(-errno, "%s: %s", path, strerror(errno));
	return S_ISREG(st.st_mode)
		       ? 0
		       : diag_err(-EEXIST, "%s is there, and no file: say another one", path);
}

/* The file that is being written. It has no name until it is complete, so a killed process leaves
 * nothing. If the file system has no unnamed files, it has a temporary name.
 */
struct draft {
	int fd;
	char path[PATH_MAX]; /* the snapshot's path and six characters */
	bool has_name;
};

static int open_draft(const char *path, struct draft *d)
{
	if (snprintf(d->path, sizeof(d->path), "%s.XXXXXX", path) >= (int)sizeof(d->path))
		return -ENAMETOOLONG;
	d->fd = dir_open_of(path, O_TMPFILE | O_WRONLY);
	d->has_name = d->fd < 0;
	if (d->has_name)
		d->fd = mkostemp(d->path, O_CLOEXEC); /* mode 0600 */
	return d->fd < 0 ? -errno : 0;
}

/* Gives the draft a name that no other file has. */
static int name_draft(struct draft *d)
{
	char self[32];
	int fd;

	if (d->has_name)
		return 0;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", d->fd);
	fd = mkostemp(d->path, O_CLOEXEC); /* only to find the name */
	if (fd < 0)
		return -errno;
	close(fd);
	if (unlink(d->path) || linkat(AT_FDCWD, self, AT_FDCWD, d->path, AT_SYMLINK_FOLLOW))
		return -errno;
	d->has_name = true;
	return 0;
}

/* Renames the draft to `path`; or removes it after an error `err` here or before. */
static int finish_draft(struct draft *d, const char *path, int err)
{
	if (!err)
		err = name_draft(d);
	if (close(d->fd) && !err)
		err = -errno;
	if (!err && rename(d->path, path))
		err = -errno;
	if (err && d->has_name)
		unlink(d->path);
	return err;
}

int snapshot_save(const struct filter *f, const char *path, int (*stop)(void),
		  struct snapshot_head *h)
{
	int err = check_target(path);
	struct draft d = { .fd = -1 };

	if (err)
		return err;
	err = open_draft(path, &d);
	if (err)
		return diag_err(err, "cannot write %s: %s", path, strerror(-err));
	err = write_snapshot(f, d.fd, stop, h);
	if (!err && stop && stop())
		err = -EINTR;
	err = finish_draft(&d, path, err);
	if (err == -EINTR || err == -EAGAIN || err == -ENODATA)
		return err; /* logged, except -EINTR */
	if (err)
		return diag_err(err, "cannot write %s: %s", path, strerror(-err));
	err = sync_directory(path);
	return err ? diag_err(err,
			      "%s is written, but a crash of the machine may undo that: cannot sync its directory: %s" ADVICE
			      "sync -f %s",
			      path, strerror(-err), path)
		   : 0;
}

int snapshot_open(const char *path, struct snapshot *out)
{
	char text[SNAPSHOT_REFUSAL_MAX];
	const char *refusal;
	ssize_t bytes = -EISDIR;
	struct stat st;
	int err;

	*out = (struct snapshot){ .path = path };
	out->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (out->fd < 0 || fstat(out->fd, &st)) {
		err = diag_err(-errno, "cannot read %s: %s", path, strerror(errno));
		snapshot_close(out);
		return err;
	}
	if (S_ISREG(st.st_mode))
		bytes = read_all_at(out->fd, &out->head, sizeof(out->head), 0);
	if (bytes < 0)
		err = diag_err(bytes, "cannot read %s: %s", path,
			       S_ISREG(st.st_mode) ? strerror((int)-bytes) : "it is no file");
	else if ((refusal = snapshot_refusal(&out->head, bytes, st.st_size, text)))
		err = diag_err(-EBADMSG, "cannot restore %s: %s", path, refusal);
	else
		return 0;
	snapshot_close(out);
	return err;
}

void snapshot_close(struct snapshot *snapshot)
{
	fd_close(snapshot->fd);
	snapshot->fd = -1;
}

int snapshot_read(const struct snapshot *snapshot, struct dedup_block *blocks)
{
	uint64_t all = snapshot->head.config.memory.blocks, sum = 0;
	ssize_t n = 0;

	for (uint64_t i = 0; i < all && n >= 0; i += PART_BLOCKS) {
		size_t cnt = all - i < PART_BLOCKS ? all - i : PART_BLOCKS;
		size_t bytes = cnt * sizeof(*blocks);

		n = read_all_at(snapshot->fd, &blocks[i], bytes,
				snapshot->head.head_bytes + i * sizeof(*blocks));
		if (n >= 0 && (size_t)n < bytes)
			n = -EBADMSG;
		sum = snapshot_sum(sum, &blocks[i], cnt);
		show_bytes_done("read", (i + cnt) * sizeof(*blocks), all * sizeof(*blocks));
	}
	diag_progress_end();
	if (n >= 0 && sum != snapshot->head.blocks_sum)
		n = -EBADMSG;
	if (n == -EBADMSG)
		return diag_err(-EBADMSG,
				"cannot restore %s: it is damaged: its checksum is another one",
				snapshot->path);
	return n < 0 ? diag_err((int)n, "cannot read %s: %s", snapshot->path, strerror((int)-n)) : 0;
}
