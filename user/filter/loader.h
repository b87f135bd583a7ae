/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Filters in the kernel: made, listed, removed. With filter.c, attach.c and
 * the bench the only code that touches libbpf and libxdp. What fails here says why on stderr.
 *
 * A filter comes to life in an order that leaves no moment at which a killed process has left
 * something that does harm: maps pinned, hand started, shown by its name, packet program attached.
 */
#ifndef XDP_DEDUP_LOADER_H
#define XDP_DEDUP_LOADER_H

#include <stdbool.h>
#include <stdint.h>

#include "pins.h"

struct xdp_dedup; /* the skeleton of bpf/xdp_dedup.bpf.c */

/* Before anything else that changes filters: bpffs (mounted if missing), PIN_ROOT, which must
 * be root's, and a lock against other xdp-dedup processes, held until this one ends. Removes
 * what a killed one left half made, and what is left of dispatchers that run nowhere.
 */
int loader_begin(bool verbose);

/* Makes the maps of a new filter, pins them and starts its hand. cfg but for the
 * secret, which is drawn here. -EEXIST if pins of that name exist; leaves none of
 * its own behind on failure.
 */
int loader_create(const char *name, const struct dedup_config *cfg);

/* Makes a filter and loads its packet program for this process alone: nothing is pinned,
 * nothing remains. *out and *prog are closed with loader_private_close(), to which the
 * program's descriptor belongs.
 */
int loader_private_open(const struct dedup_config *cfg, struct filter *out, struct xdp_dedup **prog);
void loader_private_close(struct filter *f, struct xdp_dedup *prog);
int loader_private_prog_fd(const struct xdp_dedup *prog);

/* Opens the packet program on the maps of a filter, not yet loaded into the kernel;
 * attach.c loads it. Free with loader_program_close().
 */
int loader_program_open(const char *name, struct xdp_dedup **out);
void loader_program_close(struct xdp_dedup *skel);

/* Pins the packet program as PIN_ROOT/NAME/prog, for bpftool. */
int loader_pin_program(const char *name, int prog_fd);

/* Says what filter_open's error means, and returns it. */
int filter_explain(const char *name, int err);

/* filter_open, which says what is wrong. */
int filter_open_or_say(const char *name, struct filter *out);

/* Removes the pins of a filter, of any version; what nothing else holds is gone. */
int loader_remove(const char *name);

/* The names under PIN_ROOT, sorted; *names is NULL-terminated. Free with
 * loader_free_names(). None is not a failure, nor is a missing PIN_ROOT. NULL on failure.
 */
int loader_names(char ***names);
void loader_free_names(char **names);

#endif
