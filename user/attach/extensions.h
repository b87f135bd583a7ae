/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which programs extend which, as the kernel lists its links: libxdp's dispatcher calls its
 * programs as extensions of itself. Logs nothing.
 */
#ifndef XDP_DEDUP_EXTENSIONS_H
#define XDP_DEDUP_EXTENSIONS_H

#include <stdint.h>

struct extension {
	uint32_t prog_id;
	uint32_t of; /* id of the program that it extends */
};

struct extensions {
	struct extension *list;
	int cnt;
};

/* Lists all extensions of the machine. Returns 0, and the caller frees *out with
 * extensions_free(); or -errno, with *out empty: -EPERM without CAP_SYS_ADMIN.
 */
int extensions_read(struct extensions *out);
void extensions_free(struct extensions *e);

#endif
