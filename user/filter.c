// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "filter.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "hash.h"
#include "wanted.h"

const char *const PINS[PINS_CNT] = { "filter", "stats", "state", "config", "wanted", "timer" };

void pin_path(char path[PATH_MAX], const char *name, const char *pin)
{
	snprintf(path, PATH_MAX, "%s/%s%s%s", PIN_ROOT, name, pin ? "/" : "", pin ? pin : "");
}

bool filter_name_ok(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '-' && name[i] != '_')
			return false;
	return len >= 1 && len <= NAME_MAX_LEN;
}

bool filter_new_name_ok(const char *name)
{
	return filter_name_ok(name) && name[0] != '-';
}

static int open_pin(const char *name, enum pin pin)
{
	char path[PATH_MAX];

	pin_path(path, name, PINS[pin]);
	return bpf_obj_get(path);
}

/* Maps the first `size` bytes of a pinned map's content, all there must be at least.
 * *id, unless NULL, is the kernel's id of the map. NULL if that does not work.
 */
static void *map_pin(const char *name, enum pin pin, int prot, size_t size, uint32_t *id)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);
	void *mem = MAP_FAILED;
	int fd = open_pin(name, pin);

	if (fd < 0)
		return NULL;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len) &&
	    (uint64_t)info.value_size * info.max_entries >= size)
		mem = mmap(NULL, size, prot, MAP_SHARED, fd, 0);
	close(fd);
	if (id)
		*id = info.id;
	return mem == MAP_FAILED ? NULL : mem;
}

void filter_identity(const char *name, uint32_t *state_id, uint32_t *prog_id)
{
	struct bpf_map_info map = { 0 };
	struct bpf_prog_info prog = { 0 };
	char path[PATH_MAX];
	__u32 len = sizeof(map);
	int fd = open_pin(name, PIN_STATE);

	if (fd >= 0)
		bpf_obj_get_info_by_fd(fd, &map, &len);
	close(fd);
	*state_id = map.id;

	pin_path(path, name, PIN_PROG);
	fd = bpf_obj_get(path);
	len = sizeof(prog);
	if (fd >= 0)
		bpf_obj_get_info_by_fd(fd, &prog, &len);
	close(fd);
	*prog_id = prog.id;
}

static size_t blocks_bytes(const struct filter *f)
{
	return (size_t)f->config->blocks * sizeof(struct dedup_block);
}

void filter_close(struct filter *f)
{
	if (f->config && f->blocks)
		munmap(f->blocks, blocks_bytes(f));
	if (f->state)
		munmap(f->state, sizeof(*f->state));
	if (f->config)
		munmap((void *)f->config, sizeof(*f->config));
	if (f->stats_fd >= 0)
		close(f->stats_fd);
	if (f->wanted_fd >= 0)
		close(f->wanted_fd);
	*f = (struct filter){ .stats_fd = -1, .wanted_fd = -1 };
}

/* A larger value than ours would be read past the end of what is there for it. */
static bool is_stats(int fd)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);

	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len) &&
	       info.type == BPF_MAP_TYPE_PERCPU_ARRAY &&
	       info.value_size == sizeof(struct dedup_counters);
}

/* So too would a key be, or a value, that is larger than ours. */
static bool is_wanted(int fd)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);

	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len) &&
	       info.type == BPF_MAP_TYPE_HASH && info.key_size == sizeof(struct dedup_id) &&
	       info.value_size == sizeof(struct dedup_wanted);
}

/* May this process open pins at all? */
static int check_rights(const char *name)
{
	int fd = open_pin(name, PIN_CONFIG);
	int err = fd < 0 && (errno == EPERM || errno == EACCES) ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return err;
}

/* *dir is the inode of the directory that was looked into. */
static int open_once(const char *name, struct filter *out, ino_t *dir)
{
	struct filter f = { .stats_fd = -1, .wanted_fd = -1 };
	char path[PATH_MAX];
	struct stat st;
	int err;

	pin_path(path, name, NULL);
	errno = 0;
	if (!filter_name_ok(name) || stat(path, &st))
		return errno == EACCES ? -EACCES : -ENOENT;
	*dir = st.st_ino;
	err = check_rights(name);
	if (err)
		return err;
	snprintf(f.name, sizeof(f.name), "%s", name);

	f.config = map_pin(name, PIN_CONFIG, PROT_READ, sizeof(*f.config), NULL);
	if (!f.config || f.config->format != DEDUP_FORMAT || !f.config->blocks)
		goto fail;
	f.state = map_pin(name, PIN_STATE, PROT_READ | PROT_WRITE, sizeof(*f.state), &f.state_id);
	f.blocks = map_pin(name, PIN_FILTER, PROT_READ | PROT_WRITE, blocks_bytes(&f), NULL);
	f.stats_fd = open_pin(name, PIN_STATS);
	f.wanted_fd = open_pin(name, PIN_WANTED);
	if (!f.state || !f.blocks || !is_stats(f.stats_fd) || !is_wanted(f.wanted_fd))
		goto fail;
	*out = f;
	return 0;
fail:
	filter_close(&f);
	return -EPROTO;
}

int filter_open(const char *name, struct filter *out)
{
	char path[PATH_MAX];
	struct stat st;
	ino_t dir = 0;
	int err;

	pin_path(path, name, NULL);
	do /* again if it went away meanwhile: then another one, or none, is there */
		err = open_once(name, out, &dir);
	while (err == -EPROTO && (stat(path, &st) || st.st_ino != dir));
	return err;
}

int filter_counters(const struct filter *f, struct filter_counters *sum)
{
	int cpus = libbpf_num_possible_cpus();
	struct dedup_counters *each;
	__u32 key = 0;
	int err = 0;

	if (cpus < 0)
		return cpus;
	each = calloc(cpus, sizeof(*each));
	if (!each)
		return -ENOMEM;
	if (bpf_map_lookup_elem(f->stats_fd, &key, each)) {
		err = -errno;
		goto out;
	}
	*sum = (struct filter_counters){ 0 };
	for (int i = 0; i < cpus; i++) {
#define X(name, help) sum->name += each[i].name;
		DEDUP_REASONS(X)
		DEDUP_TOTALS(X)
#undef X
		sum->credit += each[i].credit;
	}
#define X(name, help) sum->rx += sum->name;
	DEDUP_REASONS(X)
#undef X
	if (!f->config->count_only)
		sum->dropped = sum->duplicate + (f->config->ihave_pass ? 0 : sum->ihave_duplicate);
out:
	free(each);
	return err;
}
