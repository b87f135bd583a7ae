/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The survey's knowledge of protocols that their profiles do not have. Pure.
 *
 * A heuristic tells whether a UDP payload looks like a protocol's. It is for built-in profiles
 * whose gates check little, and tests other properties of the protocol's packets.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "stream.h"

/* Of `len` bytes of payload, `have` were captured; the others are assumed to be right. */
typedef bool (*heuristic)(const uint8_t *payload, uint32_t have, uint32_t len);

/* Returns whether the survey tries this built-in profile. Others check too little: they have a
 * number at some offset and few conditions, and would fit packets of many protocols.
 */
bool is_surveyed(const char *profile);

/* Returns the heuristic for this profile's protocol; NULL if there is none. */
heuristic heuristic_of(const char *profile);

/* Bits of a frame's byte that identify the frame's path: copies differ in them. */
struct path_bits {
	enum dedup_base base; /* origin of the byte's position */
	int32_t at;
	uint8_t bits;
};

/* Returns the path's bits in frames that pass the profile's conditions; NULL if there are none. */
const struct path_bits *path_bits_of(const char *profile);

#define NUMBERS_SOURCES 32 /* the most sources whose last number is stored */

/* Whether the sequence numbers of packets that look like RTP grow as RTP's do: by about one for
 * each packet of a source (RFC 3550 5.1). Begins as { 0 }.
 */
struct numbers {
	struct {
		uint32_t ssrc;
		uint16_t last, known;
	} sources[NUMBERS_SOURCES];
	uint64_t go_on, jump;
};

/* Adds a packet by its RTP header of 12 bytes. The caller leaves out repeated packets. */
void numbers_add(struct numbers *n, const uint8_t *header);
