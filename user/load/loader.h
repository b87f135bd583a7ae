/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes filters in the kernel, lists and removes them. Failures are logged.
 *
 * A filter is made in an order in which the process may be killed at any moment without harm: the
 * maps are pinned in +NAME, the hand is started, +NAME becomes NAME, the packet program is attached.
 */
#ifndef XDP_DEDUP_LOADER_H
#define XDP_DEDUP_LOADER_H

#include <stdbool.h>
#include <stdint.h>

#include "open_filter.h"

struct predecessor; /* loader_predecessor.h */
struct xdp_dedup;   /* the skeleton of bpf/xdp_dedup.bpf.c */

/* Makes a new filter in +NAME, and starts its hand; pin_dir_publish() makes it the filter NAME.
 * *cfg is complete but for the secret and `frags`, which are set here; but with a predecessor,
 * which must be open (predecessor_of_snapshot()), also the secret. before: that, or NULL. 0;
 * -EEXIST if there are pins of that name, or another -errno: then nothing of it is left.
 */
int loader_create(const char *name, const struct dedup_config *cfg, const struct predecessor *before);

/* What is to take the place of the filter of this name is made in +NAME, and its packet program is
 * loaded; live_exchange.h goes on from there. 0 or -errno (logged): then nothing of it is left.
 * - next_program: the same maps with another configuration, *cfg, which is complete; before: the
 *   predecessor that it gets, or NULL for that which there may be. -EPROTO if the filter is of the
 *   format before.
 * - next_filter: a new filter of the configuration *cfg, complete but for `frags`, whose
 *   predecessor is the one that runs, and is open as *running. Its hand goes.
 */
int loader_next_program(const char *name, const struct dedup_config *cfg,
			const struct predecessor *before);
int loader_next_filter(const char *name, const struct dedup_config *cfg,
		       const struct filter *running);

/* Waits until the hand of this open filter steps, 5 s at most. A program is attached only then: one
 * whose clock does not run lets every packet pass. 0; or -ESTALE (logged).
 */
int loader_await_hand(const struct filter *f);

/* Makes the filter's own hand go on by its configuration of now, where another program of it has
 * started the timer. 0 or -errno (logged).
 */
int loader_adopt_hand(const char *name);

/* Makes a filter and loads its packet program for this process alone (bench, tests): nothing is
 * pinned, and it goes with the process. Closed with loader_private_close(). The program's
 * descriptor belongs to *prog.
 */
int loader_private_open(const struct dedup_config *cfg, struct filter *out, struct xdp_dedup **prog);
void loader_private_close(struct filter *f, struct xdp_dedup *prog);
int loader_private_prog_fd(const struct xdp_dedup *prog);

/* The descriptor of hand_replay(), of a filter with config.replay; as above. */
int loader_private_hand_fd(const struct xdp_dedup *prog);

/* Opens the skeleton with its maps at the pins of this filter. The packet program is
 * not loaded into the kernel yet: attach_all() does that. Closed with loader_program_close().
 */
int loader_program_open(const char *name, struct xdp_dedup **out);
void loader_program_close(struct xdp_dedup *skel);

/* The entry of the packet program that this skeleton's filter runs. */
struct bpf_program *loader_packet_program(const struct xdp_dedup *skel);

/* Pins the packet program as PIN_ROOT/NAME/prog, in the place of another one's pin. NAME: of the
 * filter's directory. 0 or -errno (logged).
 */
int loader_pin_program(const char *name, int prog_fd);

/* Logs what the error `err` of filter_open() means and what to do, and returns it. */
int loader_explain(const char *name, int err);

/* filter_open(), whose failure is logged. */
int loader_open_or_say(const char *name, struct filter *out);

/* The names under PIN_ROOT, sorted; *names ends with NULL, and is freed with loader_free_names().
 * No names, or no PIN_ROOT, is no failure. On failure *names is NULL.
 */
int loader_names(char ***names);
void loader_free_names(char **names);

#endif
