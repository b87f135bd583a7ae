// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pins.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/magic.h>

#include "deliver.h"
#include "exchange.h"
#include "hash.h"
#include "kept.h"
#include "layout.h"
#include "stream_ids.h"
#include "wanted.h"

const char *const PINS[PINS_ALL] = { "filter",
				     "stats",
				     "state",
				     "config",
				     "record",
				     "wanted",
				     "timer",
				     "samples",
				     "handled",
				     "before_state",
				     "before_filter",
				     "before_config",
				     "xsks",
				     "queues",
				     "sockets",
				     "handed",
				     "predecessor_state",
				     "predecessor_filter",
				     "predecessor_timer" };

bool pin_bpffs_mounted(void)
{
	struct statfs fs;

	return !statfs(BPFFS, &fs) && (uint32_t)fs.f_type == BPF_FS_MAGIC;
}

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

/* -EPROTO if err means that there is no such pin, or that it is something else; -err if it means
 * that this could not be found out.
 */
static int pin_error(int err)
{
	return err == ENOENT || err == ENOTDIR || err == EINVAL ? -EPROTO : -err;
}

static int open_pin(const char *name, enum pin pin)
{
	char path[PATH_MAX];
	int fd;

	pin_path(path, name, PINS[pin]);
	fd = bpf_obj_get(path);
	return fd < 0 ? pin_error(errno) : fd;
}

/* Maps the first `size` bytes of a map of so many into memory. What it has fewer is 0, and memory
 * of this process.
 */
static int map_bytes(int fd, uint64_t bytes, int prot, size_t size, void **mem)
{
	bool is_shorter = bytes < size;
	void *whole = NULL, *m;
	int err;

	if (is_shorter) {
		whole = mmap(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (whole == MAP_FAILED)
			return -errno;
	}
	m = mmap(whole, is_shorter ? bytes : size, prot, MAP_SHARED | (is_shorter ? MAP_FIXED : 0),
		 fd, 0);
	if (m != MAP_FAILED) {
		*mem = m;
		return 0;
	}
	err = errno == ENOMEM || errno == EAGAIN ? -errno : -EPROTO;
	if (is_shorter)
		munmap(whole, size);
	return err;
}

/* Maps a pinned map's content: map_bytes(); -EPROTO if it has fewer than `least`. *id, unless NULL,
 * becomes the kernel's id of the map.
 */
static int map_pin(const char *name, enum pin pin, int prot, size_t size, size_t least, void **mem,
		   uint32_t *id)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);
	int fd = open_pin(name, pin), err = 0;
	uint64_t bytes;

	if (fd < 0)
		return fd;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		err = -errno;
	bytes = (uint64_t)info.value_size * info.max_entries;
	if (!err)
		err = bytes < least ? -EPROTO : map_bytes(fd, bytes, prot, size, mem);
	close(fd);
	if (id)
		*id = info.id;
	return err;
}

/* The kernel's id of the map or program that is pinned there; 0 if nothing is. */
static int pinned_id(const char *name, const char *pin, uint32_t *id)
{
	union {
		struct bpf_map_info map;
		struct bpf_prog_info prog;
	} info = { 0 };
	__u32 len = sizeof(info.prog);
	char path[PATH_MAX];
	int fd, err;

	_Static_assert(offsetof(struct bpf_map_info, id) == offsetof(struct bpf_prog_info, id),
		       "one field is read for both");
	*id = 0;
	pin_path(path, name, pin);
	fd = bpf_obj_get(path);
	if (fd < 0)
		return pin_error(errno) == -EPROTO ? 0 : -errno;
	err = bpf_obj_get_info_by_fd(fd, &info, &len) ? -errno : 0;
	close(fd);
	*id = info.map.id;
	return err;
}

int filter_identity(const char *name, struct identity *out)
{
	int err = pinned_id(name, PINS[PIN_STATE], &out->state_id);

	if (!err)
		err = pinned_id(name, PINS[PIN_CONFIG], &out->config_id);
	return err ? err : pinned_id(name, PIN_PROG, &out->prog_id);
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
	if (f->record)
		munmap(f->record, sizeof(*f->record));
	if (f->config)
		munmap((void *)f->config, sizeof(*f->config));
	if (f->before)
		filter_close(f->before);
	free(f->before);
	if (f->beside)
		filter_close(f->beside);
	free(f->beside);
	if (f->stats_fd >= 0)
		close(f->stats_fd);
	if (f->wanted_fd >= 0)
		close(f->wanted_fd);
	*f = (struct filter){ .stats_fd = -1, .wanted_fd = -1 };
}

/* Opens a pinned map that must have this type and these sizes: the kernel reads and writes whole
 * keys and values, and with larger ones it would go past the end of our memory. Its descriptor, or
 * -errno. The value's size is between `least` and `most`, and goes to *value_bytes.
 */
static int open_sized(const char *name, enum pin pin, uint32_t type, size_t key_size, size_t least,
		      size_t most, uint32_t *value_bytes)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);
	int fd = open_pin(name, pin), err = 0;

	if (fd < 0)
		return fd;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		err = -errno;
	else if (info.type != type || info.key_size != key_size || info.value_size < least ||
		 info.value_size > most)
		err = -EPROTO;
	*value_bytes = info.value_size;
	if (err)
		close(fd);
	return err ? err : fd;
}

static int open_map(const char *name, enum pin pin, uint32_t type, size_t key_size, size_t value_size)
{
	uint32_t bytes;

	return open_sized(name, pin, type, key_size, value_size, value_size, &bytes);
}

/* Is the open directory root's or this process's user's, with none of these bits in its mode? Or,
 * where that is enough, is it sticky?
 */
static int check_open(int fd, mode_t others, mode_t enough)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_uid && st.st_uid != geteuid())
		return -EPERM;
	return st.st_mode & others && !(st.st_mode & enough) ? -EPERM : 0;
}

int filter_open_dir(int at, const char *path, bool is_private)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = check_open(fd, is_private ? S_IRWXG | S_IRWXO : S_IWGRP | S_IWOTH, 0);
	if (err)
		close(fd);
	return err ? err : fd;
}

/* Others may not put another directory in the place of this one. */
static int check_parent(const char *path)
{
	char copy[PATH_MAX];
	int fd, err;

	snprintf(copy, sizeof(copy), "%s", path);
	fd = open(dirname(copy), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = check_open(fd, S_IWGRP | S_IWOTH, S_ISVTX);
	close(fd);
	return err;
}

int filter_check_dir(const char *path, bool is_private)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = check_open(fd, is_private ? S_IRWXG | S_IRWXO : S_IWGRP | S_IWOTH, 0);
	close(fd);
	return err ? err : check_parent(path);
}

/* stat() of a filter's directory has failed with err: -ENOENT if there is no such filter, -ENODEV
 * if there is no bpffs at all, else -err.
 */
static int explain_missing(int err)
{
	if (err != ENOENT && err != ENOTDIR)
		return -err;
	return pin_bpffs_mounted() ? -ENOENT : -ENODEV;
}

/* The inode of the filter's directory, by which one filter of a name is told from the next. */
static int dir_of(const char *name, ino_t *dir)
{
	char path[PATH_MAX];
	struct stat st;

	pin_path(path, name, NULL);
	if (stat(path, &st))
		return explain_missing(errno);
	*dir = st.st_ino;
	return 0;
}

/* Can its format be read, and are the values that are used as sizes and indices in their ranges? */
static bool is_sound(const struct dedup_config *c)
{
	return c->format >= DEDUP_FORMAT_OLDEST && c->format <= DEDUP_FORMAT && c->blocks &&
	       layout_of(c->layout) && hash_name(c->hash) && c->id_bytes &&
	       c->id_bytes <= DEDUP_ID_BYTES_MAX && streams_sound(c);
}

static int open_config(const char *name, enum pin pin, struct filter *f)
{
	void *mem = NULL;
	int err = map_pin(name, pin, PROT_READ, sizeof(*f->config), DEDUP_CONFIG_BYTES_OLDEST, &mem,
			  NULL);

	f->config = mem;
	return err ? err : mem && is_sound(mem) ? 0 : -EPROTO;
}

int filter_format(const char *name)
{
	const uint32_t *format;
	void *mem = NULL;
	int err = map_pin(name, PIN_CONFIG, PROT_READ, sizeof(*format), sizeof(*format), &mem, NULL);

	if (err || !mem)
		return err == -EPROTO ? 0 : err;
	format = mem;
	err = *format < INT_MAX ? (int)*format : 0;
	munmap(mem, sizeof(*format));
	return err;
}

/* Of format 10: what the state says, copied, so that it is not the filter's when written. */
static int copy_record(struct filter *f)
{
	const struct dedup_state *st = f->state;
	const __u64 *from = st->record_10;
	struct dedup_record *r =
		mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (r == MAP_FAILED)
		return -errno;
	r->own_mac = st->own_mac_10;
	memcpy(r->ifaces, from, sizeof(r->ifaces));
	from += sizeof(r->ifaces) / 8;
	memcpy(r->own_macs, from, sizeof(r->own_macs));
	from += DEDUP_OWN_SLOTS;
	r->macs_cnt = *from++;
	memcpy(r->macs, from, sizeof(r->macs));
	f->record = r;
	return 0;
}

static int open_record(const char *name, struct filter *f)
{
	if (f->config->format < DEDUP_FORMAT_RECORD)
		return copy_record(f);
	return map_pin(name, PIN_RECORD, PROT_READ | PROT_WRITE, sizeof(*f->record),
		       sizeof(*f->record), (void **)&f->record, NULL);
}

/* Opens the pins one after the other. In between another filter may take the name, so that they may
 * be of two filters: the caller checks.
 */
static int open_pins(const char *name, struct filter *out)
{
	struct filter f = { .stats_fd = -1, .wanted_fd = -1, .stream = 0 };
	bool before;
	int err;

	snprintf(f.name, sizeof(f.name), "%s", name);
	err = open_config(name, PIN_CONFIG, &f);
	before = !err && f.config->format < DEDUP_FORMAT;
	if (!err)
		err = map_pin(name, PIN_STATE, PROT_READ | PROT_WRITE, sizeof(*f.state),
			      before ? DEDUP_STATE_BYTES_OLDEST : sizeof(*f.state),
			      (void **)&f.state, &f.state_id);
	if (!err)
		err = open_record(name, &f);
	if (!err)
		err = map_pin(name, PIN_FILTER, PROT_READ | PROT_WRITE, blocks_bytes(&f),
			      blocks_bytes(&f), (void **)&f.blocks, NULL);
	if (!err) {
		f.stats_fd = open_sized(name, PIN_STATS, BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(__u32),
					before ? DEDUP_COUNTERS_BYTES_OLDEST
					       : sizeof(struct dedup_counters),
					sizeof(struct dedup_counters), &f.counters_bytes);
		err = f.stats_fd < 0 ? f.stats_fd : 0;
	}
	if (!err) {
		f.wanted_fd = open_map(name, PIN_WANTED, BPF_MAP_TYPE_HASH,
				       sizeof(struct dedup_want_key), sizeof(struct dedup_wanted));
		err = f.wanted_fd < 0 ? f.wanted_fd : 0;
	}
	if (err) {
		filter_close(&f);
		return err;
	}
	f.stream = streams_cnt(f.config) > 1 ? -1 : 0;
	f.serial = READ_ONCE(f.state->serial);
	*out = f;
	return 0;
}

/* filter_open() of any of a filter's directories. */
static int open_directory(const char *name, struct filter *out)
{
	ino_t before = 0, after = 0;
	int err, gone;

	do { /* again if the directory is another one now, or gone: dir_of() then says which */
		err = dir_of(name, &before) ?: filter_check_dir(PIN_ROOT, false);
		if (err)
			return err;
		err = open_pins(name, out);
		if (err && err != -EPROTO)
			return err;
		gone = dir_of(name, &after);
		if (!err && (gone || before != after))
			filter_close(out);
	} while (gone || before != after);
	return err;
}

int filter_open(const char *name, struct filter *out)
{
	return filter_name_ok(name) ? open_directory(name, out) : -ENOENT;
}

int filter_open_beside(const char *name, struct filter *out)
{
	char directory[sizeof(out->name)];

	if (!filter_name_ok(name))
		return -ENOENT;
	snprintf(directory, sizeof(directory), BESIDE "%.*s", NAME_MAX_LEN, name);
	return open_directory(directory, out);
}

/* Has *to, which is of an open filter, point to another one, *f. 0; or -ENOMEM, and *f is closed. */
static int keep_open(struct filter *f, struct filter **to)
{
	*to = malloc(sizeof(**to));
	if (*to)
		**to = *f;
	else
		filter_close(f);
	return *to ? 0 : -ENOMEM;
}

int filter_open_change(struct filter *f)
{
	struct filter beside;
	int err = filter_open_beside(f->name, &beside);

	return err == -ENOENT || err == -EPROTO ? 0 : err ? err : keep_open(&beside, &f->beside);
}

/* The predecessor of the filter in this directory, which has one. */
static int open_predecessor(const char *name, struct filter *out)
{
	struct filter f = { .stats_fd = -1, .wanted_fd = -1 };
	size_t least;
	int err;

	err = open_config(name, PIN_BEFORE_CONFIG, &f);
	least = !err && f.config->format < DEDUP_FORMAT ? DEDUP_STATE_BYTES_OLDEST : sizeof(*f.state);
	if (!err)
		err = map_pin(name, PIN_PREDECESSOR_STATE, PROT_READ | PROT_WRITE, sizeof(*f.state),
			      least, (void **)&f.state, &f.state_id);
	if (!err)
		err = map_pin(name, PIN_PREDECESSOR_FILTER, PROT_READ | PROT_WRITE,
			      blocks_bytes(&f), blocks_bytes(&f), (void **)&f.blocks, NULL);
	snprintf(f.name, sizeof(f.name), "%s", name);
	if (err)
		filter_close(&f);
	else
		*out = f;
	return err;
}

/* Filters of format 10 have their predecessor in a directory ~NAME. */
static int open_predecessor_10(const char *name, struct filter *out)
{
	char directory[sizeof(out->name)];

	snprintf(directory, sizeof(directory), BEFORE_10 "%.*s", NAME_MAX_LEN, name);
	return open_directory(directory, out);
}

int filter_open_before(struct filter *f)
{
	bool is_10 = f->config->format < DEDUP_FORMAT_RECORD;
	struct filter before;
	uint32_t id = 0;
	int err = 0;

	if (!f->config->has_predecessor)
		return 0;
	if (!is_10)
		err = pinned_id(f->name, PINS[PIN_PREDECESSOR_STATE], &id);
	if (err || (!is_10 && !id))
		return err;
	err = is_10 ? open_predecessor_10(f->name, &before) : open_predecessor(f->name, &before);
	/* Its pins go when it has forgotten every id, and all with the filter. */
	if (err == -ENOENT || (err == -EPROTO && !is_10))
		return 0;
	if (err)
		return err;
	err = filter_is_loaded(f);
	if (err) {
		filter_close(&before);
		return err == -ENOENT ? 0 : err;
	}
	before.stream = f->stream < 0 ? -1 : kept_before(f->config, f->stream);
	if (before.stream >= (int)streams_cnt(before.config))
		before.stream = -1;
	return keep_open(&before, &f->before);
}

/* The kernel's id of this map. */
static int map_id(int fd, uint32_t *id)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);
	int err = bpf_obj_get_info_by_fd(fd, &info, &len) ? -errno : 0;

	*id = info.id;
	return err;
}

/* All share the map `wanted`. */
int filter_is_kin(const struct filter *a, const struct filter *b)
{
	uint32_t ids[2];
	int err = map_id(a->wanted_fd, &ids[0]);

	if (!err)
		err = map_id(b->wanted_fd, &ids[1]);
	return err ? err : ids[0] == ids[1];
}

int filter_is_loaded(const struct filter *f)
{
	struct identity id;
	int err = filter_identity(f->name, &id);

	return err ? err : id.state_id == f->state_id ? 0 : -ENOENT;
}

/* A map of the filter's that was opened, or why it was not: it is the filter's if that is loaded
 * now, for then it was when the pin was opened.
 */
static int still_loaded(const struct filter *f, int fd)
{
	int err = filter_is_loaded(f);

	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

int filter_open_samples(const struct filter *f)
{
	return still_loaded(f, open_map(f->name, PIN_SAMPLES, BPF_MAP_TYPE_ARRAY_OF_MAPS,
					sizeof(__u32), sizeof(__u32)));
}

int filter_open_map(const struct filter *f, enum pin pin)
{
	return still_loaded(f, open_pin(f->name, pin));
}

int filter_open_delivery(const struct filter *f, enum pin pin)
{
	static const struct {
		uint32_t type, key_size, value_size;
	} MAPS[] = {
		{ BPF_MAP_TYPE_XSKMAP, sizeof(__u32), sizeof(__u32) },
		{ BPF_MAP_TYPE_HASH, sizeof(struct dedup_queue), sizeof(__u32) },
		{ BPF_MAP_TYPE_ARRAY, sizeof(__u32), sizeof(struct dedup_socket) },
		{ BPF_MAP_TYPE_ARRAY, sizeof(__u32), sizeof(struct dedup_handed) },
	};
	int i = (int)pin - PIN_XSKS;
	int fd = open_map(f->name, pin, MAPS[i].type, MAPS[i].key_size, MAPS[i].value_size);

	return still_loaded(f, fd);
}

int filter_clear_handled(const struct filter *f)
{
	int fd = open_map(f->name, PIN_HANDLED, BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(__u32),
			  sizeof(struct dedup_handled));
	int cpus = libbpf_num_possible_cpus(), err = 0;
	struct dedup_handled *none;
	__u32 zero = 0;

	if (fd < 0)
		return fd;
	none = cpus < 0 ? NULL : calloc(cpus, sizeof(*none));
	if (!none)
		err = cpus < 0 ? cpus : -ENOMEM;
	else if (bpf_map_update_elem(fd, &zero, none, BPF_ANY))
		err = -errno;
	free(none);
	close(fd);
	return err;
}

static int drop_inner(const struct filter *f, enum pin pin)
{
	int fd = open_map(f->name, pin, BPF_MAP_TYPE_ARRAY_OF_MAPS, sizeof(__u32), sizeof(__u32));
	__u32 zero = 0;
	int err;

	if (fd < 0)
		return fd;
	err = bpf_map_delete_elem(fd, &zero) && errno != ENOENT ? -errno : 0;
	close(fd);
	return err;
}

static int unpin(const struct filter *f, const char *pin)
{
	char path[PATH_MAX];

	pin_path(path, f->name, pin);
	return unlink(path) && errno != ENOENT ? -errno : 0;
}

/* The state leaves the program first: without it packets do not ask for the memory. Its pin goes
 * last: where only that is left, this was cut off, and is done again.
 */
int filter_drop_predecessor(const struct filter *f)
{
	int err = drop_inner(f, PIN_BEFORE_STATE);

	if (!err)
		err = drop_inner(f, PIN_BEFORE_FILTER);
	for (int pin = PINS_ALL - 1; pin >= PIN_PREDECESSOR_STATE && !err; pin--)
		err = unpin(f, PINS[pin]);
	__sync_fetch_and_add(&f->state->serial, 1);
	return err;
}

int filter_same_predecessor(const struct filter *a, const struct filter *b)
{
	uint32_t ids[2];
	int err = pinned_id(a->name, PINS[PIN_BEFORE_STATE], &ids[0]);

	if (!err)
		err = pinned_id(b->name, PINS[PIN_BEFORE_STATE], &ids[1]);
	return err ? err : ids[0] == ids[1];
}

int filter_unpin_program(const struct filter *f)
{
	return unpin(f, PIN_PROG);
}
