/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The configuration of the service: an INI file (inih) with a section [service], and a section
 * [filter NAME] for each filter. Its keys are the options of `load` without the dashes. Errors are
 * logged with FILE:LINE. Changes nothing, needs no rights.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "config_values.h"
#include "open_filter.h"
#include "wish.h"

#define CONFIG_FILE_DEFAULT "/etc/xdp-dedup/xdp-dedup.conf"
#define CONFIG_STATE_DEFAULT "/var/lib/xdp-dedup"
#define CONFIG_FILTERS_MAX 64
#define CONFIG_SAVE_EVERY_MIN_NS 1000000000ULL

/* A filter of the file. */
struct config_filter {
	char name[NAME_MAX_LEN + 1];
	struct wish wish; /* the request, as for `load`; where: the interfaces that are named */
	char *ifnames[DEDUP_IFACES_MAX];
};

struct config_file {
	const char *metrics; /* the file of metrics, or "none"; NULL: the default file */
	uint64_t metrics_every_ns;
	bool metrics_all;	/* write metrics also of filters that are not in the file */
	bool no_filters;	/* `filters = none`: the file has no filter on purpose */
	const char *state;	/* the directory of snapshots */
	bool recover;		/* want what the kernel discards behind the filters */
	bool unload;		/* unload the filters when the service ends */
	bool save;		/* save snapshots at the end, and restore them at the start */
	uint64_t save_every_ns; /* save also at this interval, with `save` true; 0: no interval */
	struct config_filter *filters;
	int cnt;
	struct config_values values; /* the requests point to them */
};

/* Reads the file. Returns 0, and the caller frees *out with config_free(); -EINVAL if the file is
 * wrong; or another -errno if the file, or a file of profiles that it names, cannot be read. After
 * an error, which is logged, *out is empty.
 */
int config_read(const char *path, struct config_file *out);

/* Does what config_read() does, for an open file, which the caller closes. path: for messages. */
int config_read_from(FILE *from, const char *path, struct config_file *out);
void config_free(struct config_file *c);

/* Prints all keys with their help to stdout. */
void config_print_keys(void);

/* Returns the filter of this name, which belongs to *c; NULL if there is none. */
struct config_filter *config_find(const struct config_file *c, const char *name);
