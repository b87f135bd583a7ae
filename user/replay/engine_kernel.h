/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of an engine that runs the packet program in the kernel (engine.h). */
#ifndef XDP_DEDUP_ENGINE_KERNEL_H
#define XDP_DEDUP_ENGINE_KERNEL_H

#include <stdint.h>

#include "config.h"

struct engine_answer;
struct engine_kernel;

/* Loads the filter, without pins or interfaces; its hand stands at now_ns. *state is its state, as
 * long as it is open. 0 or -errno, which is said.
 */
int engine_kernel_open(const struct dedup_config *cfg, uint64_t now_ns, struct engine_kernel **out,
		       struct dedup_state **state);
void engine_kernel_close(struct engine_kernel *k);

/* A step of the hand, and a frame, as of program_step() and engine_see(). */
int engine_kernel_step(struct engine_kernel *k, uint64_t now_ns, uint64_t *sleep_ns);
int engine_kernel_run(struct engine_kernel *k, const void *frame, uint32_t len,
		      struct engine_answer *out);

#endif
