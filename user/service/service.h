/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The service: has the filters of a file loaded, and keeps them. */
#ifndef XDP_DEDUP_SERVICE_H
#define XDP_DEDUP_SERVICE_H

#include <stdbool.h>

/* Runs until SIGTERM or SIGINT. path: the file (config_file.h). Returns an enum exit_code. */
int service_run(const char *path, bool verbose);

/* Logs what is wrong with the file, and what may surprise; changes nothing. Returns an enum
 * exit_code.
 */
int service_check(const char *path);

#endif
