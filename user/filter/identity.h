/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* By what the kernel tells filters and their programs apart. Logs nothing. */
#ifndef XDP_DEDUP_IDENTITY_H
#define XDP_DEDUP_IDENTITY_H

#include <stdint.h>

#include <linux/bpf.h>

/* The kernel's ids by which a filter and its programs are told: 0 for what is not pinned. */
struct identity {
	uint32_t state_id;  /* of the state map: which filter */
	uint32_t config_id; /* of the map of its configuration: which of the programs it has had */
	uint32_t record_id; /* of its record's map; identity_of_program() alone finds it */
	uint32_t prog_id;   /* of the packet program */
};

/* Of any of a filter's directories. It need not be possible to open the filter: pins that are
 * incomplete, or of another version, have ids too. 0; -errno if it cannot be told.
 */
int filter_identity(const char *name, struct identity *out);

/* Puts the ids of the state map, the configuration's map and the record's that this program uses
 * into *id, whose prog_id is left alone; 0 if the program is none of ours. 0; -errno if that cannot
 * be told.
 */
int identity_of_program(int prog_fd, struct identity *id);

/* The format of the filter of this name, whichever it is; 0 if its pins do not say. -errno if that
 * cannot be told.
 */
int filter_format(const char *name);

#define IDENTITY_MAPS_MAX 32

/* Fills in *info, and `maps` with the ids of the maps that this program uses: info->nr_map_ids of
 * them, and no more than IDENTITY_MAPS_MAX, which is more than a program of ours has. 0 or -errno.
 */
int identity_program_info(int fd, struct bpf_prog_info *info, __u32 maps[IDENTITY_MAPS_MAX]);

/* The kernel's id of the map or program that is pinned as `pin` in the filter's directory; 0 if
 * nothing is. 0 or -errno.
 */
int identity_of_pin(const char *name, const char *pin, uint32_t *ret_id);

#endif
