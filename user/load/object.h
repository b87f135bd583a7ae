/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The BPF object as that of one filter: with the sizes of its maps, at its pins, with those of its
 * programs that it runs. For loader*.c, which say what is made of it. Failures are logged.
 */
#ifndef XDP_DEDUP_OBJECT_H
#define XDP_DEDUP_OBJECT_H

#include <bpf/libbpf.h>

#include "config.h"
#include "xdp_dedup.skel.h"

/* Opens it for a filter of this configuration. Maps that are pinned in the filter's directory are
 * used when it is loaded, and others are made. With name NULL all are made. 0, and the caller
 * destroys *out; or -errno.
 */
int object_open(const char *name, const struct dedup_config *cfg, struct xdp_dedup **out);

/* Pins the maps that were made when it was loaded in the filter's directory, which is there. With
 * name NULL it does nothing. 0 or -errno; then some may be pinned.
 */
int object_pin(const struct xdp_dedup *skel, const char *name);

/* Loads it as a new filter, whose secrets are in *cfg, and pins it, but does not start its hand.
 * name as for object_open(). 0 or -errno.
 */
int object_load_filter(struct xdp_dedup *skel, const char *name, const struct dedup_config *cfg);

/* Loads it as a new filter, pins it, and starts its hand. Its secrets are drawn, but for a
 * replay's, which are there: both of its engines have the same.
 */
int object_start_filter(struct xdp_dedup *skel, const char *name, const struct dedup_config *cfg);
int object_start_hand(struct xdp_dedup *skel);

/* Is it loaded as it must be? By the names of its maps a filter is told from other programs, and
 * found again; and they must be mapped. libbpf gives no names, and makes maps that cannot be
 * mapped, if its probes for these failed, for whatever reason. prog: any that is loaded, and uses
 * the maps of state and configuration. 0 or -errno.
 */
int object_check(const struct xdp_dedup *skel, const struct bpf_program *prog);

/* Runs a syscall program of it. What it returned, or -errno; logs nothing. */
int object_run(const struct bpf_program *prog);

#endif
