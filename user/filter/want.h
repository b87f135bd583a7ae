/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ids that are missing though the filter knows them. include/wanted.h says what follows. */
#ifndef XDP_DEDUP_WANT_H
#define XDP_DEDUP_WANT_H

#include <stdint.h>

#include "pins.h"

/* Has the next EVENT of a known id (of the filter's id_bytes bytes) pass, once, if it comes within
 * a window. 1 if the id was known and is wanted from now on; 0 if it is unknown and passes by
 * itself. -EINVAL for the all-zero id, -ENOSPC if DEDUP_WANTED_MAX ids are wanted already, -ESTALE
 * if the hand has stopped in a walk, else what the kernel said.
 */
int want_id(struct filter *f, const uint8_t *id);

#endif
