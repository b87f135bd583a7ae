/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A frame around a datagram that came through a socket, for the packet program. Headers and lengths
 * are as the program reads them; UDP's checksum, and whatever else a socket does not tell, is 0.
 */
#ifndef XDP_DEDUP_LIB_MADE_FRAME_H
#define XDP_DEDUP_LIB_MADE_FRAME_H

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

/* The longest payload that such a datagram can have. */
size_t made_payload_max(bool ipv6);

/* Writes the frame, whose payload has at most made_payload_max() bytes. Returns its length. */
size_t made_frame(const struct made_flow *flow, const void *payload, size_t payload_len,
		  uint8_t frame[MADE_FRAME_MAX]);

#endif
