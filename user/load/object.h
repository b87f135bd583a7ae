/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The BPF object of one filter: sets the sizes of its maps, uses and makes pins, and selects the
 * filter's programs. For loader*.c, which decide what is made. Failures are logged.
 */
#pragma once

#include <bpf/libbpf.h>

#include "config.h"
#include "pins.h"
#include "xdp_dedup.skel.h"

/* Opens the object for a filter of this configuration. When it is loaded, maps that are pinned in
 * the filter's directory are used, and the others are made. With name NULL all are made. Returns
 * 0, and the caller destroys *out; or -errno.
 */
int object_open(const char *name, const struct dedup_config *cfg, struct xdp_dedup **out);

/* Returns the entry of the packet program for the filter of this skeleton. */
struct bpf_program *object_packet_program(const struct xdp_dedup *skel);

/* Pins a map or program as this pin in this directory. Returns 0, or -errno. */
int object_pin_at(int fd, const char *directory, const char *pin);

/* Opens this pin. Returns its descriptor, which the caller closes; or -errno. */
int object_open_pin(const char *directory, const char *pin);

/* Draws the secrets of a new filter into *cfg. Returns 0, or -errno. */
int object_draw_secrets(struct dedup_config *cfg);

/* Loads the object with *cfg, and pins the maps that this makes, but does not start the hand. name:
 * as for object_open(). Returns 0; or -errno, and then some maps may be pinned.
 */
int object_load_filter(struct xdp_dedup *skel, const char *name, const struct dedup_config *cfg);

/* Starts the hand by this program of the loaded object. Returns 0, or -errno. */
int object_start_hand(const struct bpf_program *hand);

/* Runs a syscall program of the object. Returns what the program returned, or -errno. Logs
 * nothing.
 */
int object_run(const struct bpf_program *prog);
