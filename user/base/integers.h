/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

#include <stdint.h>
#include <string.h>

/* Returns the lesser of two numbers. */
static inline uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns the number in two bytes in network order, at any address. */
static inline uint16_t be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

/* Returns the checksum (RFC 1071) of an IPv4 header without options, whose checksum field is 0. */
static inline uint16_t ipv4_checksum(const void *header)
{
	uint16_t half[10];
	uint32_t sum = 0;

	memcpy(half, header, sizeof(half));
	for (size_t i = 0; i < sizeof(half) / sizeof(*half); i++)
		sum += half[i];
	sum = (sum & UINT16_MAX) + (sum >> 16);
	return ~(sum + (sum >> 16));
}
