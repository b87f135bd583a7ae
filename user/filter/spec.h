/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is wanted of a filter, by whoever wants one: a command line, a bench, a test. What it
 * then gets is struct dedup_config, which plan.h makes of it.
 */
#ifndef XDP_DEDUP_SPEC_H
#define XDP_DEDUP_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

#define SPEC_CAPACITY_DEFAULT 1000000
#define SPEC_FPR_DEFAULT 1e-4
#define SPEC_WINDOW_DEFAULT_NS (600 * 1000000000ULL)
#define SPEC_WINDOW_MIN_NS (10 * 1000000ULL)
#define SPEC_WINDOW_MAX_NS (30 * 24 * 3600 * 1000000000ULL)

#define SPEC_ID_BYTES_DEFAULT 32 /* GSP/1's */

struct filter_spec {
	uint32_t id_bytes; /* 1 to DEDUP_ID_BYTES_MAX; 0: SPEC_ID_BYTES_DEFAULT */
	uint64_t capacity; /* ids a window, at least 1 */
	double fpr;	   /* at most so many fresh ids are lost; in (0, 1) */
	uint64_t window_ns;
	enum dedup_layout layout;
	enum dedup_hash_scheme hash;
	/* 0 in these: what the rate asks for, or another system's rules. */
	uint32_t bits;		 /* flat: m */
	uint32_t hashes;	 /* flat, countdown: k, up to DEDUP_HASHES_MAX */
	uint32_t index_bits;	 /* countdown: log2 of its cells, up to 24 */
	uint32_t countdown_bits; /* countdown: an id lasts 2^this - 1 countdowns, up to 24 */

	struct dedup_ports ports[DEDUP_PORTS_MAX];
	uint32_t ports_cnt;
	struct dedup_prefix to[DEDUP_TO_MAX]; /* only these destinations, those of IPv4 first */
	uint32_t to_cnt, to4_cnt;	      /* 0: all */
	bool forwarded;			      /* also frames for other hosts */
	bool several;			      /* it runs on more than one interface */

	bool count_only; /* duplicates are counted, and pass */
	bool learn_app;	 /* the kernel only tests; an application adds */
	bool ihave_pass;
};

#endif
