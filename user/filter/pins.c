// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pins.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "config.h"
#include "counters.h"
#include "deliver.h"
#include "kernel.h"
#include "wanted.h"

const char *const PINS[PINS_ALL] = {
	[PIN_FILTER] = "filter",
	[PIN_STATS] = "stats",
	[PIN_STATE] = "state",
	[PIN_CONFIG] = "config",
	[PIN_RECORD] = "record",
	[PIN_WANTED] = "wanted",
	[PIN_TIMER] = "timer",
	[PIN_SAMPLES] = "samples",
	[PIN_OUTER_STATE] = "outer_state",
	[PIN_OUTER_FILTER] = "outer_filter",
	[PIN_PREDECESSOR_CONFIG] = "predecessor_config",
	[PIN_ACCOUNTS] = "accounts",
	[PIN_XSKS] = "xsks",
	[PIN_QUEUES] = "queues",
	[PIN_SOCKETS] = "sockets",
	[PIN_IN_FLIGHT] = "in_flight",
	[PIN_PREDECESSOR_STATE] = "predecessor_state",
	[PIN_PREDECESSOR_FILTER] = "predecessor_filter",
	[PIN_PREDECESSOR_TIMER] = "predecessor_timer",
};

const char *pin_path(char path[PIN_PATH_MAX], const char *name, const char *pin)
{
	snprintf(path, PIN_PATH_MAX, "%s/%s%s%s", PIN_ROOT, name, pin ? "/" : "", pin ?: "");
	return path;
}

const char *pin_staging(char directory[PIN_NAME_MAX], const char *name)
{
	snprintf(directory, PIN_NAME_MAX, STAGING "%s", name);
	return directory;
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

int pin_error(int err)
{
	return err == ENOENT || err == ENOTDIR || err == EINVAL ? -EPROTO : -err;
}

/* Returns the descriptor, which the caller closes; or -errno. */
static int open_pin(const char *name, enum pin pin)
{
	int fd = bpf_obj_get(PIN_PATH(name, PINS[pin]));

	return fd < 0 ? pin_error(errno) : fd;
}

/* Does what pin_map_content() does, for an open map of this many bytes. */
static int map_content_bytes(int fd, uint64_t bytes, struct pin_content *c)
{
	bool is_shorter = bytes < c->size;
	void *whole = NULL, *m;
	int err;

	if (is_shorter) {
		whole = mmap(NULL, c->size, c->prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (whole == MAP_FAILED)
			return -errno;
	}
	m = mmap(whole, is_shorter ? bytes : c->size, c->prot,
		 MAP_SHARED | (is_shorter ? MAP_FIXED : 0), fd, 0);
	if (m != MAP_FAILED) {
		c->mem = m;
		return 0;
	}
	err = errno == ENOMEM || errno == EAGAIN ? -errno : -EPROTO;
	if (is_shorter)
		munmap(whole, c->size);
	return err;
}

int pin_map_content(const char *name, enum pin pin, struct pin_content *c)
{
	struct bpf_map_info info = { 0 };
	int fd = open_pin(name, pin), err;
	uint64_t bytes;

	if (fd < 0)
		return fd;
	err = kernel_info(fd, &info, sizeof(info));
	bytes = (uint64_t)info.value_size * info.max_entries;
	if (!err)
		err = bytes < c->least	     ? -EPROTO
		      : c->prot == PROT_NONE ? 0
					     : map_content_bytes(fd, bytes, c);
	close(fd);
	c->id = info.id;
	return err;
}

/* Types and sizes of the maps that are read and written by system calls. The kernel copies whole
 * keys and values: larger ones would go past the end of this process's buffers.
 */
static const struct {
	uint32_t type; /* enum bpf_map_type; 0: any map */
	size_t key_size, value_size;
} MAPS[PINS_ALL] = {
	[PIN_STATS] = { BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(__u32), sizeof(struct dedup_counters) },
	[PIN_WANTED] = { BPF_MAP_TYPE_HASH, sizeof(struct dedup_want_key),
			 sizeof(struct dedup_wanted) },
	[PIN_SAMPLES] = { BPF_MAP_TYPE_ARRAY_OF_MAPS, sizeof(__u32), sizeof(__u32) },
	[PIN_OUTER_STATE] = { BPF_MAP_TYPE_ARRAY_OF_MAPS, sizeof(__u32), sizeof(__u32) },
	[PIN_OUTER_FILTER] = { BPF_MAP_TYPE_ARRAY_OF_MAPS, sizeof(__u32), sizeof(__u32) },
	[PIN_XSKS] = { BPF_MAP_TYPE_XSKMAP, sizeof(__u32), sizeof(__u32) },
	[PIN_QUEUES] = { BPF_MAP_TYPE_HASH, sizeof(struct dedup_queue), sizeof(__u32) },
	[PIN_SOCKETS] = { BPF_MAP_TYPE_ARRAY, sizeof(__u32), sizeof(struct dedup_socket) },
	[PIN_IN_FLIGHT] = { BPF_MAP_TYPE_ARRAY, sizeof(__u32), sizeof(struct dedup_in_flight) },
};

int pin_open_sized(const char *name, enum pin pin, size_t value_least, uint32_t *ret_bytes)
{
	struct bpf_map_info info = { 0 };
	int fd = open_pin(name, pin), err;

	if (fd < 0)
		return fd;
	err = kernel_info(fd, &info, sizeof(info));
	if (!err && MAPS[pin].type &&
	    (info.type != MAPS[pin].type || info.key_size != MAPS[pin].key_size ||
	     info.value_size < value_least || info.value_size > MAPS[pin].value_size))
		err = -EPROTO;
	*ret_bytes = info.value_size;
	if (err)
		close(fd);
	return err ? err : fd;
}

int pin_open_map(const char *name, enum pin pin)
{
	uint32_t bytes;

	return pin_open_sized(name, pin, MAPS[pin].value_size, &bytes);
}
