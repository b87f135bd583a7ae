/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files with secrets. */
#ifndef XDP_DEDUP_PRIVATE_FILE_H
#define XDP_DEDUP_PRIVATE_FILE_H

struct stat;

/* Returns NULL if only root, or the user of this process, can read and change the file; else what
 * is wrong, to be said of it: "is ...".
 */
const char *private_file_wrong(const struct stat *st);

#endif
