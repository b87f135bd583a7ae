/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a UDP payload look like a protocol's? Where a built-in profile's gates ask little, or
 * nothing, what else its protocol's packets have in common. Pure.
 */
#ifndef XDP_DEDUP_HEURISTICS_H
#define XDP_DEDUP_HEURISTICS_H

#include <stdbool.h>
#include <stdint.h>

/* `have` bytes of the payload are there, of `len`; what was cut off is taken to be right. */
typedef bool (*heuristic)(const uint8_t *payload, uint32_t have, uint32_t len);

/* How packets of this profile's protocol look; NULL if nothing more is known of them. */
heuristic heuristic_of(const char *profile);

#endif
