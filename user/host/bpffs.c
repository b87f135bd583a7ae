// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "bpffs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "diag.h"
#include "dirs.h"
#include "fd.h"
#include "proc.h"

#define LOCK_TRIES 20 /* with 100 ms after each */
#define LOCK_TRY_US 100000

/* A mount, as in a line of /proc/PID/mountinfo. */
struct mount_line {
	int id;
	dev_t dev;  /* of the file system */
	int shared; /* its group of mounts; 0: it has none */
	int master; /* the group whose slave it is; 0: of none */
};

static int number_after(const char *line, const char *key)
{
	const char *at = strstr(line, key);

	return at ? atoi(at + strlen(key)) : 0;
}

/* Does process `pid` see a mount like `sought`, whose fields may be 0 for any value? Then *ret is
 * the first one. Reads /proc/PID/mountinfo: any user may read it, unlike /proc/PID/ns.
 */
static bool find_mount(const char *pid, const struct mount_line *sought, struct mount_line *ret)
{
	char path[PATH_MAX], *line = NULL;
	struct mount_line m;
	unsigned int maj, min;
	bool found = false;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/mountinfo", pid);
	f = fopen(path, "re");
	while (f && !found && getline(&line, &size, f) >= 0) {
		if (sscanf(line, "%d %*d %u:%u", &m.id, &maj, &min) != 3)
			continue;
		m.dev = makedev(maj, min);
		m.shared = number_after(line, " shared:");
		m.master = number_after(line, " master:");
		found = (!sought->id || m.id == sought->id) &&
			(!sought->dev || m.dev == sought->dev) &&
			(!sought->shared || m.shared == sought->shared);
	}
	if (found && ret)
		*ret = m;
	free(line);
	if (f)
		fclose(f);
	return found;
}

static bool sees_file_system(const char *pid, dev_t dev)
{
	return find_mount(pid, &(struct mount_line){ .dev = dev }, NULL);
}

/* Is this file system mounted as the slave of a mount in another mount namespace? This is asked
 * because a container with the host's bpffs sees none of the host's processes.
 */
static bool has_master_elsewhere(dev_t dev)
{
	struct mount_line own;

	return find_mount("self", &(struct mount_line){ .dev = dev }, &own) && own.master &&
	       !find_mount("self", &(struct mount_line){ .shared = own.master }, NULL);
}

/* Reads the number of this process in /proc, which may be mounted for another PID namespace than
 * that of getpid(). Returns false if /proc does not list this process.
 */
static bool own_pid(char pid[32])
{
	ssize_t len = readlink("/proc/self", pid, 31);

	pid[len > 0 ? len : 0] = 0;
	return len > 0;
}

/* Is this process in the mount namespace of PID 1, and not PID 1 itself? A mount id exists in one
 * mount namespace only, so the test is whether PID 1 sees a mount of this process.
 */
static bool is_in_init_mounts(void)
{
	struct mount_line own;
	char self[32];

	return own_pid(self) && strcmp(self, "1") &&
	       find_mount("self", &(struct mount_line){ 0 }, &own) &&
	       find_mount("1", &(struct mount_line){ .id = own.id }, NULL);
}

/* Returns the PID of the parent; 0 if there is none, or if it is unknown. */
static int parent_of(const char *pid)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%s/status", pid);
	return proc_number(path, "PPid:");
}

/* Is BPFFS a bpffs that is also mounted for others? Then it outlives this process. Returns 1 or 0;
 * -errno if the processes cannot be listed.
 */
static int is_lasting(void)
{
	struct dirent *entry;
	char self[32], parent[32];
	int more, lasts = 0;
	struct stat st;
	DIR *proc;

	if (!dir_is_bpffs_mounted() || stat(BPFFS, &st) || !own_pid(self))
		return 0;
	/* Most often PID 1 or the parent sees it, so they are checked before the others. */
	snprintf(parent, sizeof(parent), "%d", parent_of(self));
	if ((strcmp(self, "1") && sees_file_system("1", st.st_dev)) ||
	    sees_file_system(parent, st.st_dev) || has_master_elsewhere(st.st_dev))
		return 1;
	proc = opendir("/proc");
	if (!proc)
		return -errno;
	while (!lasts && (more = dir_next(proc, &entry)) > 0)
		lasts = isdigit((unsigned char)*entry->d_name) && strcmp(entry->d_name, self) &&
			sees_file_system(entry->d_name, st.st_dev);
	closedir(proc);
	return lasts ?: more;
}

/* Is process `pid` in the user namespace of this process? In another user namespace an ordinary
 * user may be root, and may have mounted any file system at BPFFS.
 */
static bool shares_user_namespace(const char *pid)
{
	struct stat own, its;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/proc/%s/ns/user", pid);
	return !stat("/proc/self/ns/user", &own) && !stat(path, &its) && own.st_ino == its.st_ino &&
	       own.st_dev == its.st_dev;
}

/* Moves this process into the mount namespace of process `pid` if that has a bpffs that outlives
 * this process. Returns false if it does not.
 */
static bool enter(const char *pid)
{
	char path[PATH_MAX];
	int back = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC), there = -1;
	int cwd = open(".", O_PATH | O_CLOEXEC); /* setns() changes the directory to / */
	bool entered = false;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", pid);
	if (back >= 0 && shares_user_namespace(pid))
		there = open(path, O_RDONLY | O_CLOEXEC);
	if (there >= 0 && !setns(there, CLONE_NEWNS)) {
		entered = is_lasting() == 1;
		if (!entered)
			setns(back, CLONE_NEWNS); /* if it fails, bpffs_ready() fails, too */
		if (cwd < 0 || fchdir(cwd))
			diag_note("relative paths begin at /");
	}
	fd_close(cwd);
	fd_close(there);
	fd_close(back);
	return entered;
}

/* Moves this process into the mount namespace of its nearest ancestor with a bpffs, where the user
 * expects the pins, or else of PID 1. Returns false if none has a bpffs.
 */
static bool enter_ancestor(void)
{
	char pid[32] = "self";
	int parent;

	while ((parent = parent_of(pid)) > 0) {
		snprintf(pid, sizeof(pid), "%d", parent);
		if (enter(pid))
			return true;
	}
	return enter("1");
}

/* Mounts a bpffs, unless another process has just mounted one: a second one would hide its pins. A
 * lock on the mount point serialises them. Any user can lock it, so the wait is limited.
 */
static int mount_bpffs(void)
{
	int dir = open(BPFFS, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;

	for (int i = 0; i < LOCK_TRIES && flock(dir, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK; i++)
		usleep(LOCK_TRY_US);
	if (!dir_is_bpffs_mounted() && mount("bpf", BPFFS, "bpf", 0, "mode=0700"))
		err = diag_err(-errno,
			       "cannot mount bpffs: %s" ADVICE
			       "try mount -t bpf -o mode=0700 bpf " BPFFS " as root",
			       strerror(errno));
	fd_close(dir);
	return err;
}

int bpffs_ready(bool may_mount)
{
	int lasts = is_lasting();

	if (lasts < 0)
		return diag_err(lasts,
				"cannot tell whether another process holds the bpffs at " BPFFS
				": %s",
				strerror(-lasts));
	if (lasts)
		return 0;
	if (!dir_is_bpffs_mounted() && is_in_init_mounts())
		return may_mount ? mount_bpffs() : 0;
	if (enter_ancestor())
		return 0;
	if (dir_is_bpffs_mounted())
		return diag_err(
			-ENODEV,
			"no other process is seen to hold the bpffs at " BPFFS
			", so pins may vanish with this command" ADVICE
			"run it from a shell in this mount namespace, or in a container with a slave mount of the host's bpffs (rslave)");
	return diag_err(
		-ENODEV,
		"there is no bpffs at " BPFFS " in this mount namespace" ADVICE
		"mount -t bpf -o mode=0700 bpf " BPFFS
		" outside, and under ip netns exec NS, say nsenter --net=/run/netns/NS instead");
}
