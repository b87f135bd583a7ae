/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Puts a new filter on interfaces. */
#ifndef XDP_DEDUP_START_H
#define XDP_DEDUP_START_H

#include <stdint.h>

#include "attach.h"

/* Makes the filter NAME of what loader_create() has made in +NAME, when it can judge packets:
 * writes its record, and waits until its hand steps. Then attaches its program to these
 * interfaces. drop_until_ns: when the time of --for ends, by kernel_now_ns(); 0: without --for.
 * Returns 0; or -errno (logged), with the filter removed.
 */
int filter_start(const char *name, const struct placement *where, uint64_t drop_until_ns);

/* Removes the pins of a filter, and of +NAME, of any version and however complete. The kernel then
 * frees what nothing else holds. Readers of the filter's AF_XDP sockets learn at once that it is
 * gone (delivery_end()); those of zero-copy sockets have a second to leave. Returns 0, or -errno
 * (logged).
 */
int filter_remove(const char *name);

#endif
