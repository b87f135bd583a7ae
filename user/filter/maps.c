// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "maps.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "open.h"

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
