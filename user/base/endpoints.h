/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sender and receiver of a frame, for people. Frames are hostile: any bytes, of any length. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ENDPOINT_TEXT_MAX 64 /* bytes, with the 0 at the end */

/* One end. address: IPv4 or IPv6, as "192.0.2.1" or "2001:db8::1"; in a frame without them the MAC,
 * as "02:00:00:00:00:01"; "" if the frame ends within its Ethernet header.
 */
struct endpoint {
	char address[ENDPOINT_TEXT_MAX];
	int32_t port; /* of UDP, TCP, UDP-Lite, SCTP or DCCP; -1: none, or not in this frame */
};

/* Fills in the endpoints of an Ethernet frame, with or without VLAN tags. It may be truncated. */
void endpoints_of(const uint8_t *frame, size_t len, struct endpoint *source,
		  struct endpoint *destination);

/* Writes "192.0.2.1:8001" or "[2001:db8::1]:8001"; without a port the address; "-" for "". Returns
 * buf.
 */
const char *format_endpoint(const struct endpoint *e, char buf[ENDPOINT_TEXT_MAX]);
