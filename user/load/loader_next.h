/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes filters, their successors, and their next programs. Failures are logged.
 *
 * The order of the steps is safe if the process is killed at any moment: the maps and the packet
 * program are pinned in +NAME, the hand is started, +NAME is renamed to NAME, the program is
 * attached.
 */
#ifndef XDP_DEDUP_LOADER_NEXT_H
#define XDP_DEDUP_LOADER_NEXT_H

#include "loader_predecessor.h"

/* Makes a new filter with its packet program in +NAME, and starts its hand; pin_dir_publish() then
 * makes it the filter NAME. *cfg is complete except for the secret, which loader_create() sets.
 * predecessor: the open predecessor (predecessor_of_snapshot()), whose secret *cfg then has; or
 * NULL. Returns 0; -EEXIST if there are pins of that name, or another -errno. After an error +NAME
 * is removed.
 */
int loader_create(const char *name, const struct dedup_config *cfg,
		  const struct predecessor *predecessor);

/* Make the next program or filter of this name in +NAME, and load its packet program, for
 * live_exchange(). Return 0; or -errno (logged), with +NAME removed.
 * - loader_next_program(): uses the filter's maps with another configuration, *cfg, which is
 *   complete. predecessor: its new predecessor; NULL: it keeps its predecessor, if any. -EPROTO if
 *   the filter has the previous format.
 * - loader_next_filter(): makes a new filter with the configuration *cfg, which is
 *   complete, and starts its hand. Its predecessor is the running filter, open as *running.
 */
int loader_next_program(const char *name, const struct dedup_config *cfg,
			const struct predecessor *predecessor);
int loader_next_filter(const char *name, const struct dedup_config *cfg,
		       const struct filter *running);

#endif
