/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of a FIPS node; xdp-dedup-fips.h documents it. */
#pragma once

#include "fips.h"
#include "xdp-dedup-fips.h"

/* A peer: its last announcement to this node (inbound), and this node's last one to it (sent). */
struct fips_peer {
	uint64_t id; /* chosen by the caller */
	bool tree;   /* parent or child in the spanning tree; else a mesh peer */

	bool has_inbound;
	uint64_t inbound_sequence;
	struct fips_filter inbound; /* the last one accepted; zeros before */

	bool was_tried;		 /* sending an announcement was tried, with or without success */
	uint64_t tried_ns;	 /* time of the last try, by the caller's clock */
	struct fips_filter sent; /* the last one that was sent; zeros before */
};

struct xdp_dedup_fips_node {
	struct fips_item self;
	struct fips_item *leaves; /* leaf-only dependents, in no order */
	size_t leaf_cnt;
	struct fips_peer **peers; /* by id, ascending */
	size_t peer_cnt;
	uint32_t cap_bits; /* an announcement with more bits set is refused */
	uint64_t sequence; /* of the last announcement to any peer */

	struct fips_filter own;		/* self and leaves */
	struct fips_filter once, twice; /* bits of at least one, of at least two tree peers */
	bool changed;	  /* since the last poll: `once` and `twice` are out of date */
	uint64_t next_ns; /* what the last poll returned */
};
