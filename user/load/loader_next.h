/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes filters, their successors, and their next programs in +NAME. Failures are logged, and then
 * +NAME is removed.
 */
#pragma once

#include "loader_predecessor.h"

/* Makes a new filter with its packet program, and starts its hand; pin_dir_publish() then makes it
 * the filter NAME. *cfg is complete except for the secrets, which loader_create() draws.
 * predecessor: the open predecessor (predecessor_of_snapshot()), whose secrets *cfg then has; or
 * NULL. Returns 0; -EEXIST if there are pins of that name; or another -errno.
 */
int loader_create(const char *name, const struct dedup_config *cfg,
		  const struct predecessor *predecessor);

/* Make the next program or filter of this name, for live_exchange(). *cfg is complete. Return 0, or
 * -errno.
 * - loader_next_program(): uses the filter's maps. predecessor: its new predecessor; NULL: it keeps
 *   its predecessor, if any. -EPROTO if the filter has the previous format.
 * - loader_next_filter(): makes a new memory, and starts its hand. Its predecessor is the running
 *   filter, open as *running.
 */
int loader_next_program(const char *name, const struct dedup_config *cfg,
			const struct predecessor *predecessor);
int loader_next_filter(const char *name, const struct dedup_config *cfg,
		       const struct filter *running);
