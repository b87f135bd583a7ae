/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Runs the packet program in the kernel on single frames, by BPF_PROG_TEST_RUN, with the caller's
 * clock. Uses no interface, and pins nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "open_filter.h"

struct test_run;

/* The program's verdict on a frame. */
struct answer {
	uint32_t reason; /* enum dedup_reason */
	uint32_t stream; /* that counts the frame; 0 if it is ignored */
	bool drops;	 /* XDP_DROP: with config.policy.action DEDUP_DROP */
};

/* Loads an empty filter whose hand is at now_ns, in ns of any clock, at least 2 windows. *cfg is
 * complete, with its secrets, and `replay` is 1. Pins this thread to its CPU, so that only one
 * learning credit is used. *filter is valid while *out is open. Returns 0, and the caller closes
 * *out with test_run_close(); or -errno (logged).
 */
int test_run_open(const struct dedup_config *cfg, uint64_t now_ns, struct test_run **out,
		  const struct filter **filter);
void test_run_close(struct test_run *k);

/* Steps the hand at this time. *sleep_ns: the time until the next step. Returns 0, or -errno
 * (logged).
 */
int test_run_step(struct test_run *k, uint64_t now_ns, uint64_t *sleep_ns);

/* Runs the program on a frame. Returns 0; or -errno (logged), if the frame is too large, or shorter
 * than an Ethernet header.
 */
int test_run_frame(struct test_run *k, const void *frame, uint32_t len, struct answer *out);
