/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which bytes of a packet are known of a datagram that came through a socket: the payload, and of
 * the headers what follows from lengths, addresses and ports. What a stream reads beside these
 * needs the frame.
 */
#ifndef XDP_DEDUP_LIB_TOLD_H
#define XDP_DEDUP_LIB_TOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

/* What is known: a set of bits. */
enum {
	TOLD_FROM = 1 << 0, /* source address and port */
	TOLD_TO = 1 << 1,   /* destination address */
	TOLD_PORT = 1 << 2, /* destination port */
	TOLD_ALL = TOLD_FROM | TOLD_TO | TOLD_PORT,
};

/* Is all known that decides whether a datagram of this family is of stream n? */
bool told_gates(const struct dedup_config *c, uint32_t n, bool ipv6, unsigned int told);

/* Is all known that its id is made of, and the number of its messages? */
bool told_id(const struct dedup_config *c, uint32_t n, bool ipv6, unsigned int told);

#endif
