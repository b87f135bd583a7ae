/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The filter NAME is the directory PIN_ROOT/NAME of pinned maps: its names, and how its pins are
 * opened. Prints nothing; what fails returns a negative errno.
 */
#ifndef XDP_DEDUP_PINS_H
#define XDP_DEDUP_PINS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dirs.h"
#include "open_filter.h"

#define PIN_ROOT BPFFS "/xdp-dedup"
#define PIN_PROG "prog"
#define PIN_PROG_NEXT "prog-next" /* while it takes the place of that */

/* The maps of a filter; PINS has the names of their pins in the filter's directory. */
enum pin {
	PIN_FILTER,
	PIN_STATS,
	PIN_STATE,
	PIN_CONFIG,
	PIN_RECORD,
	PIN_WANTED,
	PIN_TIMER,
	PIN_SAMPLES,
	PIN_JUDGED,
	PIN_BEFORE_STATE,
	PIN_BEFORE_FILTER,
	PIN_BEFORE_CONFIG,
	/* Of filters that deliver (include/deliver.h), alone: */
	PIN_XSKS,
	PIN_QUEUES,
	PIN_SOCKETS,
	PIN_IN_FLIGHT,
	PINS_CNT, /* so many are the packet program's */
	/* Of the predecessor, if there is one: its state, its memory and its hand's timer. */
	PIN_PREDECESSOR_STATE = PINS_CNT,
	PIN_PREDECESSOR_FILTER,
	PIN_PREDECESSOR_TIMER,
	PINS_ALL
};

extern const char *const PINS[PINS_ALL];

static inline bool pin_is_delivery(enum pin pin)
{
	return pin >= PIN_XSKS && pin <= PIN_IN_FLIGHT;
}

/* Versions up to format 10 kept the predecessor of NAME in ~NAME. */
#define PREDECESSOR_10 "~"

/* Writes the path PIN_ROOT/name/pin; that of the filter's directory if pin is NULL. */
void pin_path(char path[PATH_MAX], const char *name, const char *pin);

/* Can a filter have this name? 1 to NAME_MAX_LEN letters, digits, '-' and '_' (bpffs takes no
 * dots).
 */
bool filter_name_ok(const char *name);

/* May a new filter be given it? Then it must not begin with '-', as options do. */
bool filter_new_name_ok(const char *name);

/* What errno means after a pin could not be opened: -EPROTO if there is no such pin, or it is
 * something else; a negative errno if that could not be found out.
 */
int pin_error(int err);

/* Opens a pin in the directory of this filter. The descriptor, which is the caller's; or -errno. */
int pin_open(const char *name, enum pin pin);

/* Opens a pinned map that must have this type and these sizes: the kernel reads and writes whole
 * keys and values, and with larger ones it would go past the end of our memory. The value's size is
 * between `least` and `most`, and goes to *ret_bytes. The descriptor, which is the caller's; or
 * -errno, -EPROTO if the map is another one.
 */
int pin_open_sized(const char *name, enum pin pin, uint32_t type, size_t key_size, size_t least,
		   size_t most, uint32_t *ret_bytes);
int pin_open_map(const char *name, enum pin pin, uint32_t type, size_t key_size, size_t value_size);

/* Maps the first `size` bytes of a pinned map into memory. What the map has fewer reads as 0, and is
 * memory of this process. -EPROTO if it has fewer than `least`. *id, unless NULL, becomes the
 * kernel's id of the map. 0, and the caller unmaps *mem; or -errno.
 */
int pin_map_content(const char *name, enum pin pin, int prot, size_t size, size_t least, void **mem,
		    uint32_t *id);

#endif
