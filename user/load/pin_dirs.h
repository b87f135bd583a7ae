/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The directories of pins under PIN_ROOT. No process finds an incomplete filter: a filter is made
 * and removed in +NAME, a name that no filter can have, and one system call renames +NAME to NAME,
 * or NAME to +NAME. Failures are logged.
 */
#pragma once

#include <stdbool.h>

/* Makes the empty directory +NAME. Returns 0; -EBUSY if it exists, as a change of the filter has
 * not ended; or another -errno.
 */
int pin_dir_begin(const char *name);

/* Renames +NAME to NAME, which does not exist yet. Returns 0, or -errno. */
int pin_dir_publish(const char *name);

/* Exchanges NAME and +NAME in one step. Returns 0, or -errno. */
int pin_dir_exchange(const char *name);

/* Removes +NAME, if it exists. Returns 0, or -errno. */
int pin_dir_remove_staging(const char *name);

/* Removes NAME, which disappears for others in one step, and +NAME. Returns 0, or -errno. */
int pin_dir_remove(const char *name);

/* Makes a directory, unless it exists, and checks it with dir_check(). Returns 0, or -errno. */
int pin_dir_make(const char *path, bool is_private);

/* Logs what the error `err` of dir_check() means. Returns err. */
int pin_dir_explain(const char *path, int err);
