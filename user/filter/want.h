/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asks for an event that is missing though the filter knows its id. include/wanted.h says how that
 * works.
 */
#ifndef XDP_DEDUP_WANT_H
#define XDP_DEDUP_WANT_H

#include <stdint.h>

#include "open_filter.h"

/* Lets the next EVENT of a known id (as of ids.h) pass, once, if it comes within a
 * window. 1: the id is known, and wanted from now on; 0: it is not known, so its next EVENT passes
 * anyway. -EINVAL for the all-zero id; -ENOSPC if DEDUP_WANTED_MAX ids are wanted already; -ESTALE
 * if the hand has stopped while it walked through the wanted ids; another -errno of the kernel.
 */
int want_id(struct filter *f, const uint8_t *id);

/* The same of an id of stream n as the packet program has it, without asking whether it is known. */
int want_key(struct filter *f, const struct dedup_id *id, uint32_t n);

/* Takes such a want back. 0; -ENOENT: the id is not wanted; another -errno of the kernel. */
int want_key_no_more(struct filter *f, const struct dedup_id *id, uint32_t n);

#endif
