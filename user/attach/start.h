/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Puts a new filter on interfaces, and takes a filter off. Failures are logged. */
#ifndef XDP_DEDUP_START_H
#define XDP_DEDUP_START_H

#include <stdint.h>

#include "attach.h"

/* Makes the filter NAME of what loader_create() has made in +NAME, when it can judge packets:
 * writes its record, and waits until its hand steps. Then attaches its program to these
 * interfaces. drop_until_ns: when the time of --for ends, by kernel_now_ns(); 0: without --for.
 * Returns 0; or -errno, with the filter removed.
 */
int filter_start(const char *name, const struct placement *where, uint64_t drop_until_ns);

/* Takes a filter, of any version and however complete, off all its interfaces (detach.h), and
 * removes its pins, and those of +NAME: the kernel then frees what nothing else holds. Readers of
 * its AF_XDP sockets learn at once that it is gone (delivery_end()); those of zero-copy sockets
 * have a second to leave. Returns 0; or -errno, and then it goes on filtering where it could not
 * be detached.
 */
int filter_stop(const char *name);

/* Does so for what is in +NAME alone, of a load or an unload that was cut off. */
int filter_stop_staging(const char *name);

#endif
