/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files of a program while it runs: in the directory that systemd gives its unit
 * ($RUNTIME_DIRECTORY, systemd.exec(5)), or else in RUNTIME_DIRECTORY.
 */
#pragma once

#define RUNTIME_DIRECTORY "/run/xdp-dedup"

/* Returns the path of the file of this name and suffix (".prom"). The caller frees it; NULL: no memory.
 */
char *runtime_file(const char *name, const char *suffix);

/* Makes the directory of this file, readable for all, if it is missing. Returns 0, or -errno. */
int runtime_make_directory(const char *path);
