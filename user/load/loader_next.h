/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Filters with a predecessor, and programs over the memory of another one: for loader.c. */
#ifndef XDP_DEDUP_LOADER_NEXT_H
#define XDP_DEDUP_LOADER_NEXT_H

#include "loader_predecessor.h"

/* Makes and pins the maps of a filter in this directory, and starts its hand. predecessor: its
 * predecessor, or NULL. If the predecessor has a program, it is to be exchanged: then the new
 * filter's program is loaded and pinned, too. Returns 0, or -errno (logged).
 */
int next_make_filter(const char *directory, const struct dedup_config *cfg,
		     const struct predecessor *predecessor);

#endif
