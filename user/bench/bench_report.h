/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the bench prints: as it goes, so that what was measured is there if the rest is not
 * waited for.
 */
#ifndef XDP_DEDUP_BENCH_REPORT_H
#define XDP_DEDUP_BENCH_REPORT_H

#include <stddef.h>

#include "bench.h"
#include "bench_options.h"

/* A way to print it. The caller flushes after each part. */
struct bench_report {
	void (*begin)(const struct options *o);
	void (*size)(const struct bench_result *r, uint32_t before); /* so many sizes came before */
	void (*end)(const struct bench_race *race);		     /* NULL: there is one CPU */
};

extern const struct bench_report BENCH_TEXT, BENCH_JSON;

/* Measures each size, then the race. 0, or a negative errno: then the report has no end, and
 * stderr, or stdout's error, says why.
 */
int bench_report(const struct options *o);

/* The CPU's model as /proc/cpuinfo has it; "?" if it does not. */
const char *bench_cpu_model(char *buf, size_t size);

/* Is this row one that the shipped filter is compared with? */
bool bench_is_peer(enum bench_row row);

#endif
