/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One service for each configuration file: two would undo each other's changes. Files of one name
 * are one file here: their services would write one file of metrics.
 */
#ifndef XDP_DEDUP_INSTANCE_H
#define XDP_DEDUP_INSTANCE_H

/* Returns the name of the file's service: "feeds" of /etc/xdp-dedup/feeds.conf. The caller frees
 * it; NULL (logged): no memory.
 */
char *instance_name(const char *path);

/* Takes the lock of this name until the process ends. path: of the file, for messages. 0; -EBUSY if
 * another service has it, or another -errno (each logged).
 */
int instance_lock(const char *name, const char *path);

#endif
