/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* When a message that was not acknowledged is sent again. */
#ifndef XDP_DEDUP_PUBLISH_RETRY_H
#define XDP_DEDUP_PUBLISH_RETRY_H

#include <stdint.h>

#include "publish_options.h"

#define RETRY_MIN_NS 100000000ULL
#define RETRY_MAX_NS 5000000000ULL

/* The pause after this many tries have failed: 0.2 s after the first one, then twice as long each
 * time, up to 5 s.
 */
static inline uint64_t retry_pause_ns(uint32_t tries)
{
	uint64_t pause = RETRY_MIN_NS << (tries < 6 ? tries : 6);

	return pause < RETRY_MAX_NS ? pause : RETRY_MAX_NS;
}

/* The longest time from the first try to the last one, while the connection lasts. */
static inline uint64_t retry_span_ns(const struct publish_options *o)
{
	uint64_t span = 0;

	for (uint32_t tries = 1; tries <= o->retries; tries++)
		span += o->ack_timeout_ns + retry_pause_ns(tries);
	return span;
}

#endif
