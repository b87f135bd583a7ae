/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Do the numbers of packets that look like RTP go on, as RTP's do: by about one a packet of a
 * source (RFC 3550 5.1)? Pure.
 */
#ifndef XDP_DEDUP_NUMBERS_H
#define XDP_DEDUP_NUMBERS_H

#include <stdint.h>

#define NUMBERS_SOURCES 32 /* whose last number is known at a time */

/* Begins as { 0 }. */
struct numbers {
	struct {
		uint32_t ssrc;
		uint16_t last, known;
	} sources[NUMBERS_SOURCES];
	uint64_t go_on, jump;
};

/* A packet's RTP header: 12 bytes. Packets that repeat an earlier one are left out by the caller. */
void numbers_add(struct numbers *n, const uint8_t *header);

#endif
