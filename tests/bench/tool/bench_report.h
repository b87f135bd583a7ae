/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The report. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"

#define BENCH_SIZES_MAX 16

/* The options of the command line. */
struct bench_options {
	uint64_t ids[BENCH_SIZES_MAX]; /* setting.ids of each run */
	uint32_t ids_cnt;
	struct bench_setting setting;
	uint64_t fpr_e18; /* --fpr, for setting.fpr */
	uint32_t copies;  /* ids that are sent on two CPUs at once */
	bool json;
	bool verbose; /* show messages of libbpf and libxdp */
	bool version; /* only print the version */
};

/* A form of the report: text, each part as soon as it is measured, or an object at the end. The
 * caller flushes stdout after each part.
 */
struct bench_report {
	void (*begin)(const struct bench_options *o);
	void (*size)(const struct bench_result *r); /* of one number of ids */
	void (*end)(const struct bench_race *race); /* NULL: not measured, as there is one CPU */
};

extern const struct bench_report BENCH_TEXT, BENCH_JSON;

/* Measures and prints each number of ids, then the race. Returns 0; or -errno if the report is
 * incomplete (logged; a failed write to stdout is logged later by check_output()).
 */
int bench_report(const struct bench_options *o);

/* Returns the CPU's model from /proc/cpuinfo; "?" if it is not there. */
const char *bench_cpu_model(char *buf, size_t size);

/* Returns whether the shipped filter is compared with this row. Rows before it are lower bounds. */
bool bench_is_peer(enum bench_row row);
