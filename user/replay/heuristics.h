/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Does a UDP payload look like a protocol's? For built-in profiles whose gates check little or
 * nothing: what else packets of the protocol have in common. Pure.
 */
#ifndef XDP_DEDUP_HEURISTICS_H
#define XDP_DEDUP_HEURISTICS_H

#include <stdbool.h>
#include <stdint.h>

/* Of `len` bytes of payload, `have` are there; what was cut off is taken to be right. */
typedef bool (*heuristic)(const uint8_t *payload, uint32_t have, uint32_t len);

/* Returns the heuristic for this profile's protocol; NULL if there is none. */
heuristic heuristic_of(const char *profile);

#endif
