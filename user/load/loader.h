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

/* Makes a new filter in +NAME, and starts its hand; pin_dir_publish() then makes it the filter
 * NAME. *cfg is complete except for `frags` and the secret, which are set here. predecessor: the
 * open predecessor (predecessor_of_snapshot()), whose secret *cfg then has; or NULL. Returns 0;
 * -EEXIST if there are pins of that name, or another -errno. After an error +NAME is removed.
 */
int loader_create(const char *name, const struct dedup_config *cfg,
		  const struct predecessor *predecessor);

/* Make the filter or program that is to replace the filter of this name, in +NAME, and load its
 * packet program; live_exchange.h goes on from there. Return 0; or -errno (logged), with +NAME
 * removed.
 * - loader_next_program(): uses the filter's maps with another configuration, *cfg, which is
 *   complete. predecessor: its new predecessor; NULL: it keeps the one that it has, if any. -EPROTO
 * if the filter has the previous format.
 * - loader_next_filter(): makes a new filter with the configuration *cfg, complete except for
 *   `frags`, and starts its hand. Its predecessor is the filter that runs, open as *running.
 */
int loader_next_program(const char *name, const struct dedup_config *cfg,
			const struct predecessor *predecessor);
int loader_next_filter(const char *name, const struct dedup_config *cfg,
		       const struct filter *running);

/* Waits until the hand of this open filter steps, 5 s at most. A program is attached only then:
 * while the clock does not run, the program lets every packet pass. Returns 0, or -ESTALE
 * (logged).
 */
int loader_await_hand(const struct filter *f);

/* Makes the filter's hand use its current configuration, if another program of the filter has
 * started the timer. Returns 0, or -errno (logged).
 */
int loader_adopt_hand(const char *name);

/* Makes a filter and loads its packet program for this process alone (bench, tests): nothing is
 * pinned, and the filter ends with the process. The program's descriptor belongs to *prog. Returns
 * 0, and the caller closes both with loader_private_close(); or -errno (logged).
 */
int loader_private_open(const struct dedup_config *cfg, struct filter *out, struct xdp_dedup **prog);
void loader_private_close(struct filter *f, struct xdp_dedup *prog);
int loader_private_prog_fd(const struct xdp_dedup *prog);

/* Opens the skeleton with its maps at the pins of this filter. The packet program is not loaded
 * yet: attach_all() does that. Returns 0, and the caller closes *out with loader_program_close();
 * or -errno (logged).
 */
int loader_program_open(const char *name, struct xdp_dedup **out);
void loader_program_close(struct xdp_dedup *skel);

/* Returns the entry of the packet program that this skeleton's filter runs. */
struct bpf_program *loader_packet_program(const struct xdp_dedup *skel);

/* Pins the packet program as PIN_ROOT/NAME/prog, in the place of an older pin. NAME: the filter's
 * directory. Returns 0, or -errno (logged).
 */
int loader_pin_program(const char *name, int prog_fd);

/* Logs what the error `err` of filter_open() means and what to do, and returns it. */
int loader_explain(const char *name, int err);

/* Lists the names under PIN_ROOT, sorted. *names ends with NULL; the caller frees it with
 * loader_free_names(). No names, or no PIN_ROOT, is no failure. Returns 0; or -errno (logged),
 * with *names NULL.
 */
int loader_names(char ***names);
void loader_free_names(char **names);

#endif
