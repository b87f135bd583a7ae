/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The filter NAME is the directory PIN_ROOT/NAME of pinned maps. Here are its names, and how its
 * pins are opened. Logs nothing; a failure returns -errno.
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
#define PIN_LEAVING "=leaving" /* beside the filters: links that are being detached (detach.h) */

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
	PIN_OUTER_STATE,
	PIN_OUTER_FILTER,
	PIN_PREDECESSOR_CONFIG,
	PIN_ACCOUNTS, /* of filters with paths alone */
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

/* Writes the path PIN_ROOT/name/pin; with pin NULL, that of the filter's directory. */
void pin_path(char path[PATH_MAX], const char *name, const char *pin);

/* Can a filter have this name? 1 to NAME_MAX_LEN letters, digits, '-' and '_' (bpffs takes no
 * dots).
 */
bool filter_name_ok(const char *name);

/* May a new filter get this name? It must not begin with '-', as options do. */
bool filter_new_name_ok(const char *name);

/* Translates an errno after a pin could not be opened: returns -EPROTO if there is no such pin, or
 * it is something else; another -errno if that could not be found out.
 */
int pin_error(int err);

/* Opens a pinned map, and checks its type and sizes. Returns the descriptor, which is the caller's;
 * -EPROTO if the map has another type or other sizes; another -errno.
 */
int pin_open_map(const char *name, enum pin pin);

/* Opens a map as pin_open_map() does, but its values may also be shorter, of value_least bytes or
 * more. Sets *ret_bytes to the size of a value.
 */
int pin_open_sized(const char *name, enum pin pin, size_t value_least, uint32_t *ret_bytes);

/* The content of a pinned map in memory. */
struct pin_content {
	int prot;     /* as mmap() takes it */
	size_t size;  /* bytes to map, from the first on */
	size_t least; /* the map must have that many; the rest reads as 0 and is private */
	void *mem;    /* set by pin_map_content(): `size` bytes */
	uint32_t id;  /* set by pin_map_content(): the kernel's id of the map */
};

/* Maps c->size bytes of a pinned map into memory. Returns 0, and the caller unmaps c->mem; -EPROTO
 * if the map has fewer than c->least; another -errno.
 */
int pin_map_content(const char *name, enum pin pin, struct pin_content *c);

#endif
