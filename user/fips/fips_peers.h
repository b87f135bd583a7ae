/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is in a FIPS node: xdp-dedup-fips.h says what it does. Integers only, but for the rate
 * that a node is made with.
 */
#ifndef XDP_DEDUP_FIPS_PEERS_H
#define XDP_DEDUP_FIPS_PEERS_H

#include "fips.h"
#include "xdp-dedup-fips.h"

/* One direction of an edge each. */
struct fips_peer {
	uint64_t id; /* the caller's name for it */
	bool tree;   /* parent or child in the spanning tree; else a mesh peer */

	bool has_inbound;
	uint64_t inbound_sequence;
	struct fips_filter inbound; /* the last one accepted; zeros before */

	bool was_tried;
	uint64_t tried_ns;	 /* the last announcement to it */
	struct fips_filter sent; /* the last one that went out; zeros before */
};

struct xdp_dedup_fips_node {
	struct fips_item self;
	struct fips_item *leaves; /* leaf-only dependents, in no order */
	size_t leaf_cnt;
	struct fips_peer **peers; /* by id, ascending */
	size_t peer_cnt;
	uint32_t cap_bits; /* no more are believed of a peer */
	uint64_t sequence; /* of the last announcement to anyone */

	struct fips_filter own;		/* self and leaves */
	struct fips_filter once, twice; /* bits of at least one, of two tree peers */
	bool changed;			/* since the last poll; `once` and `twice` are old */
	uint64_t next_ns;		/* what the last poll returned */
};

#endif
