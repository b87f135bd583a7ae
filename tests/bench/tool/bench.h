/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Measures what a packet costs on this machine, with this filter and with its peers. A generator in
 * the kernel sends equal packets to all of them. All functions log failures, and progress
 * (diag_progress()).
 */
#pragma once

#include <stdint.h>

#include "bench_result.h"

/* Measures all rows that fit into memory, and logs which do not. Each round measures every row once
 * with every traffic. Returns 0 or -errno: -ENOMEM if there is no memory for the shipped filter,
 * -EPROTO if packets passed that should be dropped, or the other way round.
 */
int bench_run(const struct bench_setting *setting, struct bench_result *out);

struct bench_figure {
	double median, low, high; /* the quartiles */
};

/* Returns the quartiles of those of cnt values that are not NAN; NAN if all are. Reorders them. */
struct bench_figure bench_quartiles(double *values, int cnt);

/* What a figure measures. Two rows are compared round by round; the figure has the quartiles of
 * these results.
 */
enum bench_measure {
	BENCH_NS, /* ns for a packet, on one CPU */
	BENCH_NS_TWO_CPUS,
	BENCH_ADDED,	    /* ns over the floor */
	BENCH_OF_FLOOR,	    /* ns, as a multiple of the floor's */
	BENCH_OF_LINE,	    /* ns, as a multiple of the line's */
	BENCH_SCALING,	    /* 2: two CPUs do twice as much */
	BENCH_SHIPPED_PART, /* the added cost of the shipped filter as a part of the row's */
};

/* Returns a figure of one row with one traffic, over all rounds. */
struct bench_figure bench_figure(const struct bench_result *r, enum bench_measure what,
				 enum bench_row row, enum bench_traffic traffic);

/* Returns how many measurements on two CPUs are NAN, because the CPUs did not run concurrently. */
int bench_apart(const struct bench_result *r);

struct bench_race {
	uint64_t ids;
	uint64_t twice; /* ids that passed on both CPUs */
	uint64_t never; /* ids that passed on neither: false positives */
	uint64_t apart; /* packets that did not arrive at one instant, as a CPU was late */
};

/* Sends `ids` fresh ids, each on two CPUs at one instant, through a filter of this capacity.
 * Returns 0; -ENODEV (not logged) if there is only one CPU; or another -errno (logged).
 */
int bench_race(uint64_t ids, double fpr, struct bench_race *out);
