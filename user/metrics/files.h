/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The files DIRECTORY/NAME.prom, which other programs write and replace by rename(). The first line
 * of a file may say how often it is written: "# xdp-dedup: written every SECONDS s".
 */
#pragma once

#include <stdint.h>

#define FILES_INTERVAL_S 10	   /* of a file whose first line has no valid interval */
#define FILES_INTERVAL_MAX_S 86400 /* larger intervals are invalid */
#define FILES_INTERVALS_UNTIL_STALE 3

/* Opens NAME.prom; `name` may be any text. Returns a descriptor, which the caller closes, and the
 * file's size; -ESTALE if its time is more than three intervals ago, or in the future; -ENOENT if
 * there is no regular file of this name; or another -errno.
 */
int files_open(const char *directory, const char *name, uint64_t *ret_bytes);
