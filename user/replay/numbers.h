/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests whether the sequence numbers of packets that look like RTP grow as RTP's do: by about one
 * for each packet of a source (RFC 3550 5.1). Pure.
 */
#ifndef XDP_DEDUP_NUMBERS_H
#define XDP_DEDUP_NUMBERS_H

#include <stdint.h>

#define NUMBERS_SOURCES 32 /* the most sources whose last number is stored */

/* Begins as { 0 }. */
struct numbers {
	struct {
		uint32_t ssrc;
		uint16_t last, known;
	} sources[NUMBERS_SOURCES];
	uint64_t go_on, jump;
};

/* Adds a packet by its RTP header of 12 bytes. The caller leaves out repeated packets. */
void numbers_add(struct numbers *n, const uint8_t *header);

#endif
