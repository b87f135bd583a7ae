/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the bench prints, each part as soon as it is measured: so it is not lost if the bench is
 * stopped before its end.
 */
#ifndef XDP_DEDUP_BENCH_REPORT_H
#define XDP_DEDUP_BENCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"

#define BENCH_SIZES_MAX 16

/* The options of the command line. */
struct bench_options {
	uint64_t ids[BENCH_SIZES_MAX]; /* setting.ids of one run after the other */
	uint32_t ids_cnt;
	struct bench_setting setting;
	uint32_t copies; /* ids that are sent on two CPUs at once */
	bool json;
	bool verbose; /* show what libbpf and libxdp say */
	bool version; /* print the version and do nothing else */
};

/* A form of the report, for people or for programs. The caller flushes stdout after each part. */
struct bench_report {
	void (*begin)(const struct bench_options *o);
	/* One number of ids; `before` others were printed before. */
	void (*size)(const struct bench_result *r, uint32_t before);
	void (*end)(const struct bench_race *race); /* NULL: not measured, as there is one CPU */
};

extern const struct bench_report BENCH_TEXT, BENCH_JSON;

/* Measures and prints each number of ids, then the race. 0; or -errno, and the report is
 * incomplete: why, is logged, or later by check_output() if stdout cannot be written.
 */
int bench_report(const struct bench_options *o);

/* The CPU's model as /proc/cpuinfo has it; "?" if it does not. */
const char *bench_cpu_model(char *buf, size_t size);

/* Is this row one that the shipped filter is compared with? The rows before it are lower bounds. */
bool bench_is_peer(enum bench_row row);

#endif
