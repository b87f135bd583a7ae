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
#include <unistd.h>

#include <bpf/bpf.h>

#include "bpffs.h"
#include "pins.h"
#include "here.h"
#include "links.h"
#include "live.h"

/* libxdp pins a dispatcher a moment before it attaches it: one that no interface runs is looked at
 * again after so long.
 */
#define BEGINNING_US 500000

/* A dispatcher's directory of pins. */
struct dispatcher {
	char path[PATH_MAX];
	int ifindex;
	uint32_t id; /* of the dispatcher's program */
};

/* The directory in which libxdp has its dispatchers' directories, and which it locks. */
static void root_path(char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/xdp", secure_getenv("LIBXDP_BPFFS") ?: BPFFS);
}

static void name_dispatcher(struct dispatcher *d, int ifindex, uint32_t id)
{
	char root[PATH_MAX];

	root_path(root);
	*d = (struct dispatcher){ .ifindex = ifindex, .id = id };
	if (snprintf(d->path, sizeof(d->path), "%s/dispatch-%d-%u", root, ifindex, id) >=
	    (int)sizeof(d->path))
		*d->path = 0; /* too long: a path that does not exist */
}

/* The next dispatcher of the root directory; false after the last. */
static bool next_dispatcher(DIR *root, struct dispatcher *d)
{
	struct dirent *entry;
	unsigned int id;
	int ifindex;

	while ((entry = readdir(root)))
		if (sscanf(entry->d_name, "dispatch-%d-%u", &ifindex, &id) == 2) {
			name_dispatcher(d, ifindex, id);
			return true;
		}
	return false;
}

static DIR *open_root(void)
{
	char path[PATH_MAX];

	root_path(path);
	return opendir(path);
}

int dispatch_follow(int ifindex, uint32_t dispatcher_id)
{
	struct dispatcher here, d;
	int found = 0;
	DIR *root;

	name_dispatcher(&here, ifindex, dispatcher_id);
	if (!dispatcher_id || !access(here.path, F_OK))
		return dispatcher_id != 0;
	root = open_root();
	if (!root)
		return errno == ENOENT ? 0 : -errno;
	while (!found && next_dispatcher(root, &d))
		if (d.id == dispatcher_id)
			found = rename(d.path, here.path) ? -errno : 1;
	closedir(root);
	/* -ENOENT: another process may have renamed it at the same time. */
	return found == -ENOENT && !access(here.path, F_OK) ? 1 : found;
}

/* The id of the state map that the pinned program uses; where a link is pinned, of the program that
 * the link attaches. 0 if it has none, so is not ours.
 */
static int state_of_pin(const char *path, uint32_t *state_id)
{
	struct bpf_link_info info = { 0 };
	__u32 len = sizeof(info);
	const char *kind = strrchr(path, '-');
	int fd = bpf_obj_get(path), prog_fd, err = 0;
	struct identity id = { 0 };

	*state_id = 0;
	if (fd < 0)
		return -errno;
	if (kind && !strcmp(kind, "-prog")) {
		prog_fd = fd;
	} else {
		err = bpf_obj_get_info_by_fd(fd, &info, &len) ? -errno : 0;
		prog_fd = err ? -1 : bpf_prog_get_fd_by_id(info.prog_id);
		if (!err && prog_fd < 0)
			err = -errno;
	}
	if (!err)
		err = live_maps_of(prog_fd, &id);
	if (prog_fd >= 0 && prog_fd != fd)
		close(prog_fd);
	close(fd);
	*state_id = id.state_id;
	return err;
}

/* The state map's id of the filter in this dispatcher; 0 if it has none of ours. */
static int state_of(const struct dispatcher *d, uint32_t *state_id)
{
	DIR *dir = opendir(d->path);
	struct dirent *entry;
	char path[PATH_MAX];
	int err = 0;

	*state_id = 0;
	if (!dir)
		return -errno;
	while (!err && !*state_id && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' &&
		    snprintf(path, sizeof(path), "%s/%s", d->path, entry->d_name) < PATH_MAX)
			err = state_of_pin(path, state_id);
	closedir(dir);
	return err;
}

/* Copies the filter's record of its interfaces. 0 or -errno. */
static int read_record(uint32_t state_id, struct dedup_iface record[DEDUP_IFACES_MAX])
{
	struct dedup_state *state = malloc(sizeof(*state));
	int fd = bpf_map_get_fd_by_id(state_id), err = fd < 0 ? -errno : 0;
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info), key = 0;

	if (!err && !state)
		err = -ENOMEM;
	if (!err && bpf_obj_get_info_by_fd(fd, &info, &len))
		err = -errno;
	if (!err && info.value_size != sizeof(*state))
		err = -EPROTO; /* another version's */
	if (!err && bpf_map_lookup_elem(fd, &key, state))
		err = -errno;
	if (!err)
		memcpy(record, state->ifaces, sizeof(state->ifaces));
	if (fd >= 0)
		close(fd);
	free(state);
	return err;
}

/* Does the record have any interface of this network namespace? */
static bool is_from_here(const struct dedup_iface record[DEDUP_IFACES_MAX])
{
	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		if (here_has(&record[i]))
			return true;
	return false;
}

/* Under libxdp's lock, so that no other process meets a directory that is half removed. */
static void remove_pins(const struct dispatcher *d)
{
	char path[PATH_MAX];
	int lock;

	root_path(path);
	lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lock >= 0 && !flock(lock, LOCK_EX))
		bpffs_remove_dir(d->path);
	if (lock >= 0)
		close(lock);
}

/* Are all interfaces of the record still in this network namespace, and do none of them run this
 * dispatcher? Then none has taken it to another namespace. Index and name are compared, as the
 * index of one that has gone may have been given to another interface.
 */
static bool are_off_here(const struct dispatcher *d,
			 const struct dedup_iface record[DEDUP_IFACES_MAX])
{
	struct links links;
	bool off = !links_read(&links);

	if (!off)
		return false;
	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		const struct link *l = links_find(&links, record[i].ifindex);

		if (record[i].ifindex)
			off &= here_has(&record[i]) && l && here_is_named(&record[i], l->name) &&
			       !link_runs_xdp(l, d->id);
	}
	links_free(&links);
	return off;
}

/* Is this a dispatcher that no interface runs, so that its pins can go? If that cannot be told:
 * true if the record says so (are_off_here); true with --force, when record is NULL.
 */
static bool is_orphaned(const struct dispatcher *d, const struct dedup_iface *record)
{
	int found = links_run_xdp(d->id);

	return !found || (found < 0 && (!record || are_off_here(d, record)));
}

/* dispatch_sweep() if forced_id is 0; else dispatch_forget() of it. */
static void sweep(uint32_t forced_id)
{
	struct dedup_iface record[DEDUP_IFACES_MAX];
	DIR *root = open_root();
	struct dispatcher d;
	uint32_t state_id;

	while (root && next_dispatcher(root, &d)) {
		if (state_of(&d, &state_id) || !state_id || (forced_id && state_id != forced_id))
			continue;
		if (!forced_id && (read_record(state_id, record) || !is_from_here(record)))
			continue;
		if (!is_orphaned(&d, forced_id ? NULL : record))
			continue;
		usleep(BEGINNING_US);
		if (is_orphaned(&d, forced_id ? NULL : record))
			remove_pins(&d);
	}
	if (root)
		closedir(root);
}

void dispatch_sweep(void)
{
	sweep(0);
}

void dispatch_forget(uint32_t state_id)
{
	if (state_id)
		sweep(state_id);
}
