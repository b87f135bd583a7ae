/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Filters in the kernel: their programs, hands and names, and private filters of this process.
 * Failures are logged.
 */
#pragma once

#include "open_filter.h"

struct xdp_dedup; /* the skeleton of bpf/xdp_dedup.bpf.c */

/* Waits until the hand of this open filter has stepped since after_ns, an earlier state.last_ns; 5
 * s at most. Call it before attaching a program: while the clock does not run, the program passes
 * every packet. Returns 0, or -ESTALE.
 */
int loader_await_hand(const struct filter *f, uint64_t after_ns);

/* Makes the hand use the filter's current configuration, if an earlier program of the filter has
 * started the timer. Returns 0, or -errno.
 */
int loader_adopt_hand(const char *name);

/* Makes a filter and loads its packet program for this process only: nothing is pinned.
 * loader_private_prog_fd() returns a descriptor that belongs to *prog. Returns 0, and the caller
 * closes both with loader_private_close(); or -errno.
 */
int loader_private_open(const struct dedup_config *cfg, struct filter *out, struct xdp_dedup **prog);
void loader_private_close(struct filter *f, struct xdp_dedup *prog);
int loader_private_prog_fd(const struct xdp_dedup *prog);

/* Opens the skeleton with this filter's maps, for libxdp, which loads the packet program. Returns
 * 0, and the caller calls xdp_dedup__destroy(); or -errno.
 */
int loader_program_open(const char *name, struct xdp_dedup **out);

/* Opens the pinned packet program. Returns its descriptor, which the caller closes; or -errno. */
int loader_open_program(const char *name);

/* Logs what the error `err` of filter_open() means, and what to do. Returns err. */
int loader_explain(const char *name, int err);

/* Lists the names under PIN_ROOT, sorted. *names ends with NULL; the caller frees it with
 * loader_free_names(). No names, or no PIN_ROOT, is no failure. Returns 0; or -errno, logged by
 * loader_names() alone, with *names NULL.
 */
int loader_names(char ***names);
int loader_find_names(char ***names);
void loader_free_names(char **names);
