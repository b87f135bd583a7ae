/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The directories of pins under PIN_ROOT: made and removed so that nobody finds a filter that is
 * incomplete. That is done in +NAME, a name that no filter can have: the directory of the filter
 * NAME comes from there and goes there, by one system call. Failures are logged.
 */
#ifndef XDP_DEDUP_PIN_DIRS_H
#define XDP_DEDUP_PIN_DIRS_H

#include <limits.h>
#include <stdbool.h>

/* Writes "+NAME". */
void pin_dir_beside(char directory[PATH_MAX], const char *name);

/* Makes +NAME, empty. 0; -EBUSY if it is there: a change of the filter has not ended; or another
 * -errno.
 */
int pin_dir_begin(const char *name);

/* Makes +NAME the directory NAME, which there is not. 0; or -errno, and +NAME is removed. */
int pin_dir_publish(const char *name);

/* Gives NAME and +NAME each other's content, at once. 0 or -errno. */
int pin_dir_exchange(const char *name);

/* Removes +NAME, if there is one. 0 or -errno. */
int pin_dir_remove_beside(const char *name);

/* Removes NAME, so that it is gone at once to others, and +NAME. 0 or -errno. */
int pin_dir_remove(const char *name);

/* Removes ~NAME, where versions up to format 10 kept the predecessor of NAME. 0 or -errno. */
int pin_dir_remove_10(const char *name);

/* Makes a directory, by its whole path, unless it is there, and checks it: dir_check(). 0 or
 * -errno.
 */
int pin_dir_make(const char *path, bool is_private);

/* Logs what the error `err` of dir_check() means, and returns it. */
int pin_dir_explain(const char *path, int err);

#endif
