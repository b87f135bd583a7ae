// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "netns.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/nsfs.h>

#define INIT_PIDNS 0xEFFFFFFC /* inode of the first PID namespace, the same on every kernel */
#define PATIENCE_MS 10000     /* for the child: a process's files may be on a dead network mount */
#define SEARCHES_MAX 5	      /* how often all is searched again if something changed meanwhile */

/* Which file it is, whatever its path. */
struct file_id {
	uintmax_t dev, inode;
};

/* What need not be looked at twice: a network namespace; or the mounts of a mount namespace, as
 * seen from a root directory.
 */
struct visited {
	uintmax_t namespace; /* its inode */
	struct file_id root; /* of mounts; else 0 */
};

struct search {
	int (*ask)(uint32_t);
	uint32_t arg;
	dev_t nsfs; /* the file system of namespaces: links in /proc lead to files on it */
	struct visited *seen;
	size_t seen_cnt;
	bool saw_init; /* PID 1 is in /proc */
	int answer;    /* so far: 1, or the first error, or 0 */
};

/* 1 is final and replaces an error; of errors the first stays. */
static void take_answer(struct search *s, int answer)
{
	if (answer > 0 || !s->answer)
		s->answer = answer;
}

static bool is_seen(const struct search *s, const struct visited *what)
{
	for (size_t i = 0; i < s->seen_cnt; i++)
		if (!memcmp(&s->seen[i], what, sizeof(*what)))
			return true;
	return false;
}

static void add_seen(struct search *s, const struct visited *what)
{
	struct visited *more = realloc(s->seen, (s->seen_cnt + 1) * sizeof(*more));

	if (!more) {
		take_answer(s, -ENOMEM);
		return;
	}
	s->seen = more;
	s->seen[s->seen_cnt++] = *what;
}

static bool is_gone_error(int err)
{
	return err == ENOENT || err == ESRCH;
}

/* Takes err as the answer, unless it came because the thread or file has gone from /proc meanwhile.
 */
static void note_error(struct search *s, const char *path, int err)
{
	struct stat st;

	if (!is_gone_error(err) && (!lstat(path, &st) || !is_gone_error(errno)))
		take_answer(s, -err);
}

/* Opens the namespace with this inode at the path; -EAGAIN if something else is there now. Looks
 * at it before it opens it for reading: the path may be another user's, and lead to a device or a
 * FIFO.
 */
static int open_namespace(const struct search *s, const char *path, uintmax_t inode)
{
	int fd, at = open(path, O_PATH | O_CLOEXEC);
	char again[64];
	struct stat st;

	if (at < 0)
		return -errno;
	if (fstat(at, &st) || st.st_dev != s->nsfs || st.st_ino != inode) {
		close(at);
		return -EAGAIN;
	}
	snprintf(again, sizeof(again), "/proc/self/fd/%d", at);
	fd = open(again, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	close(at);
	return fd;
}

/* Asks in the namespace with this inode, if it is a network namespace and was not seen yet. The
 * answer, also that it cannot be entered, goes into s->answer. Returns 0; -errno if this path does
 * not lead there, so that another path may.
 */
static int visit(struct search *s, const char *path, uintmax_t inode)
{
	struct visited netns = { .namespace = inode };
	int fd;

	if (is_seen(s, &netns))
		return 0;
	fd = open_namespace(s, path, inode);
	if (fd < 0)
		return fd;
	add_seen(s, &netns);
	if (ioctl(fd, NS_GET_NSTYPE) == CLONE_NEWNET)
		take_answer(s, setns(fd, CLONE_NEWNET) ? -errno : s->ask(s->arg));
	close(fd);
	return 0;
}

/* Device and inode of what a link in /proc leads to. AT_STATX_DONT_SYNC: the kernel answers from
 * its memory, and does not wait for a network file system.
 */
static bool read_file_id(struct search *s, const char *path, struct file_id *out)
{
	struct statx st;

	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, 0, &st)) {
		note_error(s, path, errno);
		return false;
	}
	*out = (struct file_id){ makedev(st.stx_dev_major, st.stx_dev_minor), st.stx_ino };
	return true;
}

/* Visits the namespace that a link in /proc leads to, if it is one: an open file, or ns/net. */
static void look_at_link(struct search *s, const char *path)
{
	struct file_id there;
	int err;

	if (!read_file_id(s, path, &there) || there.dev != s->nsfs)
		return;
	err = visit(s, path, there.inode);
	if (err)
		note_error(s, path, -err);
}

/* Undoes, in place, how mountinfo writes blanks in a path: \040. */
static void unescape(char *text)
{
	char *to = text;
	unsigned int c;

	for (; *text; text++)
		if (*text == '\\' && sscanf(text + 1, "%3o", &c) == 1) {
			*to++ = c;
			text += 3;
		} else {
			*to++ = *text;
		}
	*to = 0;
}

/* Visits the network namespace that is mounted by this line of a thread's mountinfo, if it is one.
 * If another mount hides it there, the path leads elsewhere: then it must be found by another path,
 * or the search has failed (-EAGAIN).
 */
static void look_at_mount(struct search *s, const char *thread, const char *line)
{
	char point[PATH_MAX], path[2 * PATH_MAX];
	uintmax_t inode;
	int err;

	if (sscanf(line, "%*d %*d %*u:%*u net:[%ju] %4095s", &inode, point) != 2)
		return;
	unescape(point);
	snprintf(path, sizeof(path), "%s/root%s", thread, point);
	err = visit(s, path, inode);
	if (err)
		note_error(s, thread, EAGAIN);
}

static void look_at_mounts(struct search *s, const char *thread)
{
	char path[PATH_MAX], *line = NULL;
	struct visited mounts = { 0 };
	struct file_id mntns;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/ns/mnt", thread);
	if (!read_file_id(s, path, &mntns))
		return;
	snprintf(path, sizeof(path), "%s/root", thread);
	if (!read_file_id(s, path, &mounts.root))
		return;
	mounts.namespace = mntns.inode;
	if (is_seen(s, &mounts))
		return;
	snprintf(path, sizeof(path), "%s/mountinfo", thread);
	f = fopen(path, "re");
	if (!f) {
		note_error(s, path, errno == EINVAL ? ENOENT : errno); /* EINVAL: it is exiting */
		return;
	}
	add_seen(s, &mounts);
	while (getline(&line, &size, f) >= 0)
		look_at_mount(s, thread, line);
	free(line);
	fclose(f);
}

static void look_at_thread(struct search *s, const char *path)
{
	char link[PATH_MAX];

	snprintf(link, sizeof(link), "%s/ns/net", path);
	look_at_link(s, link);
	look_at_mounts(s, path);
}

/* Calls `look` for each entry of a directory in /proc whose name is a number. */
static void look_at_numbered(struct search *s, const char *path,
			     void (*look)(struct search *s, const char *path))
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char child[PATH_MAX];

	errno = dir ? 0 : errno;
	while (dir && s->answer <= 0 && (entry = readdir(dir))) {
		snprintf(child, sizeof(child), "%s/%s", path, entry->d_name);
		if (isdigit((unsigned char)*entry->d_name))
			look(s, child);
		errno = 0;
	}
	if (errno)
		note_error(s, path, errno);
	if (dir)
		closedir(dir);
}

static void look_at_process(struct search *s, const char *path)
{
	char part[PATH_MAX];

	s->saw_init |= !strcmp(path, "/proc/1");
	snprintf(part, sizeof(part), "%s/task", path);
	look_at_numbered(s, part, look_at_thread);
	snprintf(part, sizeof(part), "%s/fd", path);
	look_at_numbered(s, part, look_at_link);
}

/* Searches all once. Processes are out of sight from an inner PID namespace, and where /proc is
 * mounted with hidepid, which hides PID 1 as well: in both cases the answer is -EACCES, unless it
 * is 1 or another error already.
 */
static int search(struct search *s, const struct stat *own)
{
	struct stat pidns;

	s->nsfs = own->st_dev;
	add_seen(s, &(struct visited){ .namespace = own->st_ino });
	look_at_numbered(s, "/proc", look_at_process);
	if (stat("/proc/self/ns/pid", &pidns) || pidns.st_ino != INIT_PIDNS || !s->saw_init)
		take_answer(s, -EACCES);
	free(s->seen);
	return s->answer;
}

/* In the child: changes this process's network namespace, and leaves it changed. */
static int search_until_done(int (*ask)(uint32_t), uint32_t arg)
{
	struct stat own;
	int answer = -EAGAIN;

	if (stat("/proc/self/ns/net", &own))
		return -errno;
	for (int i = 0; i < SEARCHES_MAX && answer == -EAGAIN; i++) {
		struct search s = { .ask = ask, .arg = arg };

		answer = search(&s, &own);
	}
	return answer;
}

/* The child's answer, from the pipe. */
static int answer_of(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	int answer, n = poll(&wait, 1, PATIENCE_MS);

	if (n <= 0)
		return n ? -errno : -ETIMEDOUT;
	return read(fd, &answer, sizeof(answer)) == sizeof(answer) ? answer : -EIO;
}

int netns_ask_others(int (*ask)(uint32_t), uint32_t arg)
{
	int fds[2], answer;
	pid_t child;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		answer = search_until_done(ask, arg);
		_exit(write(fds[1], &answer, sizeof(answer)) != sizeof(answer));
	}
	answer = child < 0 ? -errno : 0;
	close(fds[1]);
	if (child > 0) {
		answer = answer_of(fds[0]);
		kill(child, SIGKILL);
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(fds[0]);
	return answer;
}
