/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A FIPS node: what each peer says it can reach, and what each peer is to be told. No
 * sockets, no clock, no floating point: the caller brings messages and monotonic time.
 *
 * A peer is told what is reachable through this node and not through the peer itself: the
 * node's own items and what all tree peers but that one announce (split horizon). What
 * mesh peers announce answers queries and is told to nobody.
 */
#ifndef XDP_DEDUP_FIPS_PEERS_H
#define XDP_DEDUP_FIPS_PEERS_H

#include "fips.h"

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

/* Read by anyone, changed by the functions below only. */
struct fips_node {
	struct fips_item self;
	struct fips_item *leaves; /* leaf-only dependents, in no order */
	size_t leaf_cnt;
	struct fips_peer **peers; /* by id, ascending */
	size_t peer_cnt;
	uint32_t cap_bits;
	uint64_t sequence; /* of the last announcement to anyone */

	struct fips_filter own;		/* self and leaves */
	struct fips_filter once, twice; /* bits of at least one, of two tree peers */
	bool changed;			/* since the last poll; `once` and `twice` are old */
	uint64_t next_ns;		/* what the last poll returned */
};

/* A node without peers. It believes no peer that announces more than cap_bits set bits
 * (fips_cap_bits(); FIPS_BITS(FIPS_V1_SIZE_CLASS) for no limit): a full filter would make
 * that peer a candidate for everything, and through this node all others too. The price
 * is that an honest network that outgrows the cap is no longer listened to. Its first
 * announcement has the sequence first_sequence; a node that restarts should bring
 * one above all it used, for peers that have not noticed.
 */
void fips_node_init(struct fips_node *n, const struct fips_item *self, uint32_t cap_bits,
		    uint64_t first_sequence);
void fips_node_free(struct fips_node *n);

/* -EEXIST if there is such a peer, -ENOMEM; then nothing has changed. */
int fips_node_add_peer(struct fips_node *n, uint64_t id, bool tree);

/* What it announced stays, and counts as its new kind's. -ENOENT if there is none. */
int fips_node_set_tree(struct fips_node *n, uint64_t id, bool tree);

/* Forgets all about it: added again it is new, with any sequence and with no wait.
 * -ENOENT if there is none.
 */
int fips_node_remove_peer(struct fips_node *n, uint64_t id);

/* The node's own items. -EEXIST or -ENOMEM; -ENOENT; then nothing has changed. */
void fips_node_set_self(struct fips_node *n, const struct fips_item *self);
int fips_node_add_leaf(struct fips_node *n, const struct fips_item *leaf);
int fips_node_remove_leaf(struct fips_node *n, const struct fips_item *leaf);

/* An announcement of len bytes from this peer, in place of its last one. Returns 1 if its
 * filter changed, 0 if it is as before; -ENOENT for no such peer, *why untouched; or
 * -EBADMSG and *why: a refused one leaves the last filter, and its sequence, in force.
 */
int fips_node_receive(struct fips_node *n, uint64_t id, const uint8_t *msg, size_t len,
		      enum fips_refusal *why);

/* May the item be reached through this peer? 1 maybe, 0 no; -ENOENT for no such peer. */
int fips_node_may_reach(const struct fips_node *n, uint64_t id, const struct fips_item *item);

/* All peers, tree and mesh, through which the item may be reached: returns how many, and
 * puts the first `size` of them, by id, into ids.
 */
size_t fips_node_candidates(const struct fips_node *n, const struct fips_item *item, uint64_t *ids,
			    size_t size);

/* What the peer is to be told by now. -ENOENT for no such peer, *out untouched. */
int fips_node_outbound(struct fips_node *n, uint64_t id, struct fips_filter *out);

/* Takes a FilterAnnounce for this peer; 0, or an error if it did not go out. It must not
 * call a function on this node.
 */
typedef int (*fips_send_fn)(void *arg, uint64_t id, const uint8_t *msg, size_t len);

/* Sends what is due at now_ns (below UINT64_MAX / 2, never falling): one announcement to
 * each peer whose outbound filter is not the one last sent to it, at once to a new one,
 * else FIPS_INTERVAL_NS after the last. What happens in between comes to one, or to none
 * if it cancels out. One that did not go out is tried again after the same interval.
 *
 * Returns when to call again if nothing else happens, UINT64_MAX for never; any call that
 * changes the node calls for a poll at once. An early poll does no harm.
 */
uint64_t fips_node_poll(struct fips_node *n, uint64_t now_ns, fips_send_fn send, void *arg);

#endif
