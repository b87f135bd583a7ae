/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The BPF object as that of one filter: with the sizes of its maps, at its pins, with those of its
 * programs that it runs. For loader*.c, which say what is made of it. What fails says why.
 */
#ifndef XDP_DEDUP_OBJECT_H
#define XDP_DEDUP_OBJECT_H

#include <bpf/libbpf.h>

#include "config.h"
#include "xdp_dedup.skel.h"

/* Opens it for a filter of this configuration, with a pin path for every map: at load, maps whose
 * pins are there are used, others are made and pinned. With name NULL nothing is pinned. 0, and the
 * caller destroys *out; or -errno.
 */
int object_open(const char *name, const struct dedup_config *cfg, struct xdp_dedup **out);

/* Loads it as a new filter, whose secrets are in *cfg, but does not start its hand. 0 or -errno. */
int object_load_filter(struct xdp_dedup *skel, const struct dedup_config *cfg);

/* The same, with secrets that are drawn (those of a replay are there, for both of its engines), and
 * starts its hand.
 */
int object_start_filter(struct xdp_dedup *skel, const struct dedup_config *cfg);
int object_start_hand(struct xdp_dedup *skel);

/* Is it loaded as it must be? By the names of its maps a filter is told from other programs, and
 * found again; and they must be mapped. libbpf gives no names, and makes maps that cannot be
 * mapped, if its probes for these failed, for whatever reason. prog: any that is loaded, and uses
 * the maps of state and configuration. 0 or -errno.
 */
int object_check(const struct xdp_dedup *skel, const struct bpf_program *prog);

/* Runs a syscall program of it. What it returned, or -errno; says nothing. */
int object_run(const struct bpf_program *prog);

#endif
