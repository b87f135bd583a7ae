/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the survey knows of protocols beside their profiles. Pure.
 *
 * Does a UDP payload look like a protocol's? For built-in profiles whose gates check little or
 * nothing: what else packets of the protocol have in common.
 */
#ifndef XDP_DEDUP_HEURISTICS_H
#define XDP_DEDUP_HEURISTICS_H

#include <stdbool.h>
#include <stdint.h>

#include "stream.h"

/* Of `len` bytes of payload, `have` are there; what was cut off is taken to be right. */
typedef bool (*heuristic)(const uint8_t *payload, uint32_t have, uint32_t len);

/* Returns the heuristic for this profile's protocol; NULL if there is none. */
heuristic heuristic_of(const char *profile);

/* Bits of a frame's byte that tell which path the frame has taken: copies differ there. */
struct path_bits {
	enum dedup_base base; /* the byte's position counts from there */
	int32_t at;
	uint8_t bits;
};

/* Returns the path's bits in frames that pass the profile's conditions; NULL if there are none. */
const struct path_bits *path_bits_of(const char *profile);

#endif
