/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The service: loads the filters of a file, and keeps them loaded. */
#pragma once

#include <stdbool.h>

/* Runs until SIGTERM or SIGINT. path: the file (config_file.h). replace: the file's filters that
 * already run get this version's program. Returns an enum exit_code.
 */
int service_run(const char *path, bool replace, bool verbose);

/* Logs errors in the file, and the notes that a load would give; changes nothing. Returns an enum
 * exit_code.
 */
int service_check(const char *path);
