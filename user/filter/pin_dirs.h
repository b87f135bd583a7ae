/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The directories of pins under PIN_ROOT: made, renamed and removed so that nobody finds one that
 * is incomplete. What fails says why.
 */
#ifndef XDP_DEDUP_PIN_DIRS_H
#define XDP_DEDUP_PIN_DIRS_H

#include <limits.h>
#include <stdbool.h>

/* Pins are under this name while a filter is made or removed. No filter can have it: so nobody
 * opens an incomplete one, and what a killed process has left is recognized and removed.
 */
#define HALF_MADE "+"

/* Makes HALF_MADE, empty. 0 or -errno. */
int pin_dir_begin(void);

/* Gives HALF_MADE, unless err, the name `to`; else removes it. Returns err, or why that failed. */
int pin_dir_end(int err, const char *to);

/* Is there something of this name, whatever it is? */
bool pin_dir_exists(const char *name);

/* Removes the pins in this directory, and it; what is no directory goes itself. 0 or -errno. */
int pin_dir_remove(const char *name);

/* The same in two steps, so that to others it is gone at once. */
int pin_dir_remove_whole(const char *name);

/* 0 or -errno. */
int pin_dir_rename(const char *from, const char *to);

/* Writes the name of the directory BESIDE, or BEFORE, and NAME. */
void pin_dir_prefixed(char directory[PATH_MAX], const char *prefix, const char *name);

/* Makes a directory, by its whole path, unless it is there, and checks it: filter_check_dir(). 0 or
 * -errno.
 */
int pin_dir_make(const char *path, bool is_private);

/* Says what the error `err` of filter_check_dir() means, and returns it. */
int pin_dir_explain(const char *path, int err);

#endif
