// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "dispatch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "bpffs.h"
#include "dirs.h"
#include "fd.h"
#include "identity.h"
#include "kernel.h"
#include "pin_dirs.h"
#include "here.h"
#include "links.h"

/* libxdp pins a dispatcher a moment before it attaches it: one that no interface runs is looked at
 * again after so long.
 */
#define BEGINNING_US 500000

#define LOCK_TRIES 20 /* with 100 ms after each */
#define LOCK_TRY_US 100000

/* A dispatcher's directory of pins. */
struct dispatcher {
	char name[64]; /* in libxdp's directory */
	uint32_t id;   /* of the dispatcher's program */
};

/* The directory in which libxdp has its dispatchers' directories, and which it locks. */
static void root_path(char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/xdp", secure_getenv("LIBXDP_BPFFS") ?: BPFFS);
}

int dispatch_ready(bool may_make)
{
	char path[PATH_MAX];
	int err;

	root_path(path);
	err = dir_check(path, true);
	if (err == -ENOENT && may_make && !mkdir(path, 0700)) /* if this fails, libxdp says why */
		err = dir_check(path, true);
	return err && err != -ENOENT ? pin_dir_explain(path, err) : 0;
}

static void name_dispatcher(struct dispatcher *d, int ifindex, uint32_t id)
{
	d->id = id;
	snprintf(d->name, sizeof(d->name), "dispatch-%d-%u", ifindex, id);
}

/* The next dispatcher of the root directory. Returns as dir_next(). */
static int next_dispatcher(DIR *root, struct dispatcher *d)
{
	struct dirent *entry;
	int ifindex, more;
	unsigned int id;

	while ((more = dir_next(root, &entry)) > 0)
		if (sscanf(entry->d_name, "dispatch-%d-%u", &ifindex, &id) == 2) {
			name_dispatcher(d, ifindex, id);
			break;
		}
	return more;
}

/* NULL, and errno: it is not there, or not for root alone, so that anything may be in it. */
static DIR *open_root(void)
{
	char path[PATH_MAX];

	root_path(path);
	return dir_open_list(AT_FDCWD, path, true);
}

static bool is_there(DIR *root, const struct dispatcher *d)
{
	struct stat st;

	return !fstatat(dirfd(root), d->name, &st, AT_SYMLINK_NOFOLLOW);
}

int dispatch_follow(int ifindex, uint32_t dispatcher_id)
{
	struct dispatcher here, d;
	int found, more = 1;
	DIR *root;

	if (!dispatcher_id)
		return 0;
	root = open_root();
	if (!root)
		return errno == ENOENT ? 0 : -errno;
	name_dispatcher(&here, ifindex, dispatcher_id);
	found = is_there(root, &here);
	while (!found && (more = next_dispatcher(root, &d)) > 0)
		if (d.id == dispatcher_id)
			found = renameat(dirfd(root), d.name, dirfd(root), here.name) ? -errno : 1;
	if (more < 0)
		found = more;
	/* -ENOENT: another process may have renamed it meanwhile. */
	if (found == -ENOENT)
		found = is_there(root, &here) ? 1 : -ENOENT;
	closedir(root);
	return found;
}

/* The ids of the maps that the pinned program uses; where a link is pinned, of the program that the
 * link attaches. 0 if it has none, so is not ours.
 */
static int maps_of_pin(const char *path, struct identity *id)
{
	struct bpf_link_info info = { 0 };
	const char *kind = strrchr(path, '-');
	int fd = bpf_obj_get(path), err;

	*id = (struct identity){ 0 };
	if (fd < 0)
		return -errno;
	if (kind && !strcmp(kind, "-prog"))
		err = identity_of_program(fd, id);
	else
		err = kernel_info(fd, &info, sizeof(info))
			      ?: identity_of_program_id(info.prog_id, id);
	close(fd);
	return err;
}

/* Reads the ids of the maps that our program in this dispatcher uses; 0 each if it has none of
 * ours.
 */
static int maps_of_dispatcher(DIR *root, const struct dispatcher *d, struct identity *id)
{
	DIR *dir = dir_open_list(dirfd(root), d->name, false);
	struct dirent *entry;
	char path[PATH_MAX];
	int err = 0, more = 1;

	*id = (struct identity){ 0 };
	if (!dir)
		return -errno;
	while (!err && !id->state_id && (more = dir_next(dir, &entry)) > 0)
		if (entry->d_name[0] != '.' && snprintf(path, sizeof(path), "/proc/self/fd/%d/%s",
							dirfd(dir), entry->d_name) < PATH_MAX)
			err = maps_of_pin(path, id);
	closedir(dir);
	return more < 0 ? more : err;
}

/* Copies the program's record of its interfaces. 0 or -errno; -EPROTO: another version's. */
static int read_record(uint32_t record_id, struct dedup_iface ifaces[DEDUP_IFACES_MAX])
{
	int fd = record_id ? bpf_map_get_fd_by_id(record_id) : -1, err = fd < 0 ? -errno : 0;
	struct bpf_map_info info = { 0 };
	__u32 key = 0;
	struct dedup_record record;

	if (!record_id)
		return -EPROTO;
	if (!err)
		err = kernel_info(fd, &info, sizeof(info));
	if (!err && info.value_size != sizeof(record))
		err = -EPROTO;
	if (!err && bpf_map_lookup_elem(fd, &key, &record))
		err = -errno;
	if (!err)
		memcpy(ifaces, record.ifaces, sizeof(record.ifaces));
	fd_close(fd);
	return err;
}

/* Under libxdp's lock, so that no other process meets a directory that is half removed. If somebody
 * keeps the lock, the next command tries again.
 */
static void remove_pins(DIR *root, const struct dispatcher *d)
{
	for (int i = 0; flock(dirfd(root), LOCK_EX | LOCK_NB); i++) {
		if (errno != EWOULDBLOCK || i == LOCK_TRIES)
			return;
		usleep(LOCK_TRY_US);
	}
	bpffs_remove(dirfd(root), d->name);
	flock(dirfd(root), LOCK_UN);
}

void dispatch_remove(int ifindex, uint32_t dispatcher_id)
{
	struct dispatcher d;
	DIR *root = open_root();

	if (!root)
		return;
	name_dispatcher(&d, ifindex, dispatcher_id);
	remove_pins(root, &d);
	closedir(root);
}

/* Are all interfaces of the record of this network namespace, or have been? */
static bool are_from_here(const struct dedup_iface record[DEDUP_IFACES_MAX])
{
	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		if (record[i].ifindex && !here_has(&record[i]))
			return false;
	return true;
}

static bool dispatcher_runs_here(const struct links *l, const struct dispatcher *d)
{
	for (int i = 0; i < l->cnt; i++)
		if (link_runs_xdp(&l->list[i], d->id))
			return true;
	return false;
}

/* Is this a dispatcher that no interface runs, so that its pins can go? If that is unknown:
 * true if no interface of the record can have taken it along; true with --force, when record is
 * NULL.
 */
static bool is_orphaned(const struct dispatcher *d, const struct dedup_iface *record)
{
	int found = links_run_xdp(d->id);

	return !found || (found < 0 && (!record || (found == -EXDEV && are_from_here(record))));
}

/* Does dispatch_sweep() if forced_id is 0; else dispatch_forget() for that dispatcher. */
static void sweep_dispatchers(uint32_t forced_id)
{
	struct dedup_iface record[DEDUP_IFACES_MAX];
	struct links here = { 0 };
	DIR *root = open_root();
	struct dispatcher d;
	struct identity id;

	while (root && next_dispatcher(root, &d) > 0) {
		/* Mostly they run here. If the links cannot be read, is_orphaned() sees that. */
		if (!here.cnt)
			links_read(&here);
		if (dispatcher_runs_here(&here, &d))
			continue;
		if (maps_of_dispatcher(root, &d, &id) || !id.state_id ||
		    (forced_id && id.state_id != forced_id))
			continue;
		if (!forced_id && (read_record(id.record_id, record) || !here_has_any(record)))
			continue;
		if (!is_orphaned(&d, forced_id ? NULL : record))
			continue;
		usleep(BEGINNING_US);
		if (is_orphaned(&d, forced_id ? NULL : record))
			remove_pins(root, &d);
	}
	links_free(&here);
	if (root)
		closedir(root);
}

void dispatch_sweep(void)
{
	sweep_dispatchers(0);
}

void dispatch_forget(uint32_t state_id)
{
	if (state_id)
		sweep_dispatchers(state_id);
}

int dispatch_runs_elsewhere(uint32_t state_id)
{
	struct links links = { 0 };
	DIR *root = open_root();
	int here = 0, more = 1, err = root ? links_read(&links) : -errno;
	struct dispatcher d;
	struct identity id;

	while (!err && root && (more = next_dispatcher(root, &d)) > 0) {
		err = maps_of_dispatcher(root, &d, &id);
		if (err || id.state_id != state_id)
			continue;
		if (dispatcher_runs_here(&links, &d))
			here++;
		else
			err = 1;
	}
	links_free(&links);
	if (root)
		closedir(root);
	if (!err && more < 0)
		err = more;
	return err || here ? err : -ENODATA;
}
