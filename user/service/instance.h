/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Only one service runs for each configuration file, as two would undo each other's changes. Files
 * with equal names count as one file, as their services would write to one file of metrics.
 */
#pragma once

/* Returns the name of the file's service, "feeds" for /etc/xdp-dedup/feeds.conf, which the caller
 * frees; NULL (logged) if there is no memory.
 */
char *instance_name(const char *path);

/* Locks this name until the process ends. path: the configuration file, for messages. Returns 0;
 * -EBUSY if another service has locked it, or another -errno (each logged).
 */
int instance_lock(const char *name, const char *path);
