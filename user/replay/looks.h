/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a UDP payload look like a protocol's? Where a built-in profile's gates ask little, or
 * nothing, what else its protocol's packets have in common. Pure.
 */
#ifndef XDP_DEDUP_LOOKS_H
#define XDP_DEDUP_LOOKS_H

#include <stdbool.h>
#include <stdint.h>

/* True also for profiles of which nothing more is known. `have` bytes of the payload are there, of
 * `len`; what was cut off is taken to be right.
 */
bool looks_like(const char *profile, const uint8_t *payload, uint32_t have, uint32_t len);

#endif
