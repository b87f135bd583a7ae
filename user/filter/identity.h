/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's ids, by which filters and their programs are told apart. Logs nothing. */
#pragma once

#include <stdint.h>

#include <linux/bpf.h>

#include "pins.h"

/* The kernel's ids of a filter and its programs; 0 for what is not pinned. */
struct identity {
	uint32_t state_id;  /* of the state map: identifies the filter */
	uint32_t config_id; /* of the configuration's map: identifies a program of the filter */
	uint32_t prog_id;   /* of the packet program */
};

/* Reads the ids of the pins in a filter's directory NAME or +NAME. Also works for pins that
 * filter_open() refuses: incomplete, or of another version. Returns 0; -errno if the ids cannot be
 * read.
 */
int filter_identity(const char *name, struct identity *out);

/* Returns 1 if the program with this id uses the map with this id, else 0; -errno if that is
 * unknown: -EPERM without CAP_SYS_ADMIN.
 */
int identity_uses_map(uint32_t prog_id, uint32_t map_id);

/* Returns the format of the filter of this name, even if filter_open() cannot read it; 0 if its
 * pins have no format; -errno if that is unknown.
 */
int filter_format(const char *name);

/* Reads the kernel's id of this map or program of the filter; 0 if there is no such pin. Returns 0,
 * or -errno.
 */
int identity_of_pin(const char *name, const char *pin, uint32_t *ret_id);
