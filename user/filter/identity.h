/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's ids, which tell filters and their programs apart. Logs nothing. */
#ifndef XDP_DEDUP_IDENTITY_H
#define XDP_DEDUP_IDENTITY_H

#include <stdint.h>

#include <linux/bpf.h>

#include "pins.h"

/* The kernel's ids of a filter and its programs; 0 for what is not pinned. */
struct identity {
	uint32_t state_id;  /* of the state map: which filter */
	uint32_t config_id; /* of the map of its configuration: which of the programs it has had */
	uint32_t record_id; /* of its record's map; identity_of_program() alone finds it */
	uint32_t prog_id;   /* of the packet program */
};

/* Reads the ids of the pins in one of a filter's directories. Also works for pins that
 * filter_open() refuses, incomplete or of another version. Returns 0; -errno if the ids cannot be
 * read.
 */
int filter_identity(const char *name, struct identity *out);

/* Puts the ids of this program's maps (state, configuration, record) into *id; 0 for each if the
 * program is none of ours. id->prog_id stays as it is. Returns 0; -errno if that is unknown.
 */
int identity_of_program(int prog_fd, struct identity *id);

/* Does what identity_of_program() does, for the program with this id. */
int identity_of_program_id(uint32_t prog_id, struct identity *id);

/* Returns the format of the filter of this name, of any format; 0 if its pins do not tell; -errno
 * if that is unknown.
 */
int filter_format(const char *name);

#define IDENTITY_MAPS_MAX 32

/* Fills in *info, and `maps` with the ids of the maps that this program uses: info->nr_map_ids of
 * them, at most IDENTITY_MAPS_MAX. No program of ours has that many. Returns 0, or -errno.
 */
int identity_program_info(int fd, struct bpf_prog_info *info, __u32 maps[IDENTITY_MAPS_MAX]);

/* Reads the kernel's id of this map of the filter; 0 if there is no such pin. Returns 0, or -errno. */
int identity_of_pin(const char *name, enum pin pin, uint32_t *ret_id);

#endif
