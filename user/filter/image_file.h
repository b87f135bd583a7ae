/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Images of filters (image.h) as files. Failures are logged. */
#ifndef XDP_DEDUP_IMAGE_FILE_H
#define XDP_DEDUP_IMAGE_FILE_H

#include <stdbool.h>

#include "image.h"
#include "open_filter.h"

/* Writes the image of the filter as it is now to this file, which only its owner may read, and
 * which is there as a whole or, on failure, as it was before. It has no name until it is
 * whole; fails if there is something else than a file. stop: asked
 * now and then; true: to end as if it had failed. Fills in *h. 0; -EINTR (not logged) if it was
 * stopped; another -errno (logged).
 */
int image_save(const struct filter *f, const char *path, bool (*stop)(void), struct image_head *h);

/* An image that is being read. */
struct image {
	const char *path;
	int fd;
	struct image_head head; /* the file's; it can be restored */
};

/* 0, and the caller closes it with image_close(); -EBADMSG if it can not be restored, or another
 * -errno (logged).
 */
int image_open(const char *path, struct image *out);
void image_close(struct image *image);

/* Reads the memory into `blocks`, head.config.blocks of them. 0; -EBADMSG if it is damaged, or
 * another -errno (logged).
 */
int image_read(const struct image *image, struct dedup_block *blocks);

#endif
