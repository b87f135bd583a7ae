// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "detach.h"
#include "diag.h"
#include "dirs.h"
#include "live_exchange.h"
#include "kernel.h"
#include "pin_dirs.h"
#include "pins.h"

/* A directory that serves only as the lock. PIN_ROOT itself would not do: other users may be
 * allowed to read it, and a user who can open a file can lock it for ever.
 */
#define LOCK PIN_ROOT "-lock"

#define LOCK_WAIT_S 10 /* for another process */
#define HOLDER_MAX 48

static int held = -1;

/* Writes who holds the lock, with the process id if /proc/locks has it. Returns buf. */
static const char *holder(int fd, char buf[HOLDER_MAX])
{
	FILE *locks = fopen("/proc/locks", "re");
	unsigned int major, minor;
	unsigned long inode;
	char line[128];
	struct stat st;
	int pid;

	snprintf(buf, HOLDER_MAX, "another xdp-dedup");
	while (locks && !fstat(fd, &st) && fgets(line, sizeof(line), locks))
		if (sscanf(line, "%*d: FLOCK ADVISORY WRITE %d %x:%x:%lu", &pid, &major, &minor,
			   &inode) == 4 &&
		    inode == st.st_ino && makedev(major, minor) == st.st_dev)
			snprintf(buf, HOLDER_MAX, "another xdp-dedup (process %d)", pid);
	if (locks)
		fclose(locks);
	return buf;
}

/* Opens the lock and takes it, after at most so many waits of 100 ms. Returns 0; -EBUSY (not
 * logged) if another process holds it; or another -errno (logged).
 */
static int wait_for_lock(int waits)
{
	held = open(LOCK, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (held < 0)
		return diag_err(-errno, "cannot open %s: %s", LOCK, strerror(errno));
	while (flock(held, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			return diag_err(-errno, "cannot lock the filters: %s", strerror(errno));
		if (!waits--)
			return -EBUSY;
		usleep(100000);
	}
	return 0;
}

int lock_try(void)
{
	int err = wait_for_lock(0);

	if (err)
		lock_release();
	return err;
}

/* What another user makes in root's directory, root's commands would refuse. */
static int check_owner(void)
{
	struct stat st;

	if (stat(PIN_ROOT, &st))
		return diag_err(-errno, "cannot look at %s: %s", PIN_ROOT, strerror(errno));
	if (st.st_uid != geteuid())
		return diag_err(-EPERM,
				"%s belongs to another user" ADVICE "change filters as that user",
				PIN_ROOT);
	return 0;
}

int lock_take(bool verbose)
{
	char who[HOLDER_MAX];
	int err = kernel_ready(verbose, true)
		  ?: pin_dir_make(PIN_ROOT, false)
		  ?: check_owner()
		  ?: pin_dir_make(LOCK, true);

	if (err)
		return err;
	err = wait_for_lock(LOCK_WAIT_S * 10);
	if (err == -EBUSY)
		diag_err(err, "%s is still changing filters" ADVICE "try again", holder(held, who));
	if (err) {
		lock_release();
		return err;
	}
	detach_recover();
	live_exchange_recover();
	return 0;
}

void lock_release(void)
{
	close(held);
	held = -1;
}

int lock_check(void)
{
	static const char *const DIRS[] = { PIN_ROOT, LOCK };
	char who[HOLDER_MAX];
	int fd, err;

	for (int i = 0; i < 2; i++) {
		err = path_exists(DIRS[i]);
		if (!err)
			return 0; /* the first load makes it */
		if (err > 0)
			err = dir_check(DIRS[i], i);
		if (err)
			return pin_dir_explain(DIRS[i], err);
	}
	fd = open(LOCK, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return pin_dir_explain(LOCK, -errno);
	if (flock(fd, LOCK_SH | LOCK_NB))
		diag_note("%s is changing filters: load waits for it, 10 s at most", holder(fd, who));
	close(fd);
	return 0;
}
