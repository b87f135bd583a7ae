/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The bench's command line, as text → struct. */
#ifndef XDP_DEDUP_BENCH_OPTIONS_H
#define XDP_DEDUP_BENCH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define BENCH_SIZES_MAX 16

struct options {
	uint64_t ids[BENCH_SIZES_MAX]; /* in the window */
	uint32_t ids_cnt;
	double fill; /* part of the capacity that they are */
	double fpr;
	uint32_t rounds;
	uint32_t copies; /* ids that are sent on two CPUs at once */
	uint64_t warm;	 /* packets before those that are measured, or BENCH_WARM_AUTO */
	bool json;
	bool verbose; /* show what libbpf and libxdp say */
	bool version; /* only say which this is */
};

#endif
