// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "maps.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "open.h"

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

int filter_open_map(const struct filter *f, enum pin pin)
{
	return still_loaded(f, pin_open_map(f->name, pin));
}

static int drop_inner(const struct filter *f, enum pin pin)
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
	char path[PATH_MAX];

	pin_path(path, f->name, pin);
	return unlink(path) && errno != ENOENT ? -errno : 0;
}

/* The state leaves the program first: without it packets do not ask for the memory. Its pin goes
 * last: where only that is left, this was cut off, and is done again.
 */
int filter_drop_predecessor(const struct filter *f)
{
	int err = drop_inner(f, PIN_OUTER_STATE) ?: drop_inner(f, PIN_OUTER_FILTER);

	for (int pin = PINS_ALL - 1; pin >= PIN_PREDECESSOR_STATE && !err; pin--)
		err = unpin(f, PINS[pin]);
	__sync_fetch_and_add(&f->state->serial, 1);
	return err;
}

int filter_same_predecessor(const struct filter *a, const struct filter *b)
{
	uint32_t ids[2];
	int err = identity_of_pin(a->name, PIN_OUTER_STATE, &ids[0])
			  ?: identity_of_pin(b->name, PIN_OUTER_STATE, &ids[1]);

	return err ? err : ids[0] == ids[1];
}
