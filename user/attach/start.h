/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Puts a new filter on interfaces. */
#ifndef XDP_DEDUP_START_H
#define XDP_DEDUP_START_H

#include <stdint.h>

#include "attach.h"

/* Takes what loader_create() has made in +NAME for the filter NAME, once it can judge packets: its
 * record is written, and its hand steps. Then attaches its program to these interfaces. drop_ns:
 * how long it drops from then on, where it drops for a time; else 0. Returns 0; or -errno, after
 * printing why and removing the filter.
 */
int filter_start(const char *name, const struct placement *where, uint64_t drop_ns);

/* Removes the pins of a filter, and of +NAME, of any version and however complete. The kernel then
 * frees what nothing else holds. Readers of its AF_XDP sockets find out at once (delivery_end()).
 */
int filter_remove(const char *name);

#endif
