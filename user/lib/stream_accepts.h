/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which destinations a stream of UDP datagrams accepts: the prefixes of --to, or any. */
#ifndef XDP_DEDUP_LIB_STREAM_ACCEPTS_H
#define XDP_DEDUP_LIB_STREAM_ACCEPTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "config.h"

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

/* Returns the stream's prefixes of this family; NULL if it has none. */
static inline const struct dedup_prefix *accepts_prefixes(const struct dedup_config *c,
							  const struct dedup_stream *s, bool ipv6,
							  uint32_t *cnt)
{
	uint32_t first = s->to_first + (ipv6 ? s->to4_cnt : 0);

	*cnt = ipv6 ? s->to_cnt - s->to4_cnt : s->to4_cnt;
	return *cnt && first < DEDUP_TO_MAX ? &c->policy.to[first] : NULL;
}

/* Is the port, in host order, one of the stream's? */
static inline bool accepts_port(const struct dedup_config *c, const struct dedup_stream *s,
				uint16_t port)
{
	for (uint32_t i = 0; i < s->ports_cnt && s->ports_first + i < DEDUP_PORTS_MAX; i++) {
		const struct dedup_ports *p = &c->policy.ports[s->ports_first + i];

		if (port >= p->lo && port <= p->hi)
			return true;
	}
	return false;
}

#endif
