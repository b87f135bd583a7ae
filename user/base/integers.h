/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef XDP_DEDUP_INTEGERS_H
#define XDP_DEDUP_INTEGERS_H

#include <stdint.h>

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

#endif
