/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The bench's options, from the command line to a struct. */
#ifndef XDP_DEDUP_BENCH_OPTIONS_H
#define XDP_DEDUP_BENCH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define BENCH_SIZES_MAX 16

struct bench_options {
	uint64_t ids[BENCH_SIZES_MAX]; /* in the window */
	uint32_t ids_cnt;
	double fill; /* the part of the capacity that these ids are */
	double fpr;
	uint32_t rounds;
	uint32_t copies; /* ids that are sent on two CPUs at once */
	uint64_t warm;	 /* packets before those that are measured: bench_setting.warm */
	bool json;
	bool verbose; /* show what libbpf and libxdp say */
	bool version; /* print the version and do nothing else */
};

#endif
