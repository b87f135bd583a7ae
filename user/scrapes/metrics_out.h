/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Metrics as lines of text: families, samples, labels; in Prometheus' text format 0.0.4. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define METRICS_PREFIX "xdp_dedup_"

enum metrics_type { METRICS_COUNTER, METRICS_GAUGE, METRICS_INFO, METRICS_HISTOGRAM };

/* A writer. Starts with `out` set and the rest 0. */
struct metrics_out {
	FILE *out;
	const char *family, *help;
	enum metrics_type type;
	bool has_head;
};

/* Begins a family: the next samples belong to it. The name has neither the prefix nor `_total` or
 * `_info`, and ends with its unit if that is one of `seconds`, `bytes`, `ratio`. A family without
 * samples writes no line. Both strings must live until the next call.
 */
void metrics_family(struct metrics_out *m, enum metrics_type type, const char *name,
		    const char *help);

/* Labels: alternating names and values. Bytes of a value that are not UTF-8 are written as \xNN. */
#define METRICS_LABELS(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define METRICS_NO_LABELS ((const char *const[]){ NULL })

/* Write a sample of the family. An info has one sample: the gauge 1. A sample of a histogram is a
 * bucket: a count whose last label is `le`. The buckets of a series must follow one another in
 * ascending order; the last one is "+Inf".
 */
void metrics_count(struct metrics_out *m, uint64_t value, const char *const *labels);
void metrics_gauge(struct metrics_out *m, double value, const char *const *labels);

#define METRICS_NUMBER_MAX 32

/* Returns the shortest text that reads back as this number; it may be in `text`. */
const char *metrics_number(double value, char text[METRICS_NUMBER_MAX]);

/* Ends the text. Returns 0, or -errno. */
int metrics_end(struct metrics_out *m);
