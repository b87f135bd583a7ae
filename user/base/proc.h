/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files of /proc with lines of the form "key: number". */
#pragma once

#include <stdint.h>

/* Returns the number, 0 or more, on the first line that begins with this key ("PPid:"); 0 if there
 * is none, or if the file cannot be read.
 */
uint64_t proc_number(const char *path, const char *key);
