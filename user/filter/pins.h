/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The filter NAME is the directory PIN_ROOT/NAME of pinned maps. Checks names, and opens pins. Logs
 * nothing.
 */
#pragma once

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
	PIN_ACCOUNTS, /* only of filters with paths */
	/* Only of filters that deliver (include/deliver.h): */
	PIN_XSKS,
	PIN_QUEUES,
	PIN_SOCKETS,
	PIN_IN_FLIGHT,
	PINS_CNT, /* the number of the packet program's pins */
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

/* Writes the path PIN_ROOT/name/pin; if pin is NULL, the path of the filter's directory. Returns
 * path; PIN_PATH() returns it in a buffer that lives until the end of the enclosing block.
 */
#define PIN_PATH_MAX 128
const char *pin_path(char path[PIN_PATH_MAX], const char *name, const char *pin);
#define PIN_PATH(name, pin) pin_path((char[PIN_PATH_MAX]){ 0 }, name, pin)

/* Does what pin_path() does for the directory "+NAME" below PIN_ROOT. */
#define PIN_NAME_MAX (sizeof(STAGING) + NAME_MAX_LEN)
const char *pin_staging(char directory[PIN_NAME_MAX], const char *name);
#define PIN_STAGING(name) pin_staging((char[PIN_NAME_MAX]){ 0 }, name)

/* Returns whether a filter can have this name: 1 to NAME_MAX_LEN letters, digits, '-' and '_', as
 * bpffs takes no dots.
 */
bool filter_name_ok(const char *name);

/* Returns whether a new filter may get this name. It must not begin with '-', as options do. */
bool filter_new_name_ok(const char *name);

/* Translates the errno of a failure to open a pin. Returns -EPROTO if there is no such pin, or it
 * is of another kind; another -errno if that is unknown.
 */
int pin_error(int err);

/* Opens a pinned map, and checks its type and sizes. Returns the descriptor, which the caller
 * closes; -EPROTO if the map has another type or other sizes; another -errno.
 */
int pin_open_map(const char *name, enum pin pin);

/* Does what pin_open_map() does, but values may have only value_least bytes or more. Sets
 * *ret_bytes to the size of a value.
 */
int pin_open_sized(const char *name, enum pin pin, size_t value_least, uint32_t *ret_bytes);

/* The content of a pinned map in memory. */
struct pin_content {
	int prot;     /* as mmap() takes it; PROT_NONE: not to be mapped */
	size_t size;  /* bytes to map, from the start */
	size_t least; /* bytes that the map must have; the rest up to `size` reads as 0 */
	void *mem;    /* set by pin_map_content(): `size` bytes */
	uint32_t id;  /* set by pin_map_content(): the kernel's id of the map */
};

/* Maps c->size bytes of a pinned map into memory, unless c->prot is PROT_NONE. Returns 0, and the
 * caller unmaps c->mem; -EPROTO if the map has fewer than c->least; another -errno.
 */
int pin_map_content(const char *name, enum pin pin, struct pin_content *c);
