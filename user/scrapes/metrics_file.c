// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "metrics_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"
#include "event_loop.h"
#include "runtime_file.h"

#define FILE_MODE 0644

static int write_all(const struct metrics_file *m, int fd)
{
	FILE *out = fdopen(fd, "we");
	int err;

	if (!out) {
		close(fd);
		return -ENOMEM;
	}
	fprintf(out, "# xdp-dedup: written every %llu s\n",
		(unsigned long long)(m->every_ns + 999999999) / 1000000000);
	err = m->write(m->arg, out);
	if (!err && fchmod(fd, FILE_MODE))
		err = -errno;
	return fclose(out) && !err ? -errno : err;
}

/* Writes a hidden file in the same directory, which readers ignore, and renames it. */
static int write_file(const struct metrics_file *m)
{
	char copy[PATH_MAX], temporary[PATH_MAX + 16];
	int err = runtime_make_directory(m->path), fd;

	if (err)
		return err;
	snprintf(copy, sizeof(copy), "%s", m->path);
	snprintf(temporary, sizeof(temporary), "%.*s/.%s.new",
		 (int)(strrchr(m->path, '/') - m->path), m->path, basename(copy));
	unlink(temporary); /* a killed program may have left it */
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	err = write_all(m, fd);
	if (!err && rename(temporary, m->path))
		err = -errno;
	if (err)
		unlink(temporary);
	return err;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *arg)
{
	struct metrics_file *m = arg;
	int err = write_file(m);

	(void)source, (void)usec;
	if (err && !m->has_failed)
		diag_err(err, "cannot write %s: %s; it is tried again every %llu s", m->path,
			 strerror(-err), (unsigned long long)m->every_ns / 1000000000);
	m->has_failed = err;
	return timer_arm(m->events, &m->timer, m->every_ns / 1000, on_timer, m);
}

void metrics_file_configure(struct metrics_file *m, const char *path, const char *name,
			    uint64_t every_ns)
{
	bool is_none = path && !strcmp(path, METRICS_NONE);
	char *next = path ? strdup(path) : runtime_file(name, METRICS_SUFFIX);
	bool is_same = next && m->path && !strcmp(next, m->path);
	int err;

	if (is_same && every_ns == m->every_ns) {
		free(next);
		return;
	}
	if (!next)
		diag_err(-ENOMEM, "no metrics are written: out of memory");
	if (!is_same) {
		metrics_file_close(m);
		m->path = is_none ? NULL : next;
	}
	if (is_same || is_none)
		free(next);
	m->every_ns = every_ns;
	if (!m->path)
		return;
	err = timer_arm(m->events, &m->timer, 1, on_timer, m);
	if (err < 0)
		diag_err(err, "no metrics are written to %s: %s", m->path, strerror(-err));
}

void metrics_file_close(struct metrics_file *m)
{
	m->timer = sd_event_source_disable_unref(m->timer);
	if (m->path)
		unlink(m->path);
	free(m->path);
	m->path = NULL;
	m->has_failed = false;
}

const char *metrics_file_wrong(const char *path)
{
	size_t len = strlen(path);

	return !strcmp(path, METRICS_NONE) || (*path == '/' && len < PATH_MAX && path[len - 1] != '/')
		       ? NULL
		       : "give a file from / on, or none";
}
