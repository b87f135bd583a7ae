/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which destinations a stream of UDP datagrams accepts: the prefixes of --to, or any. Which bytes of a
 * packet are known if only its datagram was received from a socket: the payload, and parts of the
 * headers that follow from lengths, addresses and ports. A stream that reads others needs the frame.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "config.h"

/* Bits: the parts of the flow that are known. */
enum {
	KNOWN_FROM = 1 << 0, /* source address and port */
	KNOWN_TO = 1 << 1,   /* destination address */
	KNOWN_PORT = 1 << 2, /* destination port */
	KNOWN_ALL = KNOWN_FROM | KNOWN_TO | KNOWN_PORT,
};

/* Are all bytes known that decide whether a datagram of this family belongs to stream n? */
bool flow_known_gates(const struct dedup_config *c, uint32_t n, bool ipv6, unsigned int known);

/* Are all bytes known that make up its id, and its number of messages? */
bool flow_known_id(const struct dedup_config *c, uint32_t n, bool ipv6, unsigned int known);

static inline bool accepts_family(const struct dedup_stream *s, bool ipv6)
{
	return !s->to_cnt || (ipv6 ? s->to4_cnt < s->to_cnt : s->to4_cnt > 0);
}

/* Is the prefix a single address? */
static inline bool accepts_one_address(const struct dedup_prefix *p, bool ipv6)
{
	uint64_t all[2] = { ~0ULL, ~0ULL };

	return !memcmp(p->mask, all, ipv6 ? 16 : 4);
}
