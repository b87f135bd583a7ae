/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes a frame from a datagram that a socket received, for the packet program. Sets all headers and
 * lengths that the program needs; fields that a socket does not report, and UDP's checksum, are 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MADE_FRAME_MAX (14 + 4 + 40 + UINT16_MAX)

/* Addresses (of IPv4 the first 4 bytes) and ports in network order. */
struct made_flow {
	bool ipv6;
	uint16_t vlan; /* 0: without a tag */
	uint16_t from_port, to_port;
	uint8_t from[16], to[16];
};

/* The length of the longest payload: that of IPv4 leaves room for both headers. */
#define MADE_PAYLOAD_MAX(ipv6) (UINT16_MAX - 8 - ((ipv6) ? 0 : 20))

/* Writes the frame, whose payload has at most MADE_PAYLOAD_MAX() bytes. Returns its length. */
size_t made_frame(const struct made_flow *flow, const void *payload, size_t payload_len,
		  uint8_t frame[MADE_FRAME_MAX]);
