// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "config_streams.h"
#include "fd.h"
#include "kernel.h"
#include "layout.h"

static size_t blocks_bytes(const struct filter *f)
{
	return (size_t)dedup_blocks(f->config) * sizeof(struct dedup_block);
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
	if (f->predecessor)
		filter_close(f->predecessor);
	free(f->predecessor);
	if (f->staged)
		filter_close(f->staged);
	free(f->staged);
	fd_close(f->stats_fd);
	fd_close(f->wanted_fd);
	*f = (struct filter){ .stats_fd = -1, .wanted_fd = -1 };
}

/* Translates errno `err` of stat() of a filter's directory. Returns -ENOENT if there is no such
 * filter, -ENODEV if there is no bpffs at all, else -err.
 */
static int explain_missing(int err)
{
	if (err != ENOENT && err != ENOTDIR)
		return -err;
	return dir_is_bpffs_mounted() ? -ENOENT : -ENODEV;
}

/* Reads the inode of the filter's directory, which differs between filters loaded with one name. */
static int dir_of(const char *name, ino_t *dir)
{
	struct stat st;

	if (stat(PIN_PATH(name, NULL), &st))
		return explain_missing(errno);
	*dir = st.st_ino;
	return 0;
}

/* Returns whether the format is readable, and the sizes and indices are in their ranges. */
static bool is_config_sound(const struct dedup_config *c)
{
	return c->format >= DEDUP_FORMAT_OLDEST && c->format <= DEDUP_FORMAT && c->memory.blocks &&
	       layout_of(c->memory.layout) && hash_name(c->memory.hash) && c->policy.id_bytes &&
	       c->policy.id_bytes <= DEDUP_ID_BYTES_MAX && streams_sound(c);
}

static int open_config(const char *name, enum pin pin, struct filter *f)
{
	struct pin_content c = { .prot = PROT_READ,
				 .size = sizeof(*f->config),
				 .least = DEDUP_CONFIG_BYTES_OLDEST };
	int err = pin_map_content(name, pin, &c);

	f->config = c.mem;
	return err ? err : is_config_sound(f->config) ? 0 : -EPROTO;
}

/* Maps a filter's state, whose map must have at least `least` bytes, and, if with_blocks, its blocks. */
static int map_filter_memory(const char *name, enum pin state_pin, size_t least,
			     enum pin filter_pin, bool with_blocks, struct filter *f)
{
	struct pin_content state = { .prot = PROT_READ | PROT_WRITE,
				     .size = sizeof(*f->state),
				     .least = least };
	struct pin_content blocks = { .prot = with_blocks ? PROT_READ | PROT_WRITE : PROT_NONE,
				      .size = blocks_bytes(f),
				      .least = blocks_bytes(f) };
	int err = pin_map_content(name, state_pin, &state);

	f->state = state.mem;
	f->state_id = state.id;
	if (!err)
		err = pin_map_content(name, filter_pin, &blocks);
	f->blocks = blocks.mem;
	return err;
}

/* Opens the pins one after the other. Meanwhile another filter may get the name, so the caller must
 * check that all pins are of one filter.
 */
static int open_pins(const char *name, bool with_blocks, struct filter *out)
{
	struct filter f = { .stats_fd = -1, .wanted_fd = -1, .stream = 0 };
	struct pin_content record = { .prot = PROT_READ | PROT_WRITE,
				      .size = sizeof(*f.record),
				      .least = sizeof(*f.record) };
	bool is_older;
	int err;

	snprintf(f.name, sizeof(f.name), "%s", name);
	err = open_config(name, PIN_CONFIG, &f);
	is_older = !err && f.config->format < DEDUP_FORMAT;
	if (!err)
		err = map_filter_memory(name, PIN_STATE,
					is_older ? DEDUP_STATE_BYTES_OLDEST : sizeof(*f.state),
					PIN_FILTER, with_blocks, &f);
	if (!err)
		err = pin_map_content(name, PIN_RECORD, &record);
	f.record = record.mem;
	if (!err) {
		f.stats_fd = pin_open_sized(name, PIN_STATS,
					    is_older ? DEDUP_COUNTERS_BYTES_OLDEST
						     : sizeof(struct dedup_counters),
					    &f.counters_bytes);
		err = f.stats_fd < 0 ? f.stats_fd : 0;
	}
	if (!err) {
		f.wanted_fd = pin_open_map(name, PIN_WANTED);
		err = f.wanted_fd < 0 ? f.wanted_fd : 0;
	}
	if (err) {
		filter_close(&f);
		return err;
	}
	f.stream = f.config->policy.streams_cnt > 1 ? -1 : 0;
	f.serial = READ_ONCE(f.state->serial);
	*out = f;
	return 0;
}

static int open_directory(const char *name, bool with_blocks, struct filter *out)
{
	ino_t before = 0, after = 0;
	int err, gone;

	do { /* again if the directory was replaced or removed: then dir_of() tells which */
		err = dir_of(name, &before) ?: dir_check(PIN_ROOT, false);
		if (err)
			return err;
		err = open_pins(name, with_blocks, out);
		if (err && err != -EPROTO)
			return err;
		gone = dir_of(name, &after);
		if (!err && (gone || before != after))
			filter_close(out);
	} while (gone || before != after);
	return err;
}

int filter_open_without_blocks(const char *directory, struct filter *out)
{
	const char *name = directory + (*directory == *STAGING);

	return filter_name_ok(name) ? open_directory(directory, false, out) : -ENOENT;
}

int filter_open(const char *name, struct filter *out)
{
	return filter_name_ok(name) ? open_directory(name, true, out) : -ENOENT;
}

int filter_open_staged(const char *name, struct filter *out)
{
	return filter_name_ok(name) ? open_directory(PIN_STAGING(name), true, out) : -ENOENT;
}

/* Moves the open filter *f to a new *to. Returns 0; or -ENOMEM, and *f is closed. */
static int move_open(struct filter *f, struct filter **to)
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
	struct filter staged;
	int err = filter_open_staged(f->name, &staged);

	return err == -ENOENT || err == -EPROTO ? 0 : err ? err : move_open(&staged, &f->staged);
}

/* Opens the predecessor of the filter in this directory, which has one. */
static int open_predecessor(const char *name, struct filter *out)
{
	struct filter f = { .stats_fd = -1, .wanted_fd = -1 };
	int err = open_config(name, PIN_PREDECESSOR_CONFIG, &f);

	if (!err) /* its state may be of the previous format */
		err = map_filter_memory(name, PIN_PREDECESSOR_STATE, DEDUP_STATE_BYTES_OLDEST,
					PIN_PREDECESSOR_FILTER, true, &f);
	snprintf(f.name, sizeof(f.name), "%s", name);
	if (err)
		filter_close(&f);
	else
		*out = f;
	return err;
}

int filter_open_predecessor(struct filter *f)
{
	struct filter predecessor;
	uint32_t id = 0;
	int err;

	if (!f->config->has_predecessor)
		return 0;
	err = identity_of_pin(f->name, PINS[PIN_PREDECESSOR_STATE], &id);
	if (err || !id)
		return err;
	err = open_predecessor(f->name, &predecessor);
	/* Its pins are removed when it has forgotten every id, or with the filter. */
	if (err == -ENOENT || err == -EPROTO)
		return 0;
	if (err)
		return err;
	err = filter_is_loaded(f);
	if (err) {
		filter_close(&predecessor);
		return err == -ENOENT ? 0 : err;
	}
	predecessor.stream = f->stream < 0 ? -1 : f->config->predecessor_stream[f->stream] - 1;
	if (predecessor.stream >= (int)predecessor.config->policy.streams_cnt)
		predecessor.stream = -1;
	return move_open(&predecessor, &f->predecessor);
}

/* Reads the kernel's id of this map. */
static int map_id(int fd, uint32_t *id)
{
	struct bpf_map_info info = { 0 };
	int err = kernel_info(fd, &info, sizeof(info));

	*id = info.id;
	return err;
}

/* A change keeps the map `wanted`. */
int filter_is_kin(const struct filter *a, const struct filter *b)
{
	uint32_t ids[2];
	int err = map_id(a->wanted_fd, &ids[0]) ?: map_id(b->wanted_fd, &ids[1]);

	return err ? err : ids[0] == ids[1];
}

int filter_is_loaded(const struct filter *f)
{
	struct identity id;
	int err = filter_identity(f->name, &id);

	return err ? err : id.state_id == f->state_id ? 0 : -ENOENT;
}

/* Returns fd if the filter is still loaded: then the pin was the filter's when it was opened. fd:
 * the opened pin, or why it could not be opened. Else closes fd, and returns -errno.
 */
static int check_loaded(const struct filter *f, int fd)
{
	int err = filter_is_loaded(f);

	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

int filter_open_map(const struct filter *f, enum pin pin)
{
	return check_loaded(f, pin_open_map(f->name, pin));
}

static int remove_inner(const struct filter *f, enum pin pin)
{
	int fd = pin_open_map(f->name, pin);
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
	return unlink(PIN_PATH(f->name, pin)) && errno != ENOENT ? -errno : 0;
}

/* The state's map is removed from the program first: without it packets do not use the memory. Its
 * pin is removed last: if only this pin is left, an interrupted call is repeated.
 */
int filter_drop_predecessor(const struct filter *f)
{
	int err = remove_inner(f, PIN_OUTER_STATE) ?: remove_inner(f, PIN_OUTER_FILTER);

	for (int pin = PINS_ALL - 1; pin >= PIN_PREDECESSOR_STATE && !err; pin--)
		err = unpin(f, PINS[pin]);
	__sync_fetch_and_add(&f->state->serial, 1);
	return err;
}

int filter_same_predecessor(const struct filter *a, const struct filter *b)
{
	uint32_t ids[2];
	int err = identity_of_pin(a->name, PINS[PIN_OUTER_STATE], &ids[0])
			  ?: identity_of_pin(b->name, PINS[PIN_OUTER_STATE], &ids[1]);

	return err ? err : ids[0] == ids[1];
}
