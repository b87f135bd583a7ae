/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file of metrics, which a program with an event loop writes again at each interval. Its format
 * is Prometheus' text format 0.0.4, so node_exporter's textfile collector and xdp-dedup-metrics
 * read it. The file is replaced atomically.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <systemd/sd-event.h>

#define METRICS_SUFFIX ".prom"
#define METRICS_EVERY_NS 10000000000ULL /* by default */
#define METRICS_EVERY_MIN_NS 100000000ULL
#define METRICS_NONE "none" /* instead of a path: no file is written */

/* Begins with `events`, `write` and `arg` set, and the rest 0. */
struct metrics_file {
	sd_event *events;
	int (*write)(void *arg, FILE *out); /* writes the metrics as they are now; 0 or -errno */
	void *arg;
	char *path; /* NULL: no file is written */
	uint64_t every_ns;
	sd_event_source *timer;
	bool has_failed; /* the last write failed, and that was logged */
};

/* Writes the metrics to this file at once, and then at each interval. path: NULL: the runtime file
 * `name` (runtime_file.h); "none": stops writing. If the path has changed, removes the previous
 * file. Logs a failed write once, and tries again. All users can read the file. May be called again
 * with other values.
 */
void metrics_file_configure(struct metrics_file *m, const char *path, const char *name,
			    uint64_t every_ns);

/* Removes the file, so that no reader takes its metrics for current ones. */
void metrics_file_close(struct metrics_file *m);

/* Checks a user's path. Returns NULL if it is a path or "none", else what the user should give. */
const char *metrics_file_wrong(const char *path);
