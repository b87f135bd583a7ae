// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "identity.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "fd.h"
#include "kernel.h"
#include "pins.h"

#define MAPS_MAX 32 /* no program of ours has that many */

int identity_of_pin(const char *name, const char *pin, uint32_t *ret_id)
{
	union {
		struct bpf_map_info map;
		struct bpf_prog_info prog;
	} info = { 0 };
	int fd = bpf_obj_get(PIN_PATH(name, pin)), err;

	_Static_assert(offsetof(struct bpf_map_info, id) == offsetof(struct bpf_prog_info, id),
		       "one field is read for both");
	*ret_id = 0;
	if (fd < 0)
		return pin_error(errno) == -EPROTO ? 0 : -errno;
	err = kernel_info(fd, &info, sizeof(info));
	close(fd);
	*ret_id = info.map.id;
	return err;
}

int filter_identity(const char *name, struct identity *out)
{
	return identity_of_pin(name, PINS[PIN_STATE], &out->state_id)
	       ?: identity_of_pin(name, PINS[PIN_CONFIG], &out->config_id)
	       ?: identity_of_pin(name, PIN_PROG, &out->prog_id);
}

int filter_format(const char *name)
{
	const uint32_t *format;
	struct pin_content c = { .prot = PROT_READ, .size = sizeof(*format), .least = sizeof(*format) };
	int err = pin_map_content(name, PIN_CONFIG, &c);

	if (err || !c.mem)
		return err == -EPROTO ? 0 : err;
	format = c.mem;
	err = *format < INT_MAX ? (int)*format : 0;
	munmap(c.mem, sizeof(*format));
	return err;
}

int identity_uses_map(uint32_t prog_id, uint32_t map_id)
{
	__u32 maps[MAPS_MAX] = { 0 };
	struct bpf_prog_info info = { .map_ids = (uintptr_t)maps, .nr_map_ids = MAPS_MAX };
	int fd = bpf_prog_get_fd_by_id(prog_id);
	int err = fd < 0 ? -errno : kernel_info(fd, &info, sizeof(info));

	fd_close(fd);
	if (err)
		return err;
	for (__u32 i = 0; i < info.nr_map_ids && i < MAPS_MAX; i++)
		if (maps[i] == map_id)
			return 1;
	return 0;
}
