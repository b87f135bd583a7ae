/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Starts a new filter on its interfaces, and stops a filter. Failures are logged. */
#pragma once

#include <stdint.h>

#include "attach.h"

/* Starts the filter that loader_create() has made in +NAME: writes its record, waits until its hand
 * steps, renames +NAME to NAME, and attaches its program to these interfaces. drop_until_ns: when
 * the time of --for ends, by kernel_now_ns(); 0: without --for. Returns 0; or -errno, with the
 * filter removed.
 */
int filter_start(const char *name, const struct placement *where, uint64_t drop_until_ns);

/* Detaches a filter, of any version, complete or not, from all its interfaces (detach.h), and
 * removes its pins and those of +NAME; the kernel then frees its maps and programs. Readers of its
 * AF_XDP sockets are notified at once (unread_end()); readers of zero-copy sockets have a second
 * to close them. Returns 0; or -errno, and then the filter still runs on interfaces from which it
 * could not be detached.
 */
int filter_stop(const char *name);

/* Does what filter_stop() does for +NAME alone, which a load or an unload that was cut off left. */
int filter_stop_staging(const char *name);
